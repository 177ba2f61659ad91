"""Cover letters: read with their places, and what templates see of them in a language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lettered import DAY, WHOLE, read, source_of

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import ProfileError
from cvbuild.inputs import letters, localize
from cvbuild.inputs.letters import Draft
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.selection import select
from cvbuild.view import letters as view_letters
from cvbuild.view.types import Letter

DOCS = Path(__file__).parent.parent / "docs" / "reference" / "applications.md"


def wrong(letter: str) -> list[str]:
    with pytest.raises(ProfileError) as caught:
        read(letter)
    return [str(one).removeprefix("applications/a.yaml:") for one in caught.value.diagnostics]


# ------------------------------------------------------------------------------------ reading


def test_every_field_keeps_its_place() -> None:
    written = read(WHOLE)
    source = written.into(parse("name: Ada Example\n", "people/ada.yaml"))
    places: dict[FieldPath, str] = {
        ("name",): "people/ada.yaml:1:7",
        ("letter", "recipient", "name"): "applications/a.yaml:3:11",
        ("letter", "recipient", "address", 0): "applications/a.yaml:6:14",
        ("letter", "enclosures", 1): "applications/a.yaml:12:20",
        ("letter", "body"): "applications/a.yaml:13:9",
        ("letter", "body", 0, 0): "applications/a.yaml:14:5",
        ("letter", "body", 2, 1): "applications/a.yaml:19:7",
        ("letter", "body", 4, 1): "applications/a.yaml:24:8",
        ("letter", "closing"): "applications/a.yaml:2:3",
    }
    assert {path: str(source.span(path)) for path in places} == places
    assert written.letter.recipient
    assert written.letter.recipient.address == ("12 Example Street", "Springfield, EX 01234")
    assert written.letter.body
    assert [block.kind for block in written.letter.body.blocks] == [
        "paragraph", "paragraph", "bullets", "paragraph", "numbers", "paragraph",
    ]  # fmt: skip


def test_a_file_is_read_from_beside_and_has_its_own_places(here: Path) -> None:
    (here / "cover.md").write_text("\ufeffDear me,\r\n\r\n- a\r\n- b\r\n", encoding="utf-8")
    for text in ("letter: cover.md\n", "letter: {file: cover.md, closing: Bye}\n"):
        source = parse(text, "a.yaml")
        found = letters.markdown(source, here)
        assert found is not None
        assert found.path == here / "cover.md"
        written = letters.read(source, markdown=found)
        whole = written.into(parse("name: Ada", "ada.yaml"))
        assert str(whole.span(("letter", "body", 1, 1))) == "cover.md:4:3"
        assert str(whole.span(("letter", "file"))).startswith("a.yaml:1:")
    (here / "cover.md").write_text("one\n\n# two\n\nthree <b>\n", encoding="utf-8")
    with pytest.raises(ProfileError) as caught:
        letters.read(source, markdown=letters.markdown(source, here))
    assert [str(one) for one in caught.value.diagnostics] == [
        "cover.md:3:1: a letter has no headings; write a paragraph, perhaps in **bold**",
        "cover.md:5:7: a letter has no HTML; write Markdown, or a \\ before the <",
    ]
    assert letters.markdown(parse("letter: {body: a}", "a.yaml"), here) is None
    assert letters.markdown(parse("person: a", "a.yaml"), here) is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.md", 'a.yaml:1:9: there is no file "none.md"'),
        ("../out.md", 'a.yaml:1:9: "../out.md" lies outside the folder'),
        ("/etc/passwd", 'a.yaml:1:9: "/etc/passwd" lies outside the folder'),
        ("link.md", 'a.yaml:1:9: "link.md" lies outside the folder'),
        (".", 'a.yaml:1:9: there is no file "."'),
    ],
)
def test_a_file_that_can_t_be_had(name: str, message: str, tmp_path: Path) -> None:
    folder = tmp_path / "applications"
    folder.mkdir()
    (tmp_path / "out.md").write_text("secret", encoding="utf-8")
    (folder / "link.md").symlink_to(tmp_path / "out.md")
    with pytest.raises(ProfileError) as caught:
        letters.markdown(parse(f"letter: {name}\n", "a.yaml"), folder)
    assert str(caught.value) == f"{message}; name a Markdown file in this file's folder"


_FOLDED = (
    "YAML joins the lines of this text, and with them paragraphs and lists; "
    'write "body: |" and the text below it'
)
_EMPTY = 'the letter has no text; write "body: |" and the text below it, or "file: letter.md"'


@pytest.mark.parametrize(
    ("letter", "messages"),
    [
        ("closing: a\n", f"2:3: {_EMPTY}"),
        ("body: |\n\n", "2:9: the letter has no text; write at least one paragraph"),
        ("body: >\n  a\n\n  b\n", f"2:9: {_FOLDED}"),
        ("body: a\n  b\n", f"2:9: {_FOLDED}"),
        ("body: [a]\n", "2:9: body must be a text, not a list; write one text"),
        ("recipient: Lin\nbody: a\n",
         ("2:14: recipient must be a mapping of keys, not a text; "
          "write name: Lin Example below it")),
        ("recipient: {title: a}\nbody: a\n",
         ("2:14: the recipient has no name and no organization; "
          "add name: or organization: to it")),
        ("date: 2026-03\nbody: a\n",
         '2:9: "2026-03" is not a full date; write a full date such as 2026-01-31'),
        ("date: 2026-02-30\nbody: a\n", "2:9: 2026-02 has no day 30; check the calendar"),
        ("subjct: a\nbody: |\n  a\n\n      b\n",
         ('2:3: unknown key "subjct"; did you mean "subject"?\n'
          "6:9: a line that begins with four spaces or more is a block of code; "
          "take the spaces away")),
        ("body: |\n  a\n  # b\nopening: ''\n",
         ("4:5: a letter has no headings; write a paragraph, perhaps in **bold**\n"
          "5:12: opening is empty; write something, or leave the key out")),
        ("body: '[a](ftp://example.org)'\n",
         ('2:9: a link can\'t be "ftp:", only http, https, mailto or tel; write '
          "[words](https://example.org/page); a \\ before [ or < makes it plain text")),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_letter(letter: str, messages: str) -> None:
    assert "\n".join(wrong(letter)) == messages


def test_what_an_application_says_itself_serves_the_letter() -> None:
    shared: dict[str, FieldPath] = {"recipient": ("recipient",), "enclosures": ("enclosures",)}
    source = source_of("body: a\n", recipient="{name: Lin}")
    written = letters.read(source, shared=shared)
    assert written.letter.recipient
    assert written.letter.recipient.name == "Lin"
    whole = written.into(parse("name: Ada", "ada.yaml"))
    assert str(whole.span(("letter", "recipient", "name"))) == "applications/a.yaml:3:19"
    own = letters.read(source_of("recipient: {name: Max}\nbody: a\n", recipient="x"), shared=shared)
    assert own.letter.recipient
    assert own.letter.recipient.name == "Max"
    with pytest.raises(ProfileError) as caught:
        letters.read(source_of("body: a\n", recipient="{nam: Lin}"), shared=shared)
    assert str(caught.value).startswith('applications/a.yaml:3:13: unknown key "nam"')


def test_the_letter_of_the_page_is_sound() -> None:
    (page,) = re.findall(
        r"^## Letters$.*?(?=^## )", DOCS.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    (text,) = re.findall(r"^```yml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    letter = letters.read(parse(text, "docs.yaml")).letter
    told = re.findall(r"^\| `([a-z]+)` \|", page, re.MULTILINE)
    assert told == list(type(letter).model_fields)
    unset = {name for name in told if not getattr(letter, name)}
    assert unset == {"file"}


# ------------------------------------------------------------------------------------ the view


def view(letter: str, locale: str = "en", position: str | None = None) -> Letter:
    source = parse(f"name: Ada Example\nlocale: {locale}\n", "ada.yaml")
    profile, _ = localize.localize(validate(source), source)
    draft = Draft("a", read(letter).letter, Path(), DAY, position)
    return view_letters.build(select.select(profile, {}), draft)


def test_what_nobody_wrote_is_in_the_words_of_the_language() -> None:
    named, plain = "recipient: {name: Lin Beispiel}\nbody: a\n", "body: a\n"

    def said(letter: str, locale: str) -> list[str]:
        shown = view(letter, locale, position="Research Scientist")
        parts = (shown.title, shown.date, shown.subject, shown.opening, shown.closing)
        return [str(part) for part in (*parts, shown.label, shown.signature)]

    assert said(plain, "en") == [
        "Cover letter, Ada Example", "March 5, 2026", "Application for Research Scientist",
        "Dear Hiring Committee,", "Sincerely,", "Enclosures", "Signature of Ada Example",
    ]  # fmt: skip
    assert said(named, "de") == [
        "Anschreiben, Ada Example", "5. März 2026", "Bewerbung als Research Scientist",
        "Guten Tag Lin Beispiel,", "Mit freundlichen Grüßen", "Anlagen",
        "Unterschrift: Ada Example",
    ]  # fmt: skip
    assert said(plain, "de")[3] == "Sehr geehrte Damen und Herren,"
    # Words in English say so, the date is that of the language.
    croatian = view(plain, "hr")
    assert (str(croatian.opening), croatian.opening.language) == ("Dear Hiring Committee,", "en")
    assert (str(croatian.date), croatian.date.language) == ("5. ožujka 2026.", None)
    assert view(plain).subject is None


# ------------------------------------------------------------------------------------ templates
