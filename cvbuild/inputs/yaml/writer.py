"""Plain data as a YAML file that is easy to edit."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import yaml

from cvbuild.common.diagnostics import FieldPath

#: Columns of a line; longer texts are folded.
_WIDTH = 96
#: Lists whose values are lines of a document.
_LISTS = frozenset({"bullets", "interests", "items", "notes", "summary"})
#: A text that needs no quotes between brackets.
_WORD = re.compile(r"[^\W_][^,:#\[\]{}\n\"'|>&*!%@`]*(?:@[^\s,:\[\]{}\"'#]+)?")
_NONE: Mapping[FieldPath, Sequence[str]] = MappingProxyType({})


class _Writer(yaml.SafeDumper):
    """Writes texts without tags: every scalar of a person's file is read as text, except null."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        """Indent lists below their key."""
        super().increase_indent(flow, indentless=False)


_Writer.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag == "tag:yaml.org,2002:null"]
    for first, resolvers in yaml.SafeDumper.yaml_implicit_resolvers.items()
}


def _text(writer: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text.strip("\n") else None
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Writer.add_representer(str, _text)


class _Inline(list[str]):
    """A list that is written on one line."""


def _inline(key: str, value: Any) -> Any:
    """Return a list of a few short words as one for a line; what people read as lists stays so."""
    if key in _LISTS or not isinstance(value, list):
        return value
    words = [one for one in value if isinstance(one, str) and _WORD.fullmatch(one)]
    if len(words) < len(value) or sum(map(len, words)) > _WIDTH // 2:
        return value
    return _Inline(value)


_Writer.add_representer(
    _Inline,
    lambda writer, value: writer.represent_sequence(
        "tag:yaml.org,2002:seq", value, flow_style=True
    ),
)


def write(
    data: Mapping[str, Any], comments: Mapping[FieldPath, Sequence[str]] = _NONE, first: str = ""
) -> str:
    """Return the text of a file: ``first`` is its first line.

    ``comments`` are lines by the path of the value that they stand above; those of a path that
    isn't in ``data`` are at the end. Keys keep their order; nothing is quoted without need. Values
    of ``data`` other than texts, lists and mappings are written as texts.
    """
    body = write_part(data)
    lines = body.rstrip("\n").split("\n") if data else []
    places = dict(_places(yaml.compose(body, Loader=yaml.SafeLoader), ())) if comments else {}
    above: dict[int, list[str]] = {}
    for path, texts in comments.items():
        row, indent = places.get(path, (len(lines), 0))
        above.setdefault(row, []).extend(f"{' ' * indent}# {part}" for part in _lines(texts))
    rows = list(above.get(0, ()))
    for row, line in enumerate(lines, 1):
        rows += [line, *above.get(row, ())]
    return "\n".join([*([first, ""] if first else []), *rows]) + "\n"


def write_part(value: Any) -> str:
    """Return the lines of a value: a part of a file."""
    return yaml.dump(
        _plain(value), Dumper=_Writer, allow_unicode=True, sort_keys=False, width=_WIDTH
    )


def flow(value: Any) -> str:
    """Return a value on one line, as between brackets: a text, ``[a, b]``, ``{key: value}``."""
    # In a list it is written as it must be among others.
    whole = yaml.dump(
        [_plain(value)],
        Dumper=_Writer,
        allow_unicode=True,
        sort_keys=False,
        width=1 << 30,
        default_flow_style=True,
    )
    return whole.strip()[1:-1]


def _places(node: yaml.Node | None, path: FieldPath) -> Iterator[tuple[FieldPath, tuple[int, int]]]:
    """Yield the line of each value, counted from 0, and the indentation of a comment above it."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield (*path, key.value), (key.start_mark.line, key.start_mark.column)
            yield from _places(value, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            # Its dash is two columns before it.
            yield (*path, index), (value.start_mark.line, max(0, value.start_mark.column - 2))
            yield from _places(value, (*path, index))


def _lines(texts: Iterable[str]) -> Iterator[str]:
    """Yield the lines of comments, none of them longer than a line of the file."""
    for text in texts:
        for line in text.splitlines():
            yield from textwrap.wrap(line, _WIDTH - 12, break_long_words=False) or [""]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _inline(str(key), _plain(inner)) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value if value is None else str(value)
