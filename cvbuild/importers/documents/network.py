"""A small recurrent network that was learned from CVs, and how its numbers are worked out.

Two layers read the cells of a document forwards and backwards (gated recurrent units: Cho et al.,
2014); to each a cell brings the mean of all cells that look alike. ``tools/learn`` trains it. All
sums are those of whole numbers, many in one: the same on each machine, and quick.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from math import tanh
from operator import mul

import msgspec

#: What 1 is in the numbers of cells; weights are bytes, and this one is 0.
UNIT, ZERO = 1024, 128
#: A sum's own zero: sums fill the 32 bits of their lane, and none runs over.
_MIDDLE = 1 << 31
#: The numbers of a cell, in units.
Numbers = list[int]


def _packed(numbers: Iterable[int]) -> int:
    """Return numbers as one, each in a lane of 32 bits."""
    return int.from_bytes(array("I", [*numbers]).tobytes(), sys.byteorder)


def _lanes(total: int, count: int) -> memoryview[int]:
    """Return the numbers in one that ``_packed`` made, or in a sum of such."""
    return memoryview(total.to_bytes(4 * count, sys.byteorder)).cast("I")


class Matrix(msgspec.Struct, frozen=True, dict=True):
    """Weights by input, a byte for each output; what a step of a byte is; what is added."""

    weights: list[bytes]
    scale: float
    bias: list[float]

    @cached_property
    def _columns(self) -> list[int]:
        return [_packed(column) for column in self.weights]

    def times(self, numbers: Numbers) -> list[float]:
        """Return the outputs for inputs in units."""
        start = _packed([_MIDDLE] * len(self.bias))
        total = sum(map(mul, self._columns, numbers), start)
        zero, step = _MIDDLE + ZERO * sum(numbers), self.scale / UNIT
        lanes = _lanes(total, len(self.bias))
        return [(lane - zero) * step + own for lane, own in zip(lanes, self.bias, strict=True)]


class Layer(msgspec.Struct, frozen=True):
    """One way of reading: the weights of what a cell brings, and of what was read before it."""

    given: Matrix
    kept: Matrix

    def read(self, cells: Sequence[Numbers]) -> list[Numbers]:
        """Return the state after each cell."""
        states, state = list[Numbers](), [0.0] * (len(self.kept.bias) // 3)
        count, ints = len(state), [0] * len(state)
        for numbers in cells:
            given, kept = self.given.times(numbers), self.kept.times(ints)
            for at, before in enumerate(state):
                reset = 0.5 + 0.5 * tanh(0.5 * (given[at] + kept[at]))
                keep = 0.5 + 0.5 * tanh(0.5 * (given[count + at] + kept[count + at]))
                new = tanh(given[2 * count + at] + reset * kept[2 * count + at])
                state[at] = new + keep * (before - new)
            ints = [round(one * UNIT) for one in state]
            states.append(ints)
        return states


class Network(msgspec.Struct, frozen=True):
    """Labels, weights of features, layers forwards and backwards, and scores of labels.

    ``steps`` has the score of each label before each.
    """

    labels: list[str]
    features: dict[str, bytes]
    scale: float
    bias: list[float]
    layers: list[tuple[Layer, Layer]]
    last: Matrix
    steps: list[list[float]]

    def scores(self, cells: Sequence[Sequence[str]], looks: Sequence[object]) -> list[list[float]]:
        """Return the scores of each label of cells, by their features and by what looks alike."""
        alike: dict[object, list[int]] = {}
        for at, look in enumerate(looks):
            alike.setdefault(look, []).append(at)
        numbers = self._numbers(cells)
        all_numbers = [numbers]
        for forwards, backwards in self.layers:
            given = [own + mean for own, mean in zip(numbers, _means(numbers, alike), strict=True)]
            both = zip(forwards.read(given), backwards.read(given[::-1])[::-1], strict=True)
            numbers = [ahead + back for ahead, back in both]
            all_numbers.insert(0, numbers)
        whole = ([one for own in parts for one in own] for parts in zip(*all_numbers, strict=True))
        return [*map(self.last.times, whole)]

    def _numbers(self, cells: Sequence[Sequence[str]]) -> list[Numbers]:
        """Return what features say of each cell by itself."""
        known = {name for names in cells for name in names} & self.features.keys()
        packed = {name: _packed(self.features[name]) for name in known}
        found = list[Numbers]()
        for names in cells:
            own = [packed[name] for name in names if name in packed]
            lanes, zero = _lanes(sum(own), len(self.bias)), ZERO * len(own)
            sums = zip(lanes, self.bias, strict=True)
            found.append([round(UNIT * tanh((one - zero) * self.scale + add)) for one, add in sums])
        return found


def _means(numbers: Sequence[Numbers], alike: dict[object, list[int]]) -> list[Numbers]:
    """Return for each cell the mean of the numbers of all that look like it."""
    found = [Numbers()] * len(numbers)
    for places in alike.values():
        sums = zip(*(numbers[at] for at in places), strict=True)
        mean = [round(sum(column) / len(places)) for column in sums]
        for at in places:
            found[at] = mean
    return found
