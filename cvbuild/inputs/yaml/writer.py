"""Plain data as a YAML file that is easy to edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

#: Columns of a line; longer texts are folded.
_WIDTH = 96


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


def write(data: Mapping[str, Any], comments: Iterable[str] = (), first: str = "") -> str:
    """Return the text of a file: ``first`` is its first line, ``comments`` are at its end.

    Keys keep their order; nothing is quoted without need. Values of ``data`` other than texts,
    lists and mappings are written as texts.
    """
    body = yaml.dump(
        _plain(data), Dumper=_Writer, allow_unicode=True, sort_keys=False, width=_WIDTH
    )
    lines = [f"# {part}" for comment in comments for part in comment.splitlines()]
    return "\n".join([*([first, ""] if first else []), body.rstrip("\n"), *lines]) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value if value is None else str(value)
