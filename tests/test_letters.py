"""Cover letters and the Markdown in them: read with their places, set, tagged and read again."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import deep
import glyphs
import papers
import pikepdf
import pytest
from lettered import ADA, EPOCH, HEBREW, NOA, SHORT, WHOLE
from msgspec.structs import replace
from papers import pages_of, text_of
from PIL import Image
from texlive import demand_embedded, demand_script_fonts, demand_texlive
from trees import check_accessible, elements

from cvbuild.building import pipeline
from cvbuild.building.outcome import Outcome
from cvbuild.common.errors import CvbuildError
from cvbuild.outputs.types import Shown, find_output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("letters")
    Image.new("RGBA", (600, 200), (0, 0, 90, 255)).save(folder / "sig.png")
    return folder


def prepare(folder: Path, letter: str, person: str = ADA, **how: Any) -> Shown:
    given = {"epoch": EPOCH, "timeout": 600, **how}
    return pipeline.prepare(*papers.prepare(person, folder=folder, letter=letter, **given))


def build(folder: Path, letter: str, person: str = ADA, **how: Any) -> Outcome:
    made = prepare(folder, letter, person, **how)
    outcome = pipeline.build(made, made.request)
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
    """Where the words begin on the first page, at the lowest place that has them; in bp."""
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
    task, request = papers.prepare(CLOSED, style, folder=tmp_path, epoch=EPOCH, engine="embedded")
    outcome = pipeline.build(task, request)
    assert outcome.path, outcome.diagnostics
    check_accessible(outcome.path)
    assert figure(outcome.path)[0] == "Unterschrift: Ada Example"
    # At the end of the main column, which comes first.
    read = words(outcome.path).replace(" Kenntnisse Python", "")
    assert "Beispiel AG 2020 Wien, 31. Januar 2026 Ada Example" in read
    shown = pipeline.prepare(task, request)
    for name in ("txt", "md", "html", "docx"):
        output: Any = find_output(name)
        content = output.make(shown).content
        text = output.text_of(content) if name in ("html", "docx") else content.decode()
        assert re.search(r"Wien, 31. Januar 2026\s+(Unterschrift: Ada Example)?\s*Ada", text)
    open_task = replace(task, variant="open")
    assert "Wien" not in words(pipeline.build(open_task, request).path or Path())
