"""The words of a language that the lines of a kind of section ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cvbuild.model import kinds
from cvbuild.model.kinds import Kind


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
