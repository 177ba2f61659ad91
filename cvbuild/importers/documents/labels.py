"""What each cell of a document is, by a linear chain of labels that was learned from CVs.

``tools/learn`` trains the model; here is what reads it (Lafferty et al., Conditional Random Fields,
2001): the best labels by Viterbi's algorithm.
"""

from __future__ import annotations

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


def labels_of(lines: Sequence[Line]) -> list[str]:
    """Return the label of each cell of all lines, in their order."""
    chain = model()
    scores = [_scores(chain, names) for names in features([line for line in lines if line.cells])]
    steps = [[weight / UNIT for weight in row] for row in chain.steps]
    return [chain.labels[at] for at in _best(scores, steps)] if scores else []


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
