"""The same input, template and engine give the same bytes: anywhere, any day."""

from __future__ import annotations

import re
import time
from pathlib import Path

import deep
import pikepdf
import pytest
from msgspec.structs import replace
from test_accessible import prepare
from texlive import engine_of

from cvbuild.building import pipeline
from cvbuild.outputs.pdf.output import as_pdf
from cvbuild.outputs.types import Shown

PERSON = """\
name: {given: Ada, family: Example}
headline: Research engineer
contact: {email: ada@example.org, website: https://ada.example.org}
interests: [Compilers, Schedules]
sections:
  - kind: experience
    items:
      - {employer: Example Company, title: Engineer, date: 2020 to present, bullets: [Made it.]}
  - kind: text
    items: A paragraph with a [link](https://example.org/link) in it.
"""
DAY = 86400
ZONES = ("Pacific/Kiritimati", "America/Anchorage")
CASES = [
    ("embedded", "direct"),
    ("pdflatex", "direct"),
    ("pdflatex", "latexmk"),
]


def prepared(folder: Path, engine: str, driver: str, cache: Path) -> Shown:
    """The person's one-page document below ``folder``, without a date of its own."""
    folder.mkdir(parents=True)
    path = folder / "ada-example.yaml"
    path.write_text(PERSON, encoding="utf-8")
    made = prepare(path, "academic", folder / "out", cache, engine)
    request = made.request._replace(epoch=None, driver=driver, today=20000 * DAY)
    return pipeline.prepare(made, request)


@pytest.mark.parametrize(("engine", "driver"), deep.but(CASES[:1], CASES, "-".join))
def test_two_folders_two_days_two_time_zones(
    engine: str,
    driver: str,
    tmp_path: Path,
    tex_cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine_of(engine)
    found: list[tuple[bytes, bytes]] = []
    for zone, name in zip(ZONES, ("one", "two/a folder with spaces"), strict=True):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        made = prepared(tmp_path / name, engine, driver, tex_cache)
        if found:
            # Another day: what is remembered of the first build keeps its date.
            made.record.parent.mkdir(parents=True)
            made.record.write_bytes(found[0][1])
            made = replace(made, request=made.request._replace(today=20001 * DAY))
        outcome = pipeline.build_shown(made)
        assert outcome.path is not None, outcome.diagnostics
        assert not outcome.cached
        found.append((outcome.path.read_bytes(), made.record.read_bytes()))
    monkeypatch.undo()
    time.tzset()
    assert len(found[0][0]) > 10_000
    assert found[0][0] == found[1][0]
    text = found[0][0]
    assert str(tmp_path).encode() not in text
    with pikepdf.open(tmp_path / "one/out/ada-example/academic.pdf") as pdf:
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
        made = prepared(tmp_path / str(number), "pdflatex", driver, cache)
        outcome = pipeline.build_shown(made)
        assert outcome.path is not None, outcome.diagnostics
        found.append(outcome.path.read_bytes())
        assert outcome.notes == ()
        log = (as_pdf(made).keep / "cv.log").read_text(errors="replace")
        assert "article.cls" not in log, "it was not made from a format"
        tex = (as_pdf(made).keep / "cv.tex").read_text()
        assert "\\documentclass{article}" in tex
    assert len(set(found)) == 1


@pytest.mark.parametrize("engine", ["pdflatex", "embedded"])
def test_a_format_changes_nothing_that_is_seen_or_read(
    engine: str, tmp_path: Path, tex_cache: Path
) -> None:
    engine_of(engine)
    pages = []
    for head in (True, False):
        made = prepared(tmp_path / str(head), engine, "direct", tex_cache)
        setter = replace(as_pdf(made), epoch=DAY, ident="0" * 64)
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
            tags = len([one for one in pdf.objects if "/S" in dict(_entries(one))])
            meta = pdf.Root.Metadata.read_bytes()
            pages.append((drawn, tags, sorted(pdf.Root.keys()), meta, str(pdf.docinfo)))
    assert len(pages[0][0]) > 1500
    assert pages[0][1] > 20
    assert pages[0] == pages[1]


def _entries(one: pikepdf.Object) -> list[tuple[str, object]]:
    return list(one.items()) if isinstance(one, pikepdf.Dictionary) else []
