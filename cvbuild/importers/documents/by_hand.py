"""What people write by hand where a style would say it: bullets, headings, spaced letters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from cvbuild.importers.words import descriptions, headings
from cvbuild.importers.words.outline import Block, Run, is_dated

#: "C O N T A C T", where two blanks or a tab part words.
_SPACED = re.compile(r"[^\W_](?: [^\W_&]){2,}(?:(?:\s{2,}|\t| & )[^\W_](?: [^\W_])*)*")
_ICON = re.compile("[\U0001f000-\U0001fbff\u2600-\u26ff\ufe0f\u200d]+ *")


def closed_up(block: Block) -> Block:
    """Return a block with its words in place of letters that blanks part."""
    block.lines = [_line_closed_up(_without_icon(line)) for line in block.lines]
    return block


def _without_icon(line: list[Run]) -> list[Run]:
    """Return a line without the picture letters that it begins with."""
    if line and (icon := _ICON.match(line[0].text)):
        rest = line[0].text[icon.end() :]
        return _without_icon([replace(line[0], text=rest), *line[1:]] if rest else line[1:])
    return line


def _line_closed_up(line: list[Run]) -> list[Run]:
    text = "".join(run.text for run in line).strip()
    if not line or not _SPACED.fullmatch(text):
        return line
    words = [re.sub(r"\s", "", part) for part in re.split(r"\s{2,}|\t|(?= & )", text)]
    joined = headings.parted(" ".join(words).replace("&", "& "))
    return [Run(joined, line[0].styles, line[0].url)]


def points_by_hand(block: Block) -> list[Block]:
    """Return a paragraph whose lines begin with bullets as points, below those before them."""
    if block.kind == "point":
        return _without_heads(block)
    signs = [_sign(line) for line in block.lines]
    is_below = not signs[0] and is_dated(block.lines[:1])
    least = 1 if is_below or len(signs) == 1 else 2
    if block.kind != "paragraph" or sum(map(bool, signs)) < least:
        return [block]
    found = parted(block, signs)
    for part in found:
        if sign := _sign(part.lines[0]):
            part.kind, part.level = "point", 0
            part.lines[0] = _without_start(part.lines[0], sign.end())
    return found


def _without_heads(block: Block) -> list[Block]:
    """Return a point, and apart from it the head of an entry right below: bold, with a date."""
    heads = [
        at and is_dated([line]) and "strong" in next(run.styles for run in line if run.text.strip())
        for at, line in enumerate(block.lines)
    ]
    point, *entries = parted(block, heads)
    return [point, *(replace(one, kind="paragraph", level=0) for one in entries)]


def _sign(line: list[Run]) -> re.Match[str] | None:
    return descriptions.SIGN.match("".join(run.text for run in line))


def _without_start(line: list[Run], count: int) -> list[Run]:
    """Return a line without its first characters."""
    kept: list[Run] = []
    for run in line:
        kept += [replace(run, text=run.text[count:])] if count < len(run.text) else []
        count = max(0, count - len(run.text))
    return kept


def parted(block: Block, begins: Iterable[object]) -> list[Block]:
    """Return a block parted before each line that begins one."""
    found: list[Block] = []
    for at, (line, is_first) in enumerate(zip(block.lines, begins, strict=True)):
        if is_first or not found:
            found.append(replace(block, lines=[line], first=min(block.first + at, block.last)))
        else:
            found[-1].lines.append(line)
    return found
