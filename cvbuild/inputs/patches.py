"""Patches: changes of a person's file that somebody else proposes, field by field, as JSON.

A patch is of one version of the file, which it names by its SHA-256; nothing that it doesn't name
is changed. Who proposes it need not be trusted: it holds values only, and what it would do is shown
before it is done.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from cvbuild.common import file_state, safe_files
from cvbuild.common.diagnostics import Span, shown
from cvbuild.common.errors import CvbuildError, reading_errors
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import edit, source
from cvbuild.inputs.yaml.entries import EditError

#: The most bytes of a patch, and changes in it.
MOST_BYTES, MOST = 1_000_000, 1000


class Edit(BaseModel, extra="forbid"):
    """One value that is put in its place; ``null`` removes what is there."""

    path: Annotated[list[str | int], Field(min_length=1, max_length=20)]
    """Keys, and places in lists, which count from 0: ["sections", 0, "items", 1, "title"]."""
    value: object
    """The new value. The place behind the last item of a list adds one."""


class Patch(BaseModel, extra="forbid"):
    """Changes of one person's file."""

    person: str
    """The name of the file in people/, without .yaml."""
    base: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """The SHA-256 of the file's bytes that the changes are of."""
    edits: Annotated[list[Edit], Field(min_length=1, max_length=MOST)]
    """The changes, one after the other: each finds the file as the one before it leaves it."""


def read(path: Path) -> Patch:
    """Return the patch of a file; raises CvbuildError if it can't be read or is none."""
    span = Span(str(path))
    try:
        data = safe_files.read(path, MOST_BYTES)
        return Patch.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        fact = f"this is no patch: {f'{place}: ' if place else ''}{first['msg']}"
        hint = "cvbuild docs patches shows one"
        raise CvbuildError.because("patch", fact[:300], hint, span) from None
    except reading_errors() as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CvbuildError.because("patch", f"it can't be read: {reason}", None, span) from None


def applied(patch: Patch, person: Person) -> tuple[str, str]:
    """Return the text of the person's file, and the one with the changes.

    Raises CvbuildError for a file that has changed since, and for a change that would touch more
    than its own place.
    """
    name = str(person.path)
    if file_state.file_hash(person.path) != patch.base:
        fact, hint = "the file has changed since the patch was made", "have it made anew"
        raise CvbuildError.because("patch", fact, hint, Span(name))
    before = source.load(person.path).text
    text = before
    for number, one in enumerate(patch.edits, start=1):
        text = changed(text, one, number, name)
    return before, text


def changed(text: str, one: Edit, number: int, name: str) -> str:
    """Return the text of a file, called ``name`` in messages, with a change made in it.

    Raises CvbuildError.
    """
    try:
        return edit.put(text if text.endswith("\n") else f"{text}\n", tuple(one.path), one.value)
    except (EditError, LookupError, TypeError):
        place = shown(".".join(map(str, one.path))[:200])
        fact = f"change {number}: {place} isn't in the file, or can't be set by itself"
        raise CvbuildError.because("patch", fact, "write it into the file", Span(name)) from None
