"""A variant applied to a person's data: its texts in their place, its rules in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap
from cvbuild.model.variant import Variant

#: Keys of a variant that replace a text of the person's.
_TEXTS = ("headline", "summary")
#: Keys that don't select.
_LOOKS = ("template", "options", "locale", *_TEXTS)


def applied(profile: Profile, source: Source, name: str | None) -> tuple[Profile, Source]:
    """Return the profile and source with the variant's headline and summary as the person's.

    They contain no other variant any more: no text of theirs belongs to the document.
    """
    update: dict[str, Any] = {"variants": FrozenMap()}
    if name:
        variant = profile.variants[name]
        for key in _TEXTS:
            if value := getattr(variant, key):
                source = source.grafted((key,), *source.part(("variants", name, key)))
                update[key] = value
        rest = variant.model_copy(update={"headline": None, "summary": ()})
        update["variants"] = FrozenMap({name: rest})
    return profile.model_copy(update=update), source


def rules_of(variant: Variant) -> Iterator[tuple[str, str]]:
    """Yield (key, value) of each rule of a variant, in words."""
    for key, value in variant:
        # Which ones to keep matters only if there is a limit.
        if not value or key in _LOOKS or (key == "keep" and not variant.limit):
            continue
        if isinstance(value, FrozenMap):
            parts = [f"{name}: {one}" if name else str(one) for name, one in value.items()]
            yield key, ", ".join(parts)
        else:
            yield key, ", ".join(value) if isinstance(value, tuple) else str(value)
