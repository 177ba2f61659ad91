"""Calls: what funders ask of a CV, as files of settings and limits that a variant names.

``call: erc-stg`` stands for the variant in ``calls/erc-stg.yaml`` of the workspace, else in that of
cvbuild. What the person's variant says itself goes before it, key by key. As with ``cvbuild.yaml``,
it becomes part of the person's source before that is validated, each value with its position.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import date as Day
from functools import lru_cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from pydantic import ValidationError

from cvbuild.common import file_state
from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span, shown, suggest
from cvbuild.common.errors import ProfileError
from cvbuild.inputs import workspace
from cvbuild.inputs.workspace import CALLS
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.source import Part, Source
from cvbuild.model.workspace import CALL_NAME, Call

#: The key of a variant, and the folder of cvbuild's own calls.
KEY = "call"
BUILT_IN = Path(__file__).parents[1] / CALLS
#: How such a file may begin.
_BEGIN = "title:"
#: What only a person's own variant says: facts, and that private ones are shown.
_PERSONAL = ("headline", "summary", "private")
#: Rules change from one call to the next, once a year.
_DAYS = 365


class Applied(Struct, frozen=True):
    """A person's source with the calls of its variants; ``files`` are theirs, with their states.

    ``calls`` are the calls, each with the place of the variant's key that names it.
    """

    source: Source
    faults: tuple[Diagnostic, ...] = ()
    files: tuple[tuple[str, file_state.State], ...] = ()
    calls: tuple[tuple[Call, Span], ...] = ()


def applied(source: Source, person: Path) -> Applied:
    """Return the source of a person's file with what the calls of its variants say."""
    faults: list[Diagnostic] = []
    files: dict[str, file_state.State] = {}
    named: list[tuple[Call, Span]] = []
    for path, name in _named(source):
        span = source.span((*path, KEY))
        place = _place(name, person)
        if place is None:
            known = names(person)
            fact = f"there is no call {shown(name)}"
            faults.append(
                Diagnostic("error", KEY, fact, span, suggest(name, known, "the calls are"))
            )
            continue
        files[str(place)] = file_state.look(str(place), 0)
        try:
            call, rules = _read(*source_stage.text_of(place))
        except ProfileError as error:
            faults += error.diagnostics
            continue
        named.append((call, span))
        whole = workspace.merged_variant(rules, Part(*source.part(path)))
        source = source.grafted(path, *whole)
    return Applied(source, tuple(faults), tuple(files.items()), tuple(named))


def _named(source: Source) -> Iterator[tuple[FieldPath, str]]:
    """Yield the place of each variant that names a call, and the call's name."""
    variants = source.data.get("variants") if isinstance(source.data, dict) else None
    for name, variant in variants.items() if isinstance(variants, dict) else ():
        call = variant.get(KEY) if isinstance(variant, Mapping) else None
        if isinstance(call, str):
            yield ("variants", name), call.strip()


def names(person: Path) -> tuple[str, ...]:
    """Return the names of all calls that a person's variants may have, sorted."""
    folders = (workspace.file_of(person).parent / CALLS, BUILT_IN)
    found = {path.stem for folder in folders for path in folder.glob("*.yaml")}
    return tuple(sorted(filter(CALL_NAME.fullmatch, found)))


def _place(name: str, person: Path) -> Path | None:
    if not CALL_NAME.fullmatch(name):
        return None
    folders = (workspace.file_of(person).parent / CALLS, BUILT_IN)
    places = (folder / f"{name}.yaml" for folder in folders)
    return next((one for one in places if os.path.lexists(one)), None)


@lru_cache(maxsize=16)
def _read(name: str, text: str) -> tuple[Call, Part]:
    """Return a call and its variant, with positions; raises ProfileError."""
    source = source_stage.parse(text, name, _BEGIN)
    try:
        call = Call.model_validate(source.data)
    except ValidationError as error:
        from cvbuild.inputs.validation import errors

        raise ProfileError(
            errors.diagnostics(error.errors(include_url=False), source, Call)
        ) from None
    # Whoever wrote the call isn't the person: it chooses among facts, and has none.
    for key in _PERSONAL:
        if getattr(call.variant, key):
            fact, hint = f"a call can't set {key}", "write it in the person's file"
            raise ProfileError.because(
                "call-personal", fact, hint, source.key_span(("variant", key))
            )
    value, node = source.part(("variant",))
    return call, Part(value, replace(node, file=name))


def notes(source: Source, person: Path, day: Day) -> Iterator[Diagnostic]:
    """Yield what is to be said of the calls of a person's variants on a day.

    Their rules may be old or not confirmed, and the document may not be what is handed in.
    """
    for call, span in applied(source, person).calls:
        age = (day - call.checked).days
        if age > _DAYS:
            fact = f"the rules of {call.title} were read on {call.checked}: they may have changed"
            hint = f"read {call.source}, and write them to a file of your own in {CALLS}/"
            yield Diagnostic("warning", KEY, fact, span, hint)
        if call.unconfirmed:
            fact = f"{call.title}, not confirmed: {'; '.join(call.unconfirmed)}"
            yield Diagnostic("note", KEY, fact, span, f"read {call.source}")
        if call.outcome == "paste":
            fact = f"{call.title} takes texts in the fields of its own form"
            hint = "build it with --format txt, and paste each section"
            yield Diagnostic("note", KEY, fact, span, hint)
