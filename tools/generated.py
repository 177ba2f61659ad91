"""The parts of a page that are made, between ``<!-- name -->`` and ``<!-- end of name -->``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path


def filled(page: Path, **parts: str) -> str:
    """Return a page with new parts by name; raises ValueError for no such place in it, or two."""
    text = page.read_text(encoding="utf-8")
    for name, part in parts.items():
        place = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- end of {name} -->)", re.DOTALL)
        if len(place.findall(text)) != 1:
            raise ValueError(f"{page.name} has no place for {name}, or two")
        new = f"\n{part.strip()}\n\n"
        text = place.sub(lambda _, new=new: new, text)  # type: ignore[misc]
    return text


def table(head: Sequence[str], rows: Iterable[Sequence[str]], align: Sequence[str] = ()) -> str:
    """Return a table of Markdown; ``align`` has a column's line below its head, if not ``---``."""
    lines = [head, align or ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines).replace("|  |", "| |")
