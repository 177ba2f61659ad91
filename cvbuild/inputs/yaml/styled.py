"""A value as the lines of a file below a key or a dash, in the style that was there before."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import yaml

from cvbuild.inputs.yaml import writer

#: Columns of a line; longer texts are folded.
WIDTH = writer.WIDTH
#: How a text is written: on one line, in quotes, or as a block of lines.
PLAIN, SINGLE, DOUBLE, FOLDED, LITERAL = "", "'", '"', ">", "|"


def entry(head: str, value: Any, indent: int, style: str = PLAIN, comment: str = "") -> list[str]:
    """Return the lines of ``head``, a dash or a key with its colon, and of its value.

    ``indent`` is the column of ``head``; ``style`` is the value's, if it is a text; ``comment`` is
    written at the end of the first line. ``value`` has only texts, lists, mappings and None.
    """
    margin = " " * indent
    if isinstance(value, dict) and value:
        parts = [
            line
            for key, inner in value.items()
            for line in entry(f"{writer.flow(key)}:", writer.inlined(key, inner), indent + 2)
        ]
        if head == "-":
            return [f"{margin}- {parts[0].lstrip()}{comment}", *parts[1:]]
        return [f"{margin}{head}{comment}", *parts]
    if isinstance(value, list) and value and not writer.is_inline(value):
        rows = [line for one in value for line in entry("-", one, indent + 2)]
        return [f"{margin}{head}{comment}", *rows]
    if isinstance(value, str):
        first, *others = text(value, indent + len(head) + 1, indent + 2, style)
        return [f"{margin}{head} {first}{comment}", *others]
    return [f"{margin}{head} {writer.flow(value)}{comment}"]


def text(value: str, column: int, indent: int, style: str = PLAIN) -> list[str]:
    """Return the lines of a text whose first one begins at a column, in a block of a file.

    Lines of a block begin at ``indent``. A style that can't hold the text gives way to quotes.
    """
    return next(lines for lines in _forms(value, column, indent, style) if _is(lines, value))


def _forms(value: str, column: int, indent: int, style: str) -> Iterator[list[str]]:
    short = writer.line(value)
    has_lines = "\n" in value.strip("\n")
    if style in (FOLDED, LITERAL):
        yield _block(value, indent, style)
    if has_lines:
        yield _block(value, indent, LITERAL)
    elif column + len(short) > WIDTH and " " in value:
        yield _block(value, indent, FOLDED)
    if style in (SINGLE, DOUBLE) and short[:1] in (SINGLE, DOUBLE):
        yield [writer.line(value, style)]
    if "\n" not in short:
        yield [short]
    yield [writer.line(value, DOUBLE)]


def _block(value: str, indent: int, style: str) -> list[str]:
    """Return a text as a block; wrong for texts that can't be one."""
    body = value.removesuffix("\n")
    head = style if value != body else f"{style}-"
    rows = body.split("\n")
    if style == FOLDED:
        # Each break of a line is one empty line here.
        rows = [line for row in rows for line in (*(wrapped(row, indent) if row else ()), "")][:-1]
    return [head, *(f"{' ' * indent}{row}" if row else "" for row in rows)]


def wrapped(row: str, indent: int, hang: str = "") -> list[str]:
    """Return the lines of a long line, broken at spaces; those of an empty one.

    All but the first begin with ``hang``.
    """
    return textwrap.wrap(
        row,
        WIDTH - indent,
        subsequent_indent=hang,
        break_long_words=False,
        break_on_hyphens=False,
        expand_tabs=False,
        replace_whitespace=False,
    ) or [""]


def _is(lines: list[str], value: str) -> bool:
    first, *others = lines
    try:
        node = yaml.compose("\n".join([f"k: {first}", *others, ""]), Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return False
    values = [one for _, one in node.value] if isinstance(node, yaml.MappingNode) else []
    return [one.value for one in values if isinstance(one, yaml.ScalarNode)] == [value]
