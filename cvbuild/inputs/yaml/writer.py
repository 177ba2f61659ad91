"""Plain data as a YAML file that is easy to edit, and the comments of an import in such a file.

A guess is ``# ?`` behind a value or above an item, perhaps with the source's words behind it; a
loss is a comment that begins with ``no home``. Both end when somebody deletes the comment.
"""

from __future__ import annotations

import re
import textwrap
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import yaml
from msgspec import Struct

from cvbuild.common.diagnostics import FieldPath, Place
from cvbuild.inputs.yaml.entries import on_path
from cvbuild.inputs.yaml.source import LINE_BREAK, LOADER, mark

#: Columns of a line; longer texts are folded.
WIDTH = 96
#: How a text is written: on one line, in quotes, or as a block of lines.
PLAIN, SINGLE, DOUBLE, FOLDED, LITERAL = "", "'", '"', ">", "|"
#: Lists whose values are lines of a document.
_LISTS = frozenset({"bullets", "interests", "items", "notes", "summary"})
#: A text that needs no quotes between brackets.
_WORD = re.compile(r"[^\W_][^,:#\[\]{}\n\"'|>&*!%@`]*(?:@[^\s,:\[\]{}\"'#]+)?")
#: A comment behind a value, or above an item, that may be wrong: a person should look at it.
MARK = "# ?"
#: The line at the top of a file with such marks, and how a comment on what was lost begins.
MARKED, LOSS = f"What may be wrong is marked: {MARK}", "no home"
#: How the mark at the top begins, of a file that is hardly worth to keep.
POOR = "this import is poor"
_NONE: Mapping[FieldPath, Sequence[str]] = MappingProxyType({})


_TEXT, _SEQUENCE = "tag:yaml.org,2002:str", "tag:yaml.org,2002:seq"
_WRAP: Mapping[str, Any] = dict.fromkeys(
    ("break_long_words", "break_on_hyphens", "expand_tabs", "replace_whitespace"), False
)


class _Writer(yaml.SafeDumper):
    """Writes texts without tags: every scalar of a person's file is read as text, except null."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        """Indent lists below their key."""
        super().increase_indent(flow, indentless=False)


_Writer.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag == "tag:yaml.org,2002:null"]
    for first, resolvers in yaml.SafeDumper.yaml_implicit_resolvers.items()
}


class _Inline(list[str]):
    """A list that is written on one line."""


def inlined(key: str, value: Any) -> Any:
    """Return a list of a few short words as one for a line; what people read as lists stays so."""
    if key in _LISTS or not isinstance(value, list):
        return value
    words = [one for one in value if isinstance(one, str) and _WORD.fullmatch(one)]
    if len(words) < len(value) or sum(map(len, words)) > WIDTH // 2:
        return value
    return _Inline(value)


_Writer.add_representer(
    str,
    lambda writer, text: writer.represent_scalar(
        _TEXT, text, style="|" if "\n" in text.strip("\n") else None
    ),
)
_Writer.add_representer(
    _Inline, lambda writer, value: writer.represent_sequence(_SEQUENCE, value, flow_style=True)
)


_DUMP: Mapping[str, Any] = {"Dumper": _Writer, "allow_unicode": True, "sort_keys": False}


def write(
    data: Mapping[str, Any],
    comments: Mapping[FieldPath, Sequence[str]] = _NONE,
    first: str = "",
    marks: Mapping[FieldPath, str] = MappingProxyType({}),
) -> str:
    """Return the text of a file: ``first`` is its first line.

    ``comments`` are lines by the path of the value that they stand above; those of a path that
    isn't in ``data`` are at the end. ``marks`` are what ``MARK`` says of values, by their path,
    perhaps nothing. Keys keep their order; nothing is quoted without need. Values of ``data`` other
    than texts, lists and mappings are written as texts.
    """
    text = write_part(data) if data else ""
    lines, above = text.rstrip("\n").split("\n") if data else [], dict[int, list[str]]()
    places = [(place, path) for path in marks if (place := _place(text, path))]
    for (row, indent, end), path in sorted(places, key=lambda pair: (pair[0][0], len(pair[1]))):
        mark = f"{MARK} {marks[path]}".rstrip()
        if end is None:
            above.setdefault(row, []).append(f"{' ' * indent}{mark}")
        else:
            lines[end] += f"  {mark}"
    for path, texts in comments.items():
        row, indent, _ = _place(text, path) or (len(lines), 0, None)
        above.setdefault(row, []).extend(
            f"{' ' * indent}# {line}" for text in texts for line in comment_lines(text)
        )
    rows = list(above.get(0, ()))
    for row, line in enumerate(lines, 1):
        rows += [line, *above.get(row, ())]
    return "\n".join([*([first, ""] if first else []), *rows]) + "\n"


def write_part(value: Any) -> str:
    """Return the lines of a value: a part of a file."""
    return str(yaml.dump(_plain(value), **_DUMP, width=WIDTH))


def flow(value: Any) -> str:
    """Return a value on one line, as between brackets: a text, ``[a, b]``, ``{key: value}``."""
    # In a list it is written as it must be among others.
    whole = yaml.dump([_plain(value)], **_DUMP, width=1 << 30, default_flow_style=True)
    return str(whole).strip()[1:-1]


def line(text: str, quote: str = "") -> str:
    """Return a text on one line of a block, in quotes where it needs them, or in these."""
    style = quote or ('"' if "\n" in text else None)
    scalar, key = yaml.ScalarNode(_TEXT, text, style=style), yaml.ScalarNode(_TEXT, "k")
    node = yaml.MappingNode("tag:yaml.org,2002:map", [(key, scalar)], flow_style=False)
    whole = yaml.serialize(node, Dumper=_Writer, allow_unicode=True, width=1 << 30)
    return str(whole).removeprefix("k: ").removesuffix("\n")


def _place(text: str, path: FieldPath) -> tuple[int, int, int | None] | None:
    """Return where a value is: its first line, from 0, and the indentation of a comment above it.

    And the line behind which a mark may stand; None for an item, whose mark is above it.
    """
    entries = on_path(text, path)[1] if path and text else []
    if len(entries) < max(1, len(path)):
        return None
    key, value = entries[-1].key, entries[-1].value
    begin = (key or value).start_mark
    is_block = isinstance(value, yaml.CollectionNode) and not value.flow_style
    has_lines = is_block or getattr(value, "style", None) in ("|", ">")
    end: int = begin.line if has_lines else value.end_mark.line
    if key:
        return begin.line, begin.column, end
    # Its dash is two columns before it.
    return begin.line, max(0, begin.column - 2), None if is_block else end


def comment_lines(text: str) -> list[str]:
    """Return the lines of a comment, none of them longer than a line of the file."""
    wrap = textwrap.TextWrapper(WIDTH - 12, break_long_words=False).wrap
    return [part for line in text.splitlines() for part in wrap(line) or [""]]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): inlined(str(key), _plain(inner)) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value if value is None else str(value)


# -- parts: a value as the lines below a key or a dash, in the style that was there before ---------


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
            for line in entry(f"{flow(key)}:", inlined(key, inner), indent + 2)
        ]
        if head == "-":
            return [f"{margin}- {parts[0].lstrip()}{comment}", *parts[1:]]
        return [f"{margin}{head}{comment}", *parts]
    if isinstance(value, list) and value and not isinstance(value, _Inline):
        rows = [line for one in value for line in entry("-", one, indent + 2)]
        return [f"{margin}{head}{comment}", *rows]
    if isinstance(value, str):
        first, *others = text(value, indent + len(head) + 1, indent + 2, style)
        return [f"{margin}{head} {first}{comment}", *others]
    return [f"{margin}{head} {flow(value)}{comment}"]


def text(value: str, column: int, indent: int, style: str = PLAIN) -> list[str]:
    """Return the lines of a text whose first one begins at a column, in a block of a file.

    Lines of a block begin at ``indent``. A style that can't hold the text gives way to quotes.
    """
    for first, *others in _forms(value, column, indent, style):
        with suppress(yaml.YAMLError):
            node = yaml.compose("\n".join([f"k: {first}", *others, ""]), Loader=yaml.SafeLoader)
            values = [one for _, one in node.value] if isinstance(node, yaml.MappingNode) else []
            if [one.value for one in values if isinstance(one, yaml.ScalarNode)] == [value]:
                return [first, *others]
    raise ValueError(value)


def _forms(value: str, column: int, indent: int, style: str) -> Iterator[list[str]]:
    short = line(value)
    has_lines = "\n" in value.strip("\n")
    if style in (FOLDED, LITERAL):
        yield _block(value, indent, style)
    if has_lines:
        yield _block(value, indent, LITERAL)
    elif column + len(short) > WIDTH and " " in value:
        yield _block(value, indent, FOLDED)
    if style in (SINGLE, DOUBLE) and short[:1] in (SINGLE, DOUBLE):
        yield [line(value, style)]
    if "\n" not in short:
        yield [short]
    yield [line(value, DOUBLE)]


def _block(value: str, indent: int, style: str) -> list[str]:
    body = value.removesuffix("\n")
    head = style if value != body else f"{style}-"
    rows = body.split("\n")
    if style == FOLDED:
        # Each break of a line is one empty line here.
        rows = [line for row in rows for line in (*(wrapped(row, indent) if row else ()), "")][:-1]
    return [head, *(f"{' ' * indent}{row}" if row else "" for row in rows)]


def wrapped(row: str, indent: int, hang: str = "") -> list[str]:
    """Return the lines of a long line, broken at spaces, all but the first with ``hang``."""
    return textwrap.wrap(row, WIDTH - indent, subsequent_indent=hang, **_WRAP) or [""]


# -- comments of an import in a file: what was guessed, and what has no home -----------------------

_GUESS = MARK.removeprefix("# ")
_KEY = re.compile(r"\s*(?:- )*([\w-]+):(?:\s|$)")


class Doubt(Struct, frozen=True):
    """A comment of an import, and where it is (lines and columns from 1).

    ``words`` are what it says. ``key`` is the key of the value that was guessed, empty for a whole
    item; ``value`` is where that value stands, or the item's first one, None for a loss.
    """

    kind: Literal["guess", "lost"]
    words: str
    line: int
    column: int
    end_line: int
    end_column: int
    key: str = ""
    value: Place | None = None


class _Scalar(NamedTuple):
    """A text of the file, with its first and last position, from 0; a block's begins below."""

    begin: tuple[int, int]
    end: tuple[int, int]
    is_block: bool
    place: Place


def doubts(text: str) -> list[Doubt]:
    """Return the doubts of a text, in its order; none if it isn't YAML."""
    if MARK not in text and LOSS not in text:
        return []
    scalars = []
    try:
        for event in yaml.parse(text, Loader=LOADER):
            begin, end = event.start_mark, event.end_mark
            if isinstance(event, yaml.ScalarEvent) and begin and end:
                places = (begin.line, begin.column), (end.line, end.column)
                scalars.append(_Scalar(*places, event.style in ("|", ">"), mark(event)))
    except (yaml.YAMLError, ValueError, OverflowError):
        return []
    lines, doubts = LINE_BREAK.split(text), list[Doubt]()
    comments = [one for at, line in enumerate(lines) if (one := _comment(at, line, scalars))]
    for at, (row, column, words) in enumerate(comments):
        is_alone = not lines[row][:column].strip()
        if words == _GUESS or words.startswith(f"{_GUESS} "):
            rest = words.removeprefix(_GUESS).strip()
            place = row + 1, column + 1, row + 1, len(lines[row]) + 1
            doubts.append(Doubt("guess", rest, *place, *_value(row, column, lines, scalars)))
        elif is_alone and words.startswith(LOSS):
            last, more = row, [words.removeprefix(LOSS).lstrip(":, ")]
            for before, after in pairwise(comments[at:]):
                follows = after[:2] == (before[0] + 1, column)
                if not follows or after[2].startswith((LOSS, _GUESS)):
                    break
                last, more = after[0], [*more, after[2]]
            place = row + 1, column + 1, last + 1, len(lines[last]) + 1
            doubts.append(Doubt("lost", " ".join(more), *place))
    return doubts


def _comment(row: int, line: str, scalars: list[_Scalar]) -> tuple[int, int, str] | None:
    """Return where the comment of a line begins, and its words; None if there is none."""
    if "#" not in line or line == f"# {MARKED}":
        return None
    for found in re.finditer(r"(?:^|(?<=\s))#", line):
        place = row, found.start()
        at = bisect_right(scalars, place, key=lambda scalar: scalar.begin)
        before = scalars[at - 1] if at else _Scalar(place, place, False, (1, 1, 1, 1))
        # The comment of a block's own first line is none of its text.
        if place >= before.end or (before.is_block and row == before.begin[0]):
            return *place, line[found.end() :].strip()
    return None


def _value(
    row: int, column: int, lines: list[str], scalars: list[_Scalar]
) -> tuple[str, Place | None]:
    """Return the key and the place of the value that a mark is about."""
    before = bisect_left(scalars, (row, column), key=lambda scalar: scalar.begin)
    if lines[row][:column].strip() and before:
        scalar = scalars[before - 1]
        key = _KEY.match(lines[scalar.begin[0]])
        return key[1] if key else "", scalar.place
    after = scalars[before : before + 2]
    # A key, and then its value.
    first = after[1:2] if after and _KEY.match(lines[after[0].begin[0]]) else after[:1]
    return "", first[0].place if first else None
