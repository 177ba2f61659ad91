"""From data to a Profile; what pydantic finds becomes diagnostics with a place and a hint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cvbuild import faults, slots
from cvbuild import source as source_stage
from cvbuild.diagnostics import Diagnostic, Span
from cvbuild.errors import ProfileError
from cvbuild.faults import nearest, shown, suggest
from cvbuild.model import Profile
from cvbuild.slots import Slot
from cvbuild.source import Source
from cvbuild.yamltree import MAX_PROBLEMS

__all__ = ["load", "outline", "shown", "suggest", "validate"]

#: Keys that are looked at beyond the model, by ``templates`` and ``photo``.
_OUTER = ("template", "options", "photo")


def load(path: Path) -> tuple[Profile, Source]:
    """Read and validate one person's file; raises ProfileError with all that is wrong with it."""
    source = source_stage.load(path)
    return validate(source), source


def validate(source: Source) -> Profile:
    """Raises ProfileError with a diagnostic for each thing that is wrong, in the file's order."""
    try:
        return Profile.model_validate(source.data)
    except ValidationError as error:
        found = error.errors(include_url=False)
    placed = [
        (_span(item, slot, source), item, slot) for item, slot in _without_echoes(found, source)
    ]
    placed.sort(key=lambda one: one[0])
    diagnostics = dict.fromkeys(_diagnostic(*one) for one in placed[:MAX_PROBLEMS])
    raise ProfileError([*diagnostics, *_more(placed, source)])


def _more(placed: list[Any], source: Source) -> Iterator[Diagnostic]:
    if len(placed) > MAX_PROBLEMS:
        message = f"only the first {MAX_PROBLEMS} of {len(placed)} problems are shown"
        yield Diagnostic("note", "more", message, Span(source.name))


def outline(source: Source) -> Profile:
    """Template, options and photo of a file that is no whole profile, each if it is sound.

    Why: an unknown template or a missing photo is reported together with all other faults.
    """
    data = source.data if isinstance(source.data, dict) else {}
    sound: dict[str, object] = {"name": "-"}
    for key in _OUTER:
        try:
            Profile.model_validate({"name": "-", key: data.get(key)})
        except ValidationError:
            continue
        sound[key] = data.get(key)
    return Profile.model_validate(sound)


def _without_echoes(errors: list[Any], source: Source) -> Iterator[tuple[Any, Slot]]:
    """The errors with their slots, but those that only repeat another one.

    "Too short" says nothing where the items themselves are wrong, nor "missing" where the key is
    there and misspelt.
    """
    located = [(item, slots.find(tuple(item["loc"]), source.data)) for item in errors]
    meant = set()
    for item, slot in located:
        if item["type"] == "extra_forbidden" and slot.owner is not None:
            name = nearest(str(slot.path[-1]), slots.keys(slot.owner))
            if name is None and slot.alone:
                name = slots.main_key(slot.owner)
            meant.add((slot.path[:-1], name))
    above = {item["loc"][:size] for item, _ in located for size in range(len(item["loc"]))}
    for item, slot in located:
        if item["type"] == "too_short" and item["loc"] in above:
            continue
        if item["type"] == "missing" and (slot.path[:-1], slot.name) in meant:
            continue
        yield item, slot


def _inner(error: Any) -> str | None:
    """The key of a date's mapping that is at fault: pydantic sees the mapping as a whole."""
    key = (error.get("ctx") or {}).get("key")
    return None if key is None else str(key)


def _span(error: Any, slot: Slot, source: Source) -> Span:
    kind, inner = error["type"], _inner(error)
    path = slot.path if inner is None else (*slot.path, inner)
    if slot.on_key or kind in ("extra_forbidden", "date_keys"):
        return source.key_span(path)
    return source.span((*path, "kind") if kind == "union_tag_invalid" else path)


def _diagnostic(span: Span, error: Any, slot: Slot) -> Diagnostic:
    inner = _inner(error)
    if inner is not None:
        slot = replace(slot, name=inner, required=True, item=False)
    message, hint = faults.words(error, slot)
    return Diagnostic("error", str(error["type"]).replace("_", "-"), message, span, hint)
