"""What each cell of a document is, by a linear chain of labels that was learned from CVs.

``tools/learn`` trains the model; here is what reads it (Lafferty et al., Conditional Random Fields,
2001): the best labels by Viterbi's algorithm, and how likely each is by the forward and backward
sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from cvbuild.importers.documents.cells import Line
from cvbuild.importers.documents.features import features

_FILE = Path(__file__).with_name("labels.msgpack")
#: What weights are stored in.
UNIT = 100
_Row = list[float]


class Model(msgspec.Struct, frozen=True):
    """Labels, the weight of each before each, and by feature those of labels, in hundredths."""

    labels: list[str]
    steps: list[list[int]]
    weights: dict[str, dict[int, int]]


@cache
def model() -> Model:
    """Return the model that comes with cvbuild."""
    return msgspec.msgpack.decode(_FILE.read_bytes(), type=Model)


def labels_of(lines: Sequence[Line]) -> tuple[list[str], list[float]]:
    """Return the label of each cell of all lines in their order, and how likely it is."""
    chain = model()
    scores = [_scores(chain, names) for names in features([line for line in lines if line.cells])]
    if not scores:
        return [], []
    steps = [[weight / UNIT for weight in row] for row in chain.steps]
    best = _best(scores, steps)
    shares = _shares(scores, steps)
    return [chain.labels[at] for at in best], [
        row[at] for row, at in zip(shares, best, strict=True)
    ]


def _scores(chain: Model, names: Sequence[str]) -> _Row:
    """Return the score of each label of a cell with these features."""
    found = [0] * len(chain.labels)
    for name in names:
        for at, weight in chain.weights.get(name, {}).items():
            found[at] += weight
    return [weight / UNIT for weight in found]


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


def _shares(scores: list[_Row], steps: list[_Row]) -> list[_Row]:
    """Return how likely each label of each cell is."""
    count = range(len(steps))
    weights = [[math.exp(weight) for weight in row] for row in steps]
    own = [[math.exp(weight - max(row)) for weight in row] for row in scores]
    forward = [_scaled(own[0])]
    for row in own[1:]:
        last = forward[-1]
        forward.append(
            _scaled([row[to] * sum(last[at] * weights[at][to] for at in count) for to in count])
        )
    behind = [[1.0] * len(steps)]
    for row in reversed(own[1:]):
        after = [share * weight for share, weight in zip(row, behind[-1], strict=True)]
        behind.append(_scaled([sum(map(float.__mul__, weights[at], after)) for at in count]))
    return [
        _scaled([one * other for one, other in zip(*rows, strict=True)])
        for rows in zip(forward, reversed(behind), strict=True)
    ]


def _scaled(row: _Row) -> _Row:
    """Return a row whose sum is 1."""
    whole = sum(row) or 1.0
    return [share / whole for share in row]
