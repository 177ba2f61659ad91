"""Whether TeX is only escaped text, and what stands where a harmless word stood."""

from __future__ import annotations

import re

#: What the escaper writes: whole words of it, besides characters that mean nothing to TeX.
WORD = re.compile(
    r"\\text(?:backslash|asciicircum|asciitilde|less|greater|bar|quotedbl|quotesingle|asciigrave)\{\}"
    r"|\\[{}#$%&_~-]|~|\{\}|\\Cvb(?:AllowBreak|Inter|End|Rtl|Ltr|Break)\{\}"
)
#: Commands of Markdown: how many arguments each has.
_MARKUP = re.compile(
    r"\\Cvb(Strong|Emph|Code|Sup|Sub|Mark|TextLink|Address|Language|Actual|Script|Mirror)(?=\{)"
)
_ARGUMENTS = {"TextLink": 2, "Language": 2, "Actual": 2, "Script": 2, "Mirror": 3}
_ACTIVE = frozenset("\\{}#$%&_^~\x01\x02\0")


def is_text(tex: str) -> bool:
    """Return whether the TeX is only escaped text and balanced markup."""
    return _end_of_text(tex, 0) == len(tex)


def _end_of_text(tex: str, at: int) -> int:
    """Return where escaped text ends that begins at a position."""
    while at < len(tex):
        if found := WORD.match(tex, at):
            at = found.end()
        elif found := _MARKUP.match(tex, at):
            begin, at = at, found.end()
            for _ in range(_ARGUMENTS.get(found[1], 1)):
                end = _end_of_text(tex, at + 1) if tex[at : at + 1] == "{" else -1
                if end < 0 or tex[end : end + 1] != "}":
                    return begin
                at = end + 1
        elif tex[at] in _ACTIVE:
            return at
        else:
            at += 1
    return at


def gaps(harmless: str, made: str, word: str) -> list[str] | None:
    """Return what stands in place of each ``word`` of ``harmless``; None if the rest differs."""
    first, *rest = harmless.split(word)
    if not made.startswith(first):
        return None
    at, found = len(first), []
    for number, piece in enumerate(rest, start=1):
        last = number == len(rest)
        end = len(made) - len(piece) if last else made.find(piece, at)
        if end < at or not made.startswith(piece, end):
            return None
        found.append(made[at:end])
        at = end + len(piece)
    return found if at == len(made) else None
