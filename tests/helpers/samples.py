"""Draw samples of attacks: a pytest plugin that tests/conftest.py registers.

``CVBUILD_ATTACK=all`` (``make attack``) tries all there are; else each run draws another sample, by
``CVBUILD_ATTACK_SEED``, which it prints.
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TypeVar

ALL = os.environ.get("CVBUILD_ATTACK") == "all"
SEED = "CVBUILD_ATTACK_SEED"
_T = TypeVar("_T")


def pytest_configure() -> None:
    # Workers of xdist take it over: all must collect the same.
    os.environ.setdefault(SEED, str(random.randrange(10**6)))


def pytest_report_header() -> str:
    return f"attacks: {SEED}={os.environ[SEED]}"


def sample(cases: Sequence[_T], most: int, name: str) -> list[_T]:
    """At most ``most`` of the cases, in their order; all with ``CVBUILD_ATTACK=all``."""
    if ALL or len(cases) <= most:
        return list(cases)
    drawn = random.Random(f"{os.environ.get(SEED)} {name}").sample(range(len(cases)), most)
    return [cases[index] for index in sorted(drawn)]
