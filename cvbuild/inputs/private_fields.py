"""Fields of ``contact`` that a workspace keeps private for everybody, and those that go public.

A value with a flag of its own, true or false, is as the person's file says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs import privacy
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source

#: What is counted when it goes public.
_COUNTED = ("phone", "address", "birth-date")


def marked(source: Source, fields: Mapping[str, Node]) -> Source:
    """Return the source with these fields private; each has the node of what says so."""
    for field, flag in fields.items():
        for path in _unmarked(source.data, field):
            value, node = source.part(path)
            below = {privacy.VALUE: replace(node, key=None), privacy.FLAG: flag}
            wrapped = replace(node, children=below)
            source = source.grafted(path, {privacy.VALUE: value, privacy.FLAG: "true"}, wrapped)
    return source


def counts(source: Source) -> dict[str, int]:
    """Return how many phone numbers and the like have no flag, by field."""
    found = {field: len([*_unmarked(source.data, field)]) for field in _COUNTED}
    return {field: count for field, count in found.items() if count}


def _unmarked(data: Any, field: str) -> Iterator[FieldPath]:
    """Yield the paths of a field's values without a flag, in the person's file."""
    path: FieldPath = ("contact",)
    data = data.get("contact") if isinstance(data, dict) else None
    # All of it may be written as a value with its flag.
    while isinstance(data, dict) and privacy.VALUE in data:
        if privacy.FLAG in data and not privacy.says_no(data[privacy.FLAG]):
            return
        path, data = (*path, privacy.VALUE), data[privacy.VALUE]
    if not isinstance(data, dict) or data.get(field) is None:
        return
    path, value = (*path, field), data[field]
    if not isinstance(value, list):
        value, paths = [value], [path]
    else:
        paths = [(*path, at) for at in range(len(value))]
    for one, place in zip(value, paths, strict=True):
        if one is not None and not (isinstance(one, dict) and privacy.FLAG in one):
            yield place
