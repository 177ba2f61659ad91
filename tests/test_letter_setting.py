"""Cover letters as documents: set, tagged and read again."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import deep
import glyphs
import outloud
import pikepdf
import pypdfium2
import pytest
from lettered import ADA, DAY, EPOCH, HEBREW, NOA, SHORT, WHOLE, read
from outloud.model import Document as Tagged
from outloud.rules._common import element_text
from papers import text_of
from pdfua.validator import validate
from PIL import Image
from texlive import demand_embedded, demand_script_fonts, demand_texlive, engine_of

from cvbuild.building import pipeline, plan
from cvbuild.building.check import profiles
from cvbuild.building.outcome import Outcome
from cvbuild.building.plan import Document
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import people
from cvbuild.inputs.letters import Draft
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, Task

Make = Callable[..., Document]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two people, a photo and a signature."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "ada.yaml").write_text(ADA, encoding="utf-8")
    (folder / "noa.yaml").write_text(NOA, encoding="utf-8")
    Image.new("RGB", (30, 40), (200, 120, 90)).save(folder / "photo.png")
    Image.new("RGBA", (600, 200), (0, 0, 90, 255)).save(folder / "sig.png")
    return folder


@pytest.fixture(scope="module")
def make(files: Path, tmp_path_factory: pytest.TempPathFactory, tex_cache: Path) -> Make:
    """``make(letter, person, template, engine, ...)``: a document, before TeX runs."""
    out = tmp_path_factory.mktemp("out")

    def made(  # noqa: PLR0913, PLR0917
        letter: str,
        person: str = "ada",
        template: str = "academic",
        engine: str = "pdflatex",
        locale: str | None = None,
        force: bool = False,
    ) -> Document:
        checked = profiles.check(people.Person(person, files / f"{person}.yaml"), Library.at())
        assert checked.profile is not None, checked.diagnostics
        assert checked.source is not None
        written = read(letter)
        task = Task(
            checked.person,
            checked.profile,
            written.into(checked.source),
            template,
            draft=Draft(f"{template}-{engine}", written.letter, files, DAY, "Research Scientist"),
        )
        settings = Settings(
            out, Library.at(), 0, EPOCH, engine=engine, timeout=600, cache=tex_cache,
            locale=locale, force=force,
        )  # fmt: skip
        return plan.prepare(task, settings)

    return made


def build(made: Document) -> Outcome:
    outcome = pipeline.build(made.task, made.settings)
    assert outcome.path is not None, outcome.diagnostics
    return outcome


def words(pdf: Path) -> str:
    return " ".join(text_of(pdf).split())


def elements(pdf: Path) -> list[tuple[str, str]]:
    """(tag, text) of the elements of a tagged PDF, in the order of its structure."""
    tagged = Tagged(str(pdf))
    try:
        return [(one.type, " ".join(element_text(tagged, one).split())) for one in tagged.elements]
    finally:
        tagged.close()


def check(pdf: Path) -> None:
    result = outloud.check(str(pdf))
    assert result.error is None
    assert result.stats["tagged"]
    assert result.findings == []
    report = validate(str(pdf))
    assert report.findings == ()
    assert len(report.outcomes) >= 10


def figure(pdf: Path) -> tuple[str, list[float]]:
    """The only picture's alternative text, and its box on the page in bp."""
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
def whole(make: Make) -> Path:
    """A letter with all there is, set by pdfLaTeX."""
    demand_texlive()
    outcome = build(make(WHOLE))
    assert outcome.diagnostics == outcome.notes == ()
    assert outcome.pages == 1
    assert outcome.path
    return outcome.path


def test_a_letter_says_all_in_its_order(whole: Path) -> None:
    assert whole.parts[-4:] == (".build", "applications", "academic-pdflatex", "letter.pdf")
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
    tex = (kept / "cv.tex").read_text(encoding="utf-8")
    assert "photo=" not in tex
    assert "Of the CV alone" not in tex


def test_a_letter_is_tagged(whole: Path) -> None:
    check(whole)
    found = elements(whole)
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
    assert (round(left), round(right - left)) == (91, round(16 * 3 / 25.4 * 72))
    assert round(top - bottom) == round(16 / 25.4 * 72)
    # Between the closing and the name below it.
    (_, closing), (_, name) = (lowest(whole, words) for words in ("Sincerely,", "Ada Example"))
    assert name < bottom < top < closing


def test_the_same_letter_has_the_same_bytes(whole: Path, make: Make) -> None:
    before = whole.read_bytes()
    assert build(make(WHOLE)).cached
    other = build(make(WHOLE.replace("glad", "happy")))
    assert not other.cached
    assert "I’d be happy to talk." in words(whole)
    assert not build(make(WHOLE)).cached
    assert whole.read_bytes() == before
    assert not build(make(WHOLE, force=True)).cached
    assert whole.read_bytes() == before


def test_a_letter_is_what_its_inputs_say(make: Make, files: Path) -> None:
    demand_embedded()
    first = make(WHOLE, engine="embedded")
    parts = first.parts()
    assert parts["updated"] == "2026-03-05"
    assert "field letter.body" in first.details()
    assert any(name.startswith("file letter/") for name in parts)

    def changed(other: Document) -> set[str]:
        found = other.parts()
        return {name for name in parts.keys() | found.keys() if parts.get(name) != found.get(name)}

    assert changed(make(WHOLE, engine="embedded")) == set()
    assert changed(make(WHOLE.replace("glad", "happy"), engine="embedded")) == {"text"}
    kept = (files / "sig.png").read_bytes()
    Image.new("RGB", (60, 20), "red").save(files / "sig.png")
    try:
        assert changed(make(WHOLE, engine="embedded")) == {"signature"}
    finally:
        (files / "sig.png").write_bytes(kept)
    late = make(WHOLE.replace("subject:", "date: 2026-04-01\nsubject:"), engine="embedded")
    assert changed(late) == {"text", "updated"}
    settings = replace(late.settings, epoch=None)
    assert replace(late, settings=settings).date(None) == 1775001600  # 2026-04-01
    assert late.task.day is not None


def test_a_german_letter_without_a_signature(make: Make) -> None:
    demand_embedded()
    made = make(SHORT, template="one-page", engine="embedded", locale="de")
    # Of the texts that have no German only the headline is in a letter.
    assert [one.message for one in made.notes if one.code == "untranslated"] == [
        "1 text has no German version and stays as it is"
    ]
    outcome = build(made)
    assert outcome.path
    assert words(outcome.path) == (
        "Ada Example Research engineer ada@example.org · +1 202 555 0123 Beispiel AG 5. März 2026 "
        "Bewerbung als Research Scientist Sehr geehrte Damen und Herren, Ich freue mich. "
        "Mit freundlichen Grüßen Ada Example"
    )
    with pikepdf.open(outcome.path) as opened:
        assert str(opened.docinfo.Title) == "Anschreiben, Ada Example"
    check(outcome.path)


def test_a_letter_of_two_pages_says_so(make: Make) -> None:
    demand_embedded()
    more = "".join(f"  Paragraph {n} {'goes on ' * 40}\n\n" for n in range(12))
    letter = f"recipient: {{name: Lin}}\nbody: |\n{more}  The end.\n"
    outcome = build(make(letter, template="industry", engine="embedded"))
    assert [str(one) for one in outcome.diagnostics] == [
        (
            "applications/a.yaml:3:9: note: the letter takes 2 pages; "
            "one page is usual: make the text shorter"
        )
    ]
    assert outcome.path
    with pypdfium2.PdfDocument(outcome.path) as opened:
        last = opened[1].get_textpage().get_text_bounded()
    lines = [" ".join(line.split()) for line in last.splitlines()]
    assert {"Ada Example 2/2", "Ada Example", "2/2"} & set(lines)
    # Closing and name don't stand alone on a page.
    assert lines.index("The end.") < lines.index("Sincerely,")


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["embedded", "lualatex"]))
def test_a_letter_from_right_to_left(make: Make, engine: str) -> None:
    demand_script_fonts()
    engine_of(engine)
    outcome = build(make(HEBREW, person="noa", template="industry", engine=engine))
    assert outcome.diagnostics == ()
    assert outcome.path
    check(outcome.path)
    alt, (left, _, right, _) = figure(outcome.path)
    assert alt == "חתימה: נועה כהן"
    # At the right margin of an A4 page, which is 31 mm wide in this style.
    assert (round(right), round(right - left)) == (round((210 - 31) / 25.4 * 72), 136)
    (heading,) = (text for tag, text in elements(outcome.path) if tag == "H1")
    if engine == "embedded":
        # The letters of each word are in ReversedChars, which the checker reads as they are.
        heading = " ".join(word[::-1] for word in heading.split())
    assert heading == "נועה כהן"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("none.png", 'there is no signature "none.png"'),
        ("../sig.png", 'the signature "../sig.png" lies outside the folder'),
        ("ada.yaml", '"ada.yaml" is not a PNG or JPEG picture'),
    ],
)
def test_a_signature_that_can_t_be_had(name: str, message: str, make: Make) -> None:
    demand_embedded()
    with pytest.raises(CvbuildError) as caught:
        make(f"signature: {name}\nbody: a\n", engine="embedded")
    assert str(caught.value) == (
        f"applications/a.yaml:2:14: {message}; name a PNG or JPEG file in this file's folder"
    )
