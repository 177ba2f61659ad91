"""Which cases of a test are deep: those that prove again what another one proves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
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
