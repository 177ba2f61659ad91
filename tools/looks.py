"""Measure the pages of eleven CVs in every style: ``make looks`` writes docs/measurements/looks.md.

The CVs are tests/shapes/*.yaml, which tests/test_shapes.py builds too; the figures are those of
every build.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import cvbuild
from cvbuild.building.outcome import Outcome
from cvbuild.outputs.styles.templates import Library
from tools import page_gate
from tools.generated import filled, table

ROOT = Path(__file__).resolve().parent.parent
SHAPES = tuple(sorted((ROOT / "tests" / "shapes").glob("*.yaml")))
PAGE = ROOT / "docs" / "measurements" / "looks.md"
#: What verify finds on a page that isn't well set, by the code of the diagnostic.
FINDINGS = (
    "verify-box", "verify-overlap", "verify-stub", "overfull-hbox", "overfull-vbox",
)  # fmt: skip

_HEAD = (
    "style", "pages", "longest line", "long lines", "fill of the last page", "set anew", "stray",
    "findings",
)  # fmt: skip


def build(shapes: Sequence[Path], style: str, out: Path) -> list[Outcome]:
    """Build CVs in a style with the embedded TeX; the outcome of each, in order."""
    return cvbuild.build(
        shapes, templates=[style], engine="embedded", out=out, epoch=page_gate.EPOCH
    )


def findings(outcome: Outcome) -> list[str]:
    """Return what is wrong with a document: everything, if it couldn't be built."""
    wrong = [one for one in outcome.diagnostics if one.code in FINDINGS or not outcome.path]
    return [f"{outcome.person} in {outcome.name}: {one}" for one in wrong]


def row(style: str, outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """Return the figures of the documents of a style as a row of the table."""
    every = [*outcomes]
    built = [(one, one.verified) for one in every if one.verified]
    figures = [verified for _, verified in built]
    judged = [page_gate.judge(one.path) for one, _ in built if one.path]
    sys.stderr.writelines(f"{style}: {fault}\n" for fault in page_gate.faults(judged))
    stray = sum(fault.kind == "stray" for one in judged for fault in one.faults)
    counts = [one.pages or 0 for one, _ in built]
    fills = [v["last_page_fill"] for one, v in built if (one.pages or 0) > 1]
    return (
        style,
        f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}",
        str(max(v["line_longest"] for v in figures)),
        str(sum(v["lines_long"] for v in figures)),
        f"{100 * min(fills):.0f} %" if fills else "–",
        f"{sum(v.get('paging_step', 0) > 0 for v in figures)} of {len(every)}",
        f"{stray} of {sum(one.paragraphs for one in judged)}",
        str(sum(len(findings(one)) for one in every)),
    )


def main() -> None:
    """Build everything, print what was found, write the page."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for style in Library.at().names():
            outcomes = build(SHAPES, style, Path(folder))
            for outcome in outcomes:
                sys.stderr.writelines(f"{line}\n" for line in findings(outcome))
            rows.append(row(style, outcomes))
            sys.stderr.write(f"{' | '.join(rows[-1])}\n")
    text = table(_HEAD, rows, ("---", *["---:"] * (len(_HEAD) - 1)))
    PAGE.write_text(filled(PAGE, looks=text), encoding="utf-8")


if __name__ == "__main__":
    main()
