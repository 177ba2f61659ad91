"""Cover letters and the Markdown in them: read with their places, set, tagged and read again."""

from __future__ import annotations

import contextlib
import re
import textwrap
from pathlib import Path
from typing import Any

import deep
import glyphs
import papers
import pikepdf
import pytest
from lettered import ADA, DAY, EPOCH, HEBREW, NOA, SHORT, WHOLE, read, source_of
from msgspec.structs import replace
from papers import pages_of, text_of
from PIL import Image
from texlive import demand_embedded, demand_script_fonts, demand_texlive
from told import messages, same
from trees import check_accessible, elements

from cvbuild.building import pipeline
from cvbuild.building.pipeline import Outcome
from cvbuild.common.diagnostics import CvbuildError, FieldPath, ProfileError
from cvbuild.inputs import letters, validation
from cvbuild.inputs.letters import Draft
from cvbuild.inputs.person import localize
from cvbuild.inputs.yaml.source import parse
from cvbuild.model.letter import Block
from cvbuild.model.letter import parse as parse_body
from cvbuild.model.text import rich_text
from cvbuild.outputs.types import Shown, find_output
from cvbuild.selection import select
from cvbuild.view import builder as view_letters
from cvbuild.view.types import Letter


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("letters")
    Image.new("RGBA", (600, 200), (0, 0, 90, 255)).save(folder / "sig.png")
    return folder


def prepare(folder: Path, letter: str, person: str = ADA, **how: Any) -> Shown:
    given = {"epoch": EPOCH, "timeout": 600, **how}
    return pipeline.prepare(papers.prepare(person, folder=folder, letter=letter, **given))


def build(folder: Path, letter: str, person: str = ADA, **how: Any) -> Outcome:
    made = prepare(folder, letter, person, **how)
    outcome = pipeline.build(made)
    assert outcome.path is not None, outcome.diagnostics
    return outcome


def words(pdf: Path) -> str:
    return " ".join(text_of(pdf).split())


def figure(pdf: Path) -> tuple[str, list[float]]:
    with pikepdf.open(pdf) as opened:
        found = [one for one in opened.objects if isinstance(one, pikepdf.Dictionary)]
        (one,) = (one for one in found if one.get("/S") == "/Figure")
        return str(one.Alt), [float(side) for side in one.A.BBox]


def lowest(pdf: Path, text: str) -> tuple[float, float]:
    page = glyphs.read(pdf)
    found = []
    with contextlib.suppress(AssertionError):
        while True:
            first = glyphs.find(page, text)[0]
            found.append((first.left, first.base))
            page = page[page.index(first) + 1 :]
    return min(found, key=lambda place: place[1])


@pytest.fixture(scope="module")
def whole(folder: Path) -> Path:
    demand_texlive()
    outcome = build(folder, WHOLE, engine="pdflatex")
    assert outcome.diagnostics == outcome.notes == ()
    assert outcome.pages == 1
    assert outcome.path
    return outcome.path


def test_a_letter_says_all_in_its_order(whole: Path) -> None:
    assert whole.parts[-4:] == (".build", "applications", "academic", "letter.pdf")
    assert words(whole) == (
        "Ada Example Research engineer ada@example.org · +1 202 555 0123 "
        "Prof. Lin Example Director of Research Example Institute & Sons 12 Example Street "
        "Springfield, EX 01234 March 5, 2026 "
        "Research Scientist, reference #42 (100 % open) Dear Prof. Lin Example, "
        "I apply for the position on your page (example.org/jobs/42), "
        "“with joy”. I have "
        "• built a scheduler that halves the waiting time, • published on its theory. "
        "And: 3. care, 4. joy. I’d be glad to talk. Sincerely, Ada Example "
        "Enclosures: CV, Transcript"
    )
    with pikepdf.open(whole) as opened:
        assert str(opened.docinfo.Title) == "Cover letter, Ada Example"
        assert str(opened.docinfo.Subject) == "Research Scientist, reference #42 (100 % open)"
        assert str(opened.docinfo.CreationDate) == "D:20231114221320Z"
        assert len(opened.attachments) == 0
        links = [str(link.A.URI) for page in opened.pages for link in page.get("/Annots", [])]
    assert "https://example.org/jobs/42" in links
    # The head is the CV's, but for the photo.
    kept = whole.parent / "letter"
    assert (kept / "record.json").is_file()
    tex = (kept / "cv.tex").read_text("utf-8")
    assert "photo=" not in tex
    assert "Of the CV alone" not in tex


def test_a_letter_is_tagged(whole: Path) -> None:
    check_accessible(whole)
    found = [(one.type, text) for one, text in elements(whole)]
    assert [one for one in found if re.fullmatch(r"H\d", one[0])] == [
        ("H1", "Ada Example"),
        ("H2", "Research Scientist, reference #42 (100 % open)"),
    ]
    assert [text for tag, text in found if tag == "Lbl"] == ["•", "•", "3.", "4."]
    tags = [tag for tag, _ in found]
    after = tags[tags.index("H2") :]
    items = ["L", "LI", "Lbl", "LBody", "LI", "Lbl", "LBody"]
    assert after == ["H2", "P", "P", "Link", "P", *items, "P", *items, "P", "P", "Figure", "P", "P"]
    alt, box = figure(whole)
    assert alt == "Signature of Ada Example"
    left, bottom, right, top = box
    assert round(right - left) == round(16 * 3 / 25.4 * 72)
    assert round(top - bottom) == round(16 / 25.4 * 72)
    # Between the closing and the name below it, at their edge.
    (edge, closing), (_, name) = (lowest(whole, words) for words in ("Sincerely,", "Ada Example"))
    assert abs(left - edge) < 1
    assert name < bottom < top < closing


def test_a_german_letter_without_a_signature(folder: Path) -> None:
    demand_embedded()
    notes = prepare(folder, SHORT, style="one-page", locale="de").notes
    # Of the texts that have no German only the headline is in a letter.
    assert [one.message for one in notes if one.code == "untranslated"] == [
        "1 text has no German version and stays as it is"
    ]
    outcome = build(folder, SHORT, style="one-page", locale="de")
    assert outcome.path
    assert words(outcome.path) == (
        "Ada Example Research engineer ada@example.org · +1 202 555 0123 Beispiel AG 5. März 2026 "
        "Bewerbung als Designer Sehr geehrte Damen und Herren, Ich freue mich. "
        "Mit freundlichen Grüßen Ada Example"
    )
    with pikepdf.open(outcome.path) as opened:
        assert str(opened.docinfo.Title) == "Anschreiben, Ada Example"
    check_accessible(outcome.path)


@pytest.mark.deep
def test_a_letter_of_two_pages_says_so(folder: Path) -> None:
    demand_embedded()
    more = "".join(f"  Paragraph {n} {'goes on ' * 40}\n\n" for n in range(12))
    letter = f"recipient: {{name: Lin}}\nbody: |\n{more}  The end.\n"
    outcome = build(folder, letter, style="industry")
    assert [str(one) for one in outcome.diagnostics] == [
        (
            "applications/a.yaml:3:9: note: the letter takes 2 pages; "
            "one page is usual: make the text shorter"
        )
    ]
    assert outcome.path
    lines = [" ".join(line.split()) for line in pages_of(outcome.path)[1].splitlines()]
    assert {"Ada Example 2/2", "Ada Example", "2/2"} & set(lines)
    # Closing and name don't stand alone on a page.
    assert lines.index("The end.") < lines.index("Sincerely,")


@pytest.mark.usefixtures("requires_embedded")
def test_a_letter_from_right_to_left(folder: Path) -> None:
    demand_script_fonts()
    outcome = build(folder, HEBREW, NOA, style="industry", engine="embedded")
    assert outcome.diagnostics == ()
    assert outcome.path
    check_accessible(outcome.path)
    alt, (left, _, right, _) = figure(outcome.path)
    assert alt == "חתימה: נועה כהן"
    # At the right margin of an A4 page, which is 25 mm wide in letters.
    assert (round(right), round(right - left)) == (round((210 - 25) / 25.4 * 72), 136)
    (heading,) = (text for one, text in elements(outcome.path) if one.type == "H1")
    # The letters of each word are in ReversedChars, which the checker reads as they are.
    heading = " ".join(word[::-1] for word in heading.split())
    assert heading == "נועה כהן"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.png", 'there is no signature "none.png"'),
        ("../sig.png", 'the signature "../sig.png" lies outside the folder'),
        ("people/ada.yaml", '"people/ada.yaml" is not a PNG or JPEG picture'),
    ],
)
def test_a_signature_that_can_t_be_had(name: str, message: str, folder: Path) -> None:
    demand_embedded()
    with pytest.raises(CvbuildError) as caught:
        prepare(folder, f"signature: {name}\nbody: a\n")
    assert str(caught.value) == (
        f"applications/a.yaml:2:14: {message}; name a PNG or JPEG file in this file's folder"
    )


CLOSED = """\
name: Ada Example
locale: de
updated: 2026-01-31
closing: {place: {de: Wien, en: Vienna}, signature: sig.png}
sections:
  - {kind: experience, items: [{employer: Beispiel AG, date: 2020}]}
  - {kind: skill, items: [Python]}
variants:
  open: {template: academic, without: closing}
"""


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.parametrize("style", deep.but(["sidebar"], ["academic", "sidebar"]))
def test_a_cv_is_signed(style: str, tmp_path: Path) -> None:
    (tmp_path / "people").mkdir()
    Image.new("RGB", (600, 200), (0, 0, 90)).save(tmp_path / "people" / "sig.png")
    task = papers.prepare(CLOSED, style, folder=tmp_path, epoch=EPOCH, engine="embedded")
    outcome = pipeline.build(task)
    assert outcome.path, outcome.diagnostics
    check_accessible(outcome.path)
    assert figure(outcome.path)[0] == "Unterschrift: Ada Example"
    # At the end of the main column, which comes first.
    read = words(outcome.path).replace(" Kenntnisse Python", "")
    assert "Beispiel AG 2020 Wien, 31. Januar 2026 Ada Example" in read
    shown = pipeline.prepare(task)
    for name in ("txt", "md", "html", "docx"):
        output: Any = find_output(name)
        content = output.make(shown).content
        text = output.text_of(content) if name in ("html", "docx") else content.decode()
        assert re.search(r"Wien, 31. Januar 2026\s+(Unterschrift: Ada Example)?\s*Ada", text)
    open_task = replace(task, variant="open")
    assert "Wien" not in words(pipeline.build(open_task).path or Path())


DOCS = Path(__file__).parent.parent / "docs" / "reference" / "applications.md"


def wrong(letter: str) -> list[str]:
    with pytest.raises(ProfileError) as caught:
        read(letter)
    return [str(one).removeprefix("applications/a.yaml:") for one in caught.value.diagnostics]


def test_every_field_keeps_its_place() -> None:
    written = read(WHOLE)
    source = parse("name: Ada Example\n", "people/ada.yaml").grafted(letters.PATH, written.node)
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
        whole = parse("name: Ada", "ada.yaml").grafted(letters.PATH, written.node)
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
    assert letters.markdown(parse("letter: |\n  a\n\n  b\n", "a.yaml"), here) is None
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
    whole = parse("name: Ada", "ada.yaml").grafted(letters.PATH, written.node)
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
    profile, _ = localize.localize(validation.validate(source))
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
