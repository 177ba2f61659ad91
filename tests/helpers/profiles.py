"""Profiles for tests, made from YAML as a person would write it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from datetime import date as Day
from pathlib import Path
from typing import Any

from cvbuild.inputs.person import privacy
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model import kinds
from cvbuild.model.kinds import Kind
from cvbuild.model.profile import Profile
from cvbuild.selection.selected import Selected

#: The day of documents for which none matters.
DAY = Day(2026, 1, 1)


def person_of(name: str) -> str:
    return (Path(__file__).parents[1] / "persons" / f"{name}.yaml").read_text("utf-8")


def profile(text: str) -> Profile:
    """The profile of a YAML text with its flags; a name is added where there is none."""
    return validate(_parsed(text))


def whole(text: str) -> Profile:
    """The same with everything private in it, and values that are written with their flag."""
    return validate(privacy.everything(_parsed(text)))


def public(text: str) -> Profile:
    return validate(privacy.public(_parsed(text)))


def _parsed(text: str) -> Source:
    text = textwrap.dedent(text)
    if "name:" not in text.split("\n  ")[0]:
        text = "name: Ada Example\n" + text
    return parse(text, "test.yaml")


def main_words(selected: Selected, kind: str) -> list[str]:
    keys = ("title", "text", "employer")
    items = (item for _, item in selected.items(kind))
    return [
        str(next(filter(None, (getattr(item, key, None) for key in keys)), item)) for item in items
    ]


def labels_of(kind: Kind) -> Iterator[str]:
    left: list[Any] = [*kind.text]
    while left:
        match left.pop():
            case kinds.Labelled(label, words, several):
                yield from filter(None, (label, several))
                left.append(words)
            case kinds.Worded(label, _):
                yield label
            case kinds.Row(words, _):
                left.append(words)
            case kinds.Each(_, below):
                left += below
            case kinds.Head(parts) | kinds.Cited(parts) | kinds.Joined(parts):
                left += parts
