"""Templates in the pages of a site: what a loop would show isn't in the page."""

from __future__ import annotations

import re

_LOOP = re.compile(r"\{%-?\s*(end)?(?:for|comment|capture|highlight)\b[^{}%]{0,300}-?%\}")
_CODE = re.compile(r"\{%[^{}]{0,300}%\}|\{\{[^{}]{0,300}\}\}|\{:[^{}]{0,300}\}")


def without_loops(text: str) -> tuple[str, list[tuple[str, int]]]:
    """Return a text without loops, comments and what is in them, and each of these with its line.

    The text keeps its number of lines. A loop without an end stays.
    """
    kept: list[str] = []
    gone: list[tuple[str, int]] = []
    depth, at, start = 0, 0, 0
    for found in _LOOP.finditer(text):
        depth = max(0, depth - 1) if found[1] else depth + 1
        if depth == 1 and not found[1]:
            start = found.start()
        elif depth == 0 and found[1] and start >= at:
            kept += [text[at:start], "\n" * text.count("\n", start, found.end())]
            gone.append((text[start : found.end()], text.count("\n", 0, start) + 1))
            at = found.end()
    return "".join([*kept, text[at:]]), gone


def without_code(text: str) -> str:
    """Return a text without tags and outputs; a line that has no words but for them is empty."""
    lines = []
    for line in text.split("\n"):
        rest = _CODE.sub("", line)
        lines.append(rest if rest == line or re.search(r"\w", rest) else "")
    return "\n".join(lines)
