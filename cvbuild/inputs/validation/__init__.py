"""Plain data as a ``Profile``, or located errors in our own words: ``errors``."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from cvbuild.common.diagnostics import ProfileError
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model.profile import Profile

M = TypeVar("M", bound=BaseModel)


def validate(source: Source) -> Profile:
    """Return the profile of a source without flags; raise ProfileError with all errors, located."""
    return read_as(Profile, source)


def read_as(model: type[M], source: Source) -> M:
    """Return what a file holds as a model; raises as ``validate``."""
    try:
        return model.model_validate(source.data)
    except ValidationError as error:
        from cvbuild.inputs.validation import errors

        diagnostics = errors.diagnostics(error.errors(include_url=False), source, model)
    raise ProfileError(diagnostics)
