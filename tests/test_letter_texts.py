"""What a letter's text and its application say is read, each fault with its place; no TeX."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from lettered import DAY, WHOLE, read, source_of
from told import messages, same

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import ProfileError
from cvbuild.inputs import letters, localize, validation
from cvbuild.inputs.letters import Draft
from cvbuild.inputs.yaml.source import parse
from cvbuild.model import rich_text
from cvbuild.model.letter import Block
from cvbuild.model.letter import parse as parse_body
from cvbuild.selection import select
from cvbuild.view import builder as view_letters
from cvbuild.view.types import Letter

DOCS = Path(__file__).parent.parent / "docs" / "reference" / "applications.md"


def wrong(letter: str) -> list[str]:
    with pytest.raises(ProfileError) as caught:
        read(letter)
    return [str(one).removeprefix("applications/a.yaml:") for one in caught.value.diagnostics]


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
    (here / "cover.md").write_text("\ufeffDear me,\r\n\r\n- a\r\n- b\r\n", "utf-8")
    for text in ("letter: cover.md\n", "letter: {file: cover.md, closing: Bye}\n"):
        source = parse(text, "a.yaml")
        found = letters.markdown(source, here)
        assert found is not None
        assert found.path == here / "cover.md"
        written = letters.read(source, markdown=found)
        whole = written.into(parse("name: Ada", "ada.yaml"))
        assert str(whole.span(("letter", "body", 1, 1))) == "cover.md:4:3"
        assert str(whole.span(("letter", "file"))).startswith("a.yaml:1:")
    (here / "cover.md").write_text("one\n\n# two\n\nthree <b>\n", "utf-8")
    with pytest.raises(ProfileError) as caught:
        letters.read(source, markdown=letters.markdown(source, here))
    assert [str(one) for one in caught.value.diagnostics] == [
        "cover.md:3:1: a letter has no headings; write a paragraph, perhaps in **bold**",
        "cover.md:5:1: a letter has no HTML; write Markdown, or a \\ before the <",
    ]
    assert letters.markdown(parse("letter: {body: a}", "a.yaml"), here) is None
    assert letters.markdown(parse("person: a", "a.yaml"), here) is None


@pytest.mark.parametrize(("letter", "told"), messages("bad/letter-keys.txt"))
def test_what_is_wrong_with_a_letter(letter: str, told: list[str]) -> None:
    assert wrong(letter) == told


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


def view(letter: str, locale: str = "en", position: str | None = None) -> Letter:
    source = parse(f"name: Ada Example\nlocale: {locale}\n", "ada.yaml")
    profile, _ = localize.localize(validation.validate(source), source)
    draft = Draft("a", read(letter).letter, Path(), DAY, position)
    return view_letters.letter(select.select(profile, {}), draft)


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


def blocks(text: str) -> tuple[Block, ...]:
    found, faults = parse_body(textwrap.dedent(text))
    assert faults == ()
    return found


def faults(text: str) -> list[str]:
    """Each as "line:column message; hint"."""
    _, found = parse_body(textwrap.dedent(text))
    return [f"{one.place[0]}:{one.place[1]} {one.message}; {one.hint}" for one in found]


def test_paragraphs_and_lists() -> None:
    found = blocks("""\
        Hello **you**
        there.

        - one [page](https://example.org)
        * two

        - three
          goes on

        3) x
        4) y
        """)
    shown = [(one.kind, one.start, [str(text) for text in one.texts]) for one in found]
    assert shown == [
        ("paragraph", 1, ["Hello you there."]),
        ("bullets", 1, ["one page"]),
        ("bullets", 1, ["two"]),
        ("bullets", 1, ["three goes on"]),
        ("numbers", 3, ["x", "y"]),
    ]
    assert [one.place for one in found][:2] == [(1, 1, 2, 7), (4, 1, 4, 34)]
    assert found[1].places == ((4, 3, 4, 34),)
    assert found[4].places == ((10, 4, 10, 5), (11, 4, 11, 5))
    assert [link.url for link in rich_text.links(found[1].texts[0].nodes)] == [
        "https://example.org"
    ]


@pytest.mark.parametrize("end", ["  ", "\\", "    "])
def test_a_line_may_end_where_the_writer_wants(end: str) -> None:
    (found,) = blocks(f"One{end}\ntwo\nthree")
    assert found.texts[0].nodes == (
        rich_text.Text("One"),
        rich_text.Break(),
        rich_text.Text("two three"),
    )


@pytest.mark.parametrize("breaks", ["\n", "\r\n", "\r"])
def test_lines_end_as_editors_end_them(breaks: str) -> None:
    found, wrong = parse_body(f"One{breaks}two{breaks}{breaks}three{breaks}# four{breaks}")
    assert [str(one.texts[0]) for one in found] == ["One two", "three"]
    assert [one.place for one in wrong] == [(5, 1, 5, 7)]


#: What an editor of the file would change or hide, or that file reads as its own.
ODD = [
    ("", ["1:1 the letter has no text; …"]),
    ("\n \n", ["1:1 the letter has no text; …"]),
    ("Text\n\nabove\n---\n", ["4:1 this line makes a heading of the text above it; …"]),
    ("a\n\nb \x07", ["3:1 U+0007 can't be printed; delete the character"]),
    ("a" * 50_001, ["1:1 the letter has more than 50,000 characters; …"]),
]


@pytest.mark.parametrize(("text", "told"), [*ODD, *messages("bad/letter-body.txt")])
def test_what_is_no_part_of_a_letter_is_told_with_its_place(text: str, told: list[str]) -> None:
    assert same(faults(text), told)


def test_what_looks_like_html_or_a_link_may_be_meant() -> None:
    (found,) = blocks(r"1 < 2, \<b>, a <https://example.org>, `<b>`, \# and AT&T")
    assert str(found.texts[0]) == "1 < 2, <b>, a https://example.org, <b>, # and AT&T"


def test_deep_and_long_texts_end() -> None:
    for text in ("> " * 2000 + "a", "- " * 2000 + "a", "[" * 2000, "*a" * 2000, "a\n" * 2000):
        found, wrong = parse_body(text)
        assert found or wrong
