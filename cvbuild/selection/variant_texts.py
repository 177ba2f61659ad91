"""A variant at work on a person's data: its texts in their place, its choice in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap
from cvbuild.model.variant import Variant

#: Keys of a variant that put a text in the place of the person's.
_TEXTS = ("headline", "summary")
#: Keys that don't choose.
_LOOKS = ("template", "options", "locale", *_TEXTS)


def applied(profile: Profile, source: Source, name: str | None) -> tuple[Profile, Source]:
    """The profile and its source with the variant's headline and summary as the person's.

    No other variant is in it any more: no text of theirs belongs to the document.
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


def said(variant: Variant) -> Iterator[tuple[str, str]]:
    """(key, value) of all that a variant says of the choice, in words."""
    for key, value in variant:
        # Which ones to keep is asked only where there is a limit.
        if not value or key in _LOOKS or (key == "keep" and not variant.limit):
            continue
        if isinstance(value, FrozenMap):
            parts = [f"{name}: {one}" if name else str(one) for name, one in value.items()]
            yield key, ", ".join(parts)
        else:
            yield key, ", ".join(value) if isinstance(value, tuple) else str(value)
