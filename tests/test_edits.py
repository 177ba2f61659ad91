"""A build after an edit runs TeX once, and gives what one from nothing gives."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import deep
import papers
import pikepdf
import pytest
from conftest import Run
from msgspec.structs import replace
from texlive import engine_of

from cvbuild.building import pipeline
from cvbuild.common import processes
from cvbuild.outputs.pdf.output import as_pdf
from cvbuild.outputs.pdf.tex import Tex
from cvbuild.outputs.types import Shown

DAY = 1_700_006_400
LONG = "of a list that goes over pages, " * 12
#: Of three pages, also after an edit; a last page that is nearly empty would take more runs.
BULLETS = [f"Point {number} {LONG}to its end." for number in range(23)]


def written(bullets: list[str], **more: str) -> str:
    head = "".join(f"{key}: {value}\n" for key, value in {"name": "Ada Example", **more}.items())
    items = "".join(f"      - {text}\n" for text in bullets)
    return f"{head}sections:\n  - kind: bullets\n    items:\n{items}"


def build(text: str, engine: str, template: str = "academic", **how: Any) -> Path:
    outcome = papers.build(text, template, engine=engine, driver="auto", epoch=DAY, **how)
    assert not outcome.cached
    return papers.made(outcome)


class Passes(list[int]):
    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        super().__init__()
        plain = Tex.run

        def counted(tex: Tex) -> Tex:
            result = plain(tex)
            self.append(result.passes)
            return result

        patch.setattr(Tex, "run", counted)


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Passes:
    return Passes(monkeypatch)


EDITED = ["Another " + BULLETS[0][6:], *BULLETS[1:]]
#: (what is edited, bullets, further keys)
EDITS: list[tuple[str, list[str], dict[str, str]]] = [
    ("a bullet edited", EDITED, {}),
    ("a bullet added", ["A new one.", *BULLETS], {}),
    ("an item removed", BULLETS[1:], {}),
    ("fewer pages", BULLETS[:9], {}),
    ("more pages again", BULLETS, {}),
    ("options", BULLETS, {"options": "{paper: letter, margin: 30}"}),
    ("title", BULLETS, {"headline": "Engineer"}),
]
#: How many of them are made one after another; the rest is deep.
FEW = 2


@pytest.mark.parametrize(
    ("kind", "edits"),
    deep.but([("embedded", FEW)], [("embedded", FEW), ("embedded", len(EDITS)), ("pdflatex", FEW)]),
)
@pytest.mark.usefixtures("here")
def test_each_edit_gives_the_bytes_of_a_build_from_nothing(
    kind: str, edits: int, passes: Passes
) -> None:
    engine_of(kind)
    build(written(BULLETS), kind)
    for name, bullets, more in EDITS[:edits]:
        text = written(bullets, **more)
        passes.clear()
        edited = build(text, kind)
        # Twice, where the last page would be nearly empty.
        assert passes in ([1], [1, 1]), name
        assert len(papers.pages_of(edited)) in ((2, 3) if len(bullets) > 20 else (1,)), name
        content = edited.read_bytes()
        assert build(text, kind, force=True).read_bytes() == content, name


@pytest.mark.deep
@pytest.mark.usefixtures("here")
def test_one_page_is_measured_and_then_typeset_once(passes: Passes) -> None:
    engine_of("embedded")
    build(written(BULLETS), "embedded", "one-page")
    passes.clear()
    content = build(written(EDITED), "embedded", "one-page").read_bytes()
    assert passes == [1]
    again = build(written(EDITED), "embedded", "one-page", force=True)
    assert again.read_bytes() == content


@pytest.mark.usefixtures("here")
def test_a_file_that_is_wrong_leaves_nobody_waiting(run: Run) -> None:
    engine_of("embedded")
    file = Path("people/ada.yaml")
    file.parent.mkdir()
    file.write_text(written(BULLETS[:2]), "utf-8")
    assert run("build", "--engine", "embedded").code == 0
    file.write_text(written(BULLETS[:2], wrong="yes"), "utf-8")
    assert run("build", "--engine", "embedded").code == 1
    assert list(Path("out/.build/tmp").iterdir()) == []
    assert not processes._running


PERSON = """\
name: {given: Ada, family: Example}
headline: Research engineer
contact: {email: ada@example.org, website: https://ada.example.org}
interests: [Compilers, Schedules]
sections:
  - {kind: experience, items: [{employer: Example Company, title: Engineer, bullets: [Made it.]}]}
  - {kind: text, items: "A paragraph with a [link](https://example.org/link) in it."}
"""
DAYS = 86400
ZONES = ("Pacific/Kiritimati", "America/Anchorage")
CASES = [("embedded", "direct"), ("pdflatex", "direct"), ("pdflatex", "latexmk")]


def prepared(folder: Path, engine: str, driver: str = "direct", **how: Any) -> Shown:
    how = {"folder": folder, "engine": engine, "driver": driver, **how}
    return papers.document(PERSON, epoch=None, today=20000 * DAYS, **how)


@pytest.mark.parametrize(("engine", "driver"), deep.but(CASES[:1], CASES, "-".join))
def test_two_folders_two_days_two_time_zones(
    engine: str, driver: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine_of(engine)
    found: list[tuple[bytes, bytes]] = []
    for zone, name in zip(ZONES, ("one", "two/a folder with spaces"), strict=True):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        made = prepared(tmp_path / name, engine, driver)
        if found:
            # Another day: what is remembered of the first build keeps its date.
            made.record.parent.mkdir(parents=True)
            made.record.write_bytes(found[0][1])
            made = replace(made, request=made.request._replace(today=20001 * DAYS))
        outcome = pipeline.build_shown(made)
        assert not outcome.cached
        found.append((papers.made(outcome).read_bytes(), made.record.read_bytes()))
    monkeypatch.undo()
    time.tzset()
    assert len(found[0][0]) > 10_000
    assert found[0][0] == found[1][0]
    text = found[0][0]
    assert str(tmp_path).encode() not in text
    with pikepdf.open(tmp_path / "one/out/ada/academic.pdf") as pdf:
        assert "/StructTreeRoot" in pdf.Root
        assert re.match(r"D:20241004000000(Z|\+00'00')", str(pdf.docinfo.CreationDate))
        assert str(pdf.docinfo.ModDate) == str(pdf.docinfo.CreationDate)


def test_any_driver_with_or_without_a_cache(tmp_path: Path, tex_cache: Path) -> None:
    """All start from the same dump of the head, whether it was there or not, kept or not."""
    engine_of("pdflatex")
    blocked, empty = tmp_path / "blocked", tmp_path / "empty"
    blocked.mkdir()
    (blocked / "formats").write_text("no folder")
    ways = [("latexmk", tex_cache), ("direct", tex_cache), ("auto", empty), ("direct", blocked)]
    found = []
    for number, (driver, cache) in enumerate(ways):
        made = prepared(tmp_path / str(number), "pdflatex", driver, cache=cache)
        outcome = pipeline.build_shown(made)
        found.append(papers.made(outcome).read_bytes())
        assert outcome.notes == ()
        log = (as_pdf(made).keep / "cv.log").read_text(errors="replace")
        assert "article.cls" not in log, "it was not made from a format"
        tex = (as_pdf(made).keep / "cv.tex").read_text()
        assert "\\documentclass{article}" in tex
    assert len(set(found)) == 1


@pytest.mark.parametrize("engine", ["pdflatex", "embedded"])
def test_a_format_changes_nothing_that_is_seen_or_read(engine: str, tmp_path: Path) -> None:
    engine_of(engine)
    pages = []
    for head in (True, False):
        made = prepared(tmp_path / str(head), engine)
        setter = replace(as_pdf(made), epoch=DAYS, ident="0" * 64)
        rendered = setter.render(made.selected, {})
        if not head:
            rendered = replace(rendered, head=0)
        path = setter.compile(rendered).content
        log = (as_pdf(made).keep / "cv.log").read_text(errors="replace")
        assert ("article.cls" in log) is not head
        with pikepdf.open(path) as pdf:
            content = b"\n".join(page.Contents.read_bytes() for page in pdf.pages)
            # Fonts are numbered by when they are loaded.
            drawn = re.sub(rb"/F\d+ ", b"/F ", content)
            dictionaries = [one for one in pdf.objects if isinstance(one, pikepdf.Dictionary)]
            tags = sum("/S" in one for one in dictionaries)
            meta = pdf.Root.Metadata.read_bytes()
            pages.append((drawn, tags, sorted(pdf.Root.keys()), meta, str(pdf.docinfo)))
    assert len(pages[0][0]) > 1500
    assert pages[0][1] > 20
    assert pages[0] == pages[1]
