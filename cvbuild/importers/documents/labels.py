"""What each cell of a document is, by what a network learned from CVs.

The network scores labels, and each label before each: here are the best ones together, by Viterbi's
algorithm, and how likely each is (Lafferty et al., Conditional Random Fields, 2001).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from math import exp
from operator import mul
from pathlib import Path
from typing import NamedTuple

import msgspec

from cvbuild.common.diagnostics import CvbuildError
from cvbuild.importers.documents.cells import Cell, Line
from cvbuild.importers.documents.features import features, look
from cvbuild.importers.documents.network import Network

_FILE = Path(__file__).with_name("labels.msgpack")
#: Characters of a line whose labels are few in a text.
PROSE = 90
#: What a command's word counts in scores; what can't be.
_SAID, _NEVER = 5.0, -1e6
_Row = list[float]


class Label(NamedTuple):
    """What a cell is, and how likely that is: from 0 to 1, by all labels of the document."""

    name: str
    chance: float = 1.0


@cache
def network() -> Network:
    """Return the network that comes with cvbuild.

    Raises CvbuildError if its file is damaged, or of another version.
    """
    try:
        given = _FILE.read_bytes()
        if zlib.crc32(given[4:]) != int.from_bytes(given[:4], "big"):
            raise msgspec.MsgspecError("other bytes than were written")
        return msgspec.msgpack.decode(given[4:], type=Network)
    except (OSError, msgspec.MsgspecError) as error:
        fact = f"the weights by which documents are read can't be: {_FILE.name}"
        raise CvbuildError.because("labels", fact, "install cvbuild again") from error


#: A line, the label of each of its cells, and how likely the least likely of them is.
Labelled = tuple[Line, list[str], float]


def labels_of(lines: Sequence[Line]) -> list[Label]:
    """Return the label of each cell of all lines, in their order."""
    said = [_said(cell, at) for line in lines for at, cell in enumerate(line.cells)]
    return read(network(), features([line for line in lines if line.cells]), said)


def _said(cell: Cell, at: int) -> str:
    """Return what is said of a cell by its place in the line: only the first cell can begin it."""
    own = cell.said[-1:] if at else cell.said
    return own and (own if cell.mark in ("START", "TAB") else "?")


def read(learned: Network, cells: Sequence[list[str]], said: Sequence[str] = ()) -> list[Label]:
    """Return the most likely labels of cells together, and how likely each is, by features.

    ``said`` has what the commands of a source say, empty where they don't: the label of a part of
    an entry, ``?`` for any; ``B-`` before it where the entry begins.
    """
    if not cells:
        return []
    scores = learned.scores(cells, [look(names) for names in cells])
    for row, one in zip(scores, said, strict=bool(said)):
        for at, name in enumerate(learned.labels if one else ()):
            is_part = name[:2] == "B-" if one[1:] else name in ("T", "O", "P", "D", "X")
            row[at] += _SAID * ((name[-1] == one[-1]) - (name == "X")) if is_part else _NEVER
    both = zip(_best(scores, learned.steps), _chances(scores, learned.steps), strict=True)
    return [Label(learned.labels[at], row[at]) for at, row in both]


def _best(scores: list[_Row], steps: list[_Row]) -> list[int]:
    """Return the labels whose scores and steps sum up to the most."""
    count = range(len(steps))
    row, back = scores[0], list[list[int]]()
    for own in scores[1:]:
        before = [max(count, key=lambda at: row[at] + steps[at][to]) for to in count]
        row = [row[at] + steps[at][to] + own[to] for to, at in zip(count, before, strict=True)]
        back.append(before)
    found = [max(count, key=row.__getitem__)]
    for before in reversed(back):
        found.append(before[found[-1]])
    return found[::-1]


def _chances(scores: list[_Row], steps: list[_Row]) -> list[_Row]:
    """Return how likely each label of each cell is, by the sums over all ways that lead there."""
    ahead = [[exp(step) for step in row] for row in steps]
    back = [*zip(*ahead, strict=True)]
    here = [[exp(score - max(row)) for score in row] for row in scores]
    before, after = [here[0]], [[1.0] * len(steps)]
    for row in here[1:]:
        sums = [sum(map(mul, before[-1], column)) for column in back]
        before.append(_normal([one * own for one, own in zip(sums, row, strict=True)]))
    for row in reversed(here[1:]):
        inner = [one * own for one, own in zip(after[-1], row, strict=True)]
        after.append(_normal([sum(map(mul, inner, column)) for column in ahead]))
    both = zip(before, reversed(after), strict=True)
    return [_normal([one * other for one, other in zip(*pair, strict=True)]) for pair in both]


def _normal(row: _Row) -> _Row:
    total = sum(row)
    return [one / total for one in row]


def labelled(lines: Sequence[Line], labels: Sequence[Label]) -> Iterator[Labelled]:
    """Yield the lines with their labels; a title below one of another form is of a group."""
    at, before = 0, ("", 0)
    for line in lines:
        both = labels[at : at + len(line.cells)]
        at += len(both)
        own = [label.name for label in both]
        chance = min((label.chance for label in both), default=1.0)
        form = line.block.kind, line.block.level
        # Of another form: it is in the section.
        if own == ["S"] and before not in (("", 0), form):
            own = ["G"]
        before = form if own == ["S"] else ("", 0)
        yield line, own, chance
