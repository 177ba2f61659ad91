"""Which cases a run tries: deep ones prove again what another one proves; attacks are sampled.

``CVBUILD_ATTACK=all`` (``make attack``) tries all attacks there are; else each run draws another
sample, by ``CVBUILD_ATTACK_SEED``, which it prints: tests/conftest.py registers this as a plugin.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

_T = TypeVar("_T")


def but(
    shallow: Collection[_T], cases: Iterable[_T], name: Callable[[_T], str] = str
) -> list[ParameterSet]:
    """All cases for ``parametrize``; those that are not among the shallow ones are deep.

    A tuple is the values of several parameters.
    """
    return [
        pytest.param(
            *(one if isinstance(one, tuple) else (one,)),
            marks=() if one in shallow else (pytest.mark.deep,),
            id=name(one),
        )
        for one in cases
    ]


ALL = os.environ.get("CVBUILD_ATTACK") == "all"
SEED = "CVBUILD_ATTACK_SEED"


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
