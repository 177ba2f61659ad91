"""Where pages end: never between the lines of an entry's head, or between a head and its text."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
from conftest import Run

ENTRIES = range(80)


def profile() -> str:
    """Entries of one to three lines, some with bullets, so that pages end in many places."""
    rows = ["name: Ada Example", "sections:"]
    for number in ENTRIES:
        if number % 7 == 0:
            rows += ["  - kind: experience", f"    title: S{number}x", "    items:"]
        rows += [f"      - title: T{number}x", f"        employer: O{number}x"]
        rows += [f"        bullets: [B{number}x{', more' * (number % 3)}]"] * (number % 2)
    return "\n".join(rows) + "\n"


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.parametrize("template", ["academic", "industry"])
def test_heads_stay_with_what_they_head(
    template: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Run,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    Path("people/ada.yaml").write_text(profile(), encoding="utf-8")
    assert run("build", "--driver", "direct", "-t", template).code == 0
    with pypdfium2.PdfDocument(f"out/ada/{template}.pdf") as opened:
        pages = [page.get_textpage().get_text_range() for page in opened]
    assert len(pages) >= 4

    def page_of(word: str) -> int:
        return next(number for number, page in enumerate(pages) if word in page.split())

    for number in ENTRIES:
        assert page_of(f"T{number}x") == page_of(f"O{number}x")
        if number % 7 == 0:
            assert page_of(f"S{number}x") == page_of(f"T{number}x")
