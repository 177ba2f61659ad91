"""Times in seconds: medians, ratios, measuring in turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


class NotMeasuredError(Exception):
    """A figure that can't be measured, and why in a few words."""


@dataclass(frozen=True)
class Times:
    """The times of one contestant's runs in seconds; at least one."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one, or the mean of the two middle ones."""
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        if len(self.seconds) == 1:
            return f"{_shown(self.median)} s"
        least, most = _shown(min(self.seconds)), _shown(max(self.seconds))
        return f"{_shown(self.median)} s ({least} .. {most})"


def _shown(seconds: float) -> str:
    """Return three significant digits: 0.043, 0.71, 12.3, 1004."""
    if seconds < 0.1:
        return f"{seconds:.3f}"
    return (
        f"{seconds:.2f}"
        if seconds < 10
        else f"{seconds:.1f}"
        if seconds < 100
        else f"{seconds:.0f}"
    )


@dataclass(frozen=True)
class Missing:
    """Stands for Times that could not be measured."""

    why: str


Measured = Times | Missing
#: One run of a contestant: gets the round's number, 0 for the one that only warms up; returns
#: seconds, and raises NotMeasuredError.
Contestant = Callable[[int], float]


#: Seconds after which a row begins no further round, and how many it measures in any case.
PATIENCE, LEAST = 60.0, 3


def in_turns(contestants: Mapping[str, Contestant], count: int) -> dict[str, Measured]:
    """Run A B C A B C ..: once to warm up, then ``count`` rounds that are measured.

    A contestant that fails once takes no further part, and the others go on. On a slow machine
    there are fewer rounds, so that all rows are done in time.
    """
    end = time.perf_counter() + PATIENCE
    found: dict[str, list[float]] = {name: [] for name in contestants}
    missing: dict[str, Missing] = {}
    for number in range(count + 1):
        if number > LEAST and time.perf_counter() > end:
            break
        for name, run in contestants.items():
            if name in missing:
                continue
            try:
                seconds = run(number)
            except NotMeasuredError as error:
                missing[name] = Missing(str(error))
                continue
            if number:
                found[name].append(seconds)
    return {name: missing.get(name) or Times(tuple(found[name])) for name in contestants}


def ratio(one: Measured | None, other: Measured | None) -> float | None:
    """Return the first median as a multiple of the second; None if either is missing."""
    if isinstance(one, Times) and isinstance(other, Times):
        return one.median / other.median
    return None
