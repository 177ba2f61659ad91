"""The text of a LaTeX source before it is parsed: comments, braces, backslashes."""

from __future__ import annotations

import re

#: Characters of an argument, or of a definition.
_LONGEST = 20_000
#: Stands for a per cent sign in an address, which begins no comment there.
PERCENT = "\ue000"
_ADDRESS = re.compile(r"\\(?:href|url|nolinkurl)\s*\{([^{}\n]*)\}")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_BLOCK = re.compile(r"\\(begin|end)\s*\{comment\}")


class UnclosedError(ValueError):
    """Braces that are not closed."""


def is_escaped(text: str, at: int) -> bool:
    """Return whether the backslash at a position belongs to another before it."""
    start = at
    while start and text[start - 1] == "\\":
        start -= 1
    return bool((at - start) % 2)


def group(text: str, at: int, end: int) -> tuple[str, int] | None:
    """Return what is between the braces that begin at a position, and the position after them.

    None if none begin there. Raises UnclosedError if they don't end, or late.
    """
    begin = re.compile(r"\s*\{").match(text, at, end)
    if not begin:
        return None
    depth = 0
    # One that isn't closed would be looked for to the end, each time.
    last = min(end, begin.end() + _LONGEST)
    for found in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, begin.end() - 1, last):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return text[begin.end() : found.start()], found.end()
    raise UnclosedError


def without_comments(text: str) -> str:
    """Return the text with blanks for comments, so that all else keeps its position."""

    def masked(found: re.Match[str]) -> str:
        return found[0].replace("\\%", "%").rjust(len(found[0])).replace("%", PERCENT)

    begin = None
    for found in list(_BLOCK.finditer(text)):
        if found[1] == "begin":
            begin = found.start() if begin is None else begin
        elif begin is not None:
            blank = re.sub(r"[^\n]", " ", text[begin : found.end()])
            text, begin = text[:begin] + blank + text[found.end() :], None
    text = _ADDRESS.sub(masked, text)
    # A line that ends in a comment goes on in the next one; an empty one would end the paragraph.
    text = _COMMENT.sub(lambda found: found[1] + "\x00" * (len(found[0]) - len(found[1])), text)
    text = re.sub(r"(?m)^[ \t]*\x00+\n", lambda found: " " * len(found[0]), text)
    stop = re.search(r"\\end\s*\{document\}", text)
    return text[: stop.end() if stop else len(text)].replace("\x00", " ")
