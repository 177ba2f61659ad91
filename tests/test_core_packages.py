"""The packages that cvb-core consists of."""

from __future__ import annotations

from pathlib import Path

import deep
import pytest
from papers import build, made

from cvbuild.outputs.styles.templates import Library

COUNTED = r"""
\ProvidesExplPackage {cvb-counted} {2026-01-01} {1} {Counted}
\RequirePackageWithOptions {cvb-STYLE}
\AddToHook {begindocument/end} { \tex_tracingmacros:D = 1 \scan_stop: }
"""


def expansions(folder: Path, style: str, entries: int) -> int:
    """How many macros TeX expands to set that many entries, each with two bullets."""
    template = folder / "templates" / "counted"
    template.mkdir(parents=True, exist_ok=True)
    (template / "template.yaml").write_text(
        f"api: 1\ntitle: Counted\ndescription: Counts.\nextends: {style}\n"
        "tex: {style: cvb-counted}\n"
    )
    (template / "cvb-counted.sty").write_text(COUNTED.replace("STYLE", style))
    items = [
        f"      - {{title: Title {number}, employer: Employer, date: 2001,"
        " bullets: [A text of some words, Another text of some words]}"
        for number in range(entries)
    ]
    text = "\n".join(
        ["name: Ada Example", "sections:", "  - kind: experience", "    items:", *items]
    )
    made(build(text, "counted", folder=folder, library=Library.at(folder / "templates")))
    return (folder / "out/.build/ada/counted/cv.log").read_bytes().count(b"->")


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.parametrize("style", deep.but(["academic"], ["academic", "margin", "industry"]))
def test_a_block_costs_few_expansions(style: str, tmp_path: Path) -> None:
    # Macros are all of TeX's time. When each block searched a list of its keys, one cost 3,200 to
    # 4,300, now 900 in academic.
    few, many = (expansions(tmp_path, style, entries) for entries in (10, 30))
    assert few < many < few + 20 * 3 * 1500
