"""The error of a value in a file: what is wrong, and what to write."""

from __future__ import annotations

from pydantic_core import PydanticCustomError


def refused(kind: str, fact: str, hint: str, **context: object) -> PydanticCustomError:
    """Return the error to raise about a value; ``fact`` names what is in ``context`` in braces."""
    # The hint goes first: a value may hold what looks like its name.
    return PydanticCustomError(kind, fact, {"hint": hint, **context})
