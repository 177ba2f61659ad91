"""Count attacks by class, and draw samples: a pytest plugin that tests/conftest.py registers.

A module of tests/attacks says which class its attacks are of, of docs/explanation/security.md, in
``ATTACKS``. Each of its tests is one attack, unless it says by ``tried`` how many it made. The
summary has a table.
``CVBUILD_ATTACK=all`` (``make attack``) tries all there are; else each run draws another sample, by
``CVBUILD_ATTACK_SEED``, which it prints.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

ALL = os.environ.get("CVBUILD_ATTACK") == "all"
_SEED = "CVBUILD_ATTACK_SEED"
_REPORT = "CVBUILD_ATTACK_REPORT"
_KEY = "attacks"
_T = TypeVar("_T")


def pytest_configure() -> None:
    # Workers of xdist take it over: all must collect the same.
    os.environ.setdefault(_SEED, str(random.randrange(10**6)))


def sample(cases: Sequence[_T], most: int, name: str) -> list[_T]:
    """At most ``most`` of the cases, in their order; all with ``CVBUILD_ATTACK=all``."""
    if ALL or len(cases) <= most:
        return list(cases)
    drawn = random.Random(f"{os.environ.get(_SEED)} {name}").sample(range(len(cases)), most)
    return [cases[index] for index in sorted(drawn)]


@pytest.fixture
def tried(request: pytest.FixtureRequest) -> Callable[[int], None]:
    """``tried(12)``: this test tried so many attacks of its module's class."""

    def count(number: int) -> None:
        request.node.user_properties.append((_KEY, [request.module.ATTACKS, number]))

    return count


def pytest_runtest_setup(item: pytest.Item) -> None:
    name = getattr(getattr(item, "module", None), "ATTACKS", None)
    if isinstance(name, str):
        item.user_properties.append((_KEY, [name, 0]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            found = [value for key, value in report.user_properties if key == _KEY]
            if found and report.when == "call":
                name = found[0][0]
                counts[name] += sum(number for _, number in found) or 1
                failed[name] += outcome == "failed"
    if not counts:
        return
    terminalreporter.section(f"attacks ({_SEED}={os.environ.get(_SEED)})")
    for name, number in sorted(counts.items()):
        terminalreporter.write_line(f"{number:7,}  {name}, {failed[name] or 'no'} test failed")
    terminalreporter.write_line(f"{counts.total():7,}  in all")
    if path := os.environ.get(_REPORT):
        Path(path).write_text(json.dumps({name: [counts[name], failed[name]] for name in counts}))
