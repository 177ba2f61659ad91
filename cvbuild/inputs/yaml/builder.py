"""Build data and the positions of its nodes from YAML events, within limits, without recursion.

Limits: ``MAX_DEPTH`` nested collections, ``MAX_VALUES`` scalars (keys and values) and
``MAX_PROBLEMS`` diagnostics per file. They are checked while the events stream in, before memory
runs out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from typing import TYPE_CHECKING, Any, Self

import yaml
from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.diagnostics import Diagnostic, Place, Span, place_of, quoted

if TYPE_CHECKING:
    from cvbuild.inputs.yaml.syntax import Quoting

MAX_DEPTH = 30
MAX_VALUES = 120_000
MAX_PROBLEMS = 100

LINE_BREAK = re.compile(r"\r\n|\r|\n")
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|\r\n|.)", re.DOTALL)
_ITSELF = "write the character itself"
#: Reads events and nodes ten times as fast as PyYAML's own.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
#: Control characters, lone surrogates, non-characters, line breaks that editors don't show as
#: such (NEL, LS, PS) and the byte order mark: never part of a name or a sentence.
NEVER = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
)


class Node(Struct):
    """A value with its position and that of its key: a text, nothing, or further nodes.

    ``file`` is the name of the file in messages, if it differs from that of the parent node;
    ``private`` says that no message may quote the value, or what is in it.
    """

    place: Place
    key: Place | None = None
    value: dict[str, Node] | list[Node] | str | None = None
    file: str | None = None
    private: bool = False

    @classmethod
    def of(
        cls, data: object, place: Place, key: Place | None = None, file: str | None = None
    ) -> Self:
        """Return plain data as a node, all of it at one place."""
        value: Any = data
        if isinstance(data, Mapping):
            value = {name: cls.of(inner, place, place) for name, inner in data.items()}
        elif isinstance(data, list):
            value = [cls.of(inner, place) for inner in data]
        return cls(place, key, value, file)

    @property
    def data(self) -> Any:
        """The value as plain data: only ``dict[str, ...]``, ``list``, ``str`` and ``None``."""
        if isinstance(self.value, dict):
            return {key: node.data for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.data for node in self.value]
        return self.value

    @property
    def fields(self) -> dict[str, Node]:
        """What a mapping holds; nothing for any other value."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> list[Node]:
        """What a list holds; nothing for any other value."""
        return self.value if isinstance(self.value, list) else []

    def child(self, step: str | int) -> Node | None:
        """Return what is at a key or an index; None if there is nothing."""
        if isinstance(step, str):
            return self.fields.get(step)
        return self.items[step] if 0 <= step < len(self.items) else None

    def without(self, keys: Container[str]) -> Node:
        """Return a mapping without these keys; any other value as it is."""
        rest = {key: node for key, node in self.fields.items() if key not in keys}
        return replace(self, value=rest) if len(rest) < len(self.fields) else self

    def in_file(self, file: str | None) -> Node:
        """Return the node with the file that it is from, if it doesn't say so itself."""
        return self if self.file else replace(self, file=file)


class _Frame(Struct):
    """An open collection; ``key`` is the pending key of a mapping, None if it was refused."""

    node: Node
    flow: bool
    wants_key: bool
    key: str | None = None
    key_place: Place | None = None
    is_key: bool = False


class Builder:
    """Turns events into data and nodes; problems are collected, and the first fatal one ends it.

    ``personal`` says whether the text is a person's file or an overlay.
    """

    def __init__(self, text: str, name: str, *, personal: bool) -> None:
        self.text = text
        self.name = name
        self.personal = personal
        self.problems: list[Diagnostic] = []
        self.root: Node | None = None
        self._stack: list[_Frame] = []
        self._last: Place | None = None  # of the last quoted scalar, for syntax errors
        self._values = 0
        self._done = False

    def run(self) -> None:
        """Read all events, or up to the first problem that ends the reading."""
        loader: Any = LOADER(self.text)
        try:
            self._read(loader.get_event)
        except yaml.MarkedYAMLError as error:
            from cvbuild.inputs.yaml.syntax import explain

            code, message, hint, place = explain(self._quoting(), self.text, error, self._last)
        except (yaml.YAMLError, ValueError, OverflowError):
            # The pure Python scanner lets chr() refuse "\UFFFFFFFF".
            at = loader.get_mark() if hasattr(loader, "get_mark") else None
            line, column = (at.line + 1, at.column + 1) if at else (1, 1)
            code, hint, place = "yaml-escape", _ITSELF, (line, column, line, column + 1)
            message = "this escape stands for no character" if at else "this can't be read"
        else:
            return
        finally:
            loader.dispose()
        # A refused alias or the like on its line explains it.
        last = self.problems[-1] if self.problems else None
        explained = last is not None and last.code in ("yaml-alias", "yaml-anchor", "yaml-tag")
        if not (explained and last and last.span and last.span.line == place[0]):
            self._report(code, message, hint, place)

    def _read(self, get_event: Callable[[], Any]) -> None:
        documents = 0
        while not self._done:
            event = get_event()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                self._scalar(event)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._open(event, kind is yaml.MappingStartEvent)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._close(event)
            elif kind is yaml.AliasEvent:
                self._refuse("*", event)
                self._add(Node(mark(event)))
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    hint = "delete this line, or move what follows to a file of its own"
                    message = "a second document begins here; a file holds one person"
                    self._report("yaml-second-document", message, hint, mark(event), is_last=True)
            elif kind is yaml.StreamEndEvent:
                return

    def _quoting(self) -> Quoting:
        from cvbuild.inputs.yaml.syntax import Quoting

        return Quoting(self.name, LINE_BREAK.split(self.text), self.personal)

    def _report(
        self, code: str, message: str, hint: str | None, place: Place, *, is_last: bool = False
    ) -> None:
        """Report a problem, perhaps one after which nothing more is read."""
        self._done = self._done or is_last
        self.problems.append(Diagnostic("error", code, message, Span(self.name, *place), hint))
        if len(self.problems) == MAX_PROBLEMS:
            message = f"only the first {MAX_PROBLEMS} problems are shown"
            self.problems.append(Diagnostic("note", "yaml-more", message, Span(self.name)))
            self._done = True

    def _refuse(self, char: str, event: Any) -> None:
        """Report an alias (``*``), an anchor (``&``) or a tag (``!``) in front of the event."""
        from cvbuild.inputs.yaml.syntax import refused_start

        if self.problems and self.problems[-1].code == "yaml-merge":
            return
        start = event.start_mark
        match = re.compile(r"[^\s,\[\]{}]*").match(self.text, start.index)
        word = match.group() if match else char
        called = quoted(word, 30) if self._quoting().allows(start.line) else "it"
        hint = f"delete {called}, or put the value in quotes if it is text"
        if char == "*":
            hint = "write out the value again, or put the value in quotes if it is text"
        line, column = start.line + 1, start.column + 1
        self._report(*refused_start(char), hint, (line, column, line, column + len(word)))

    def _scalar(self, event: Any) -> None:
        if event.anchor is not None or event.tag is not None:
            self._refuse("&" if self.text[event.start_mark.index] == "&" else "!", event)
        value: str | None = event.value
        place = mark(event)
        plain = not event.style
        if plain:
            if value in _NULLS:
                value = None
        elif event.style in "\"'":
            self._last = place
            if event.style == '"' and NEVER.search(event.value):
                self._escaped(event.start_mark.index, event.end_mark.index)
        self._add(Node(place, value=value), plain=plain)
        self._values += 1
        if self._values > MAX_VALUES:
            message = f"the file has more than {MAX_VALUES:,} values"
            hint = "a CV has a few thousand; is this the right file?"
            self._report("yaml-too-large", message, hint, place, is_last=True)

    def _escaped(self, start: int, end: int) -> None:
        """Report a double-quoted text that spells a control character, such as ``"\\x07"``."""
        for match in _ESCAPE.finditer(self.text, start, end):
            escape = match[0]
            char = chr(int(escape[2:], 16)) if escape[1] in "xuU" else ""
            if NEVER.match(char) or escape[1] in "0abevfrNLP":
                code, what = "yaml-character", "a character that can't be in a CV"
                hint = "delete it, or put a space there"
                if "\ud800" <= char <= "\udfff":
                    code, what, hint = "yaml-escape", "no character", _ITSELF
                place = place_of(self.text, *match.span())
                self._report(code, f"the escape {escape} stands for {what}", hint, place)
                return

    def _open(self, event: Any, mapping: bool) -> None:
        if event.anchor is not None or event.tag is not None:
            self._refuse("&" if self.text[event.start_mark.index] == "&" else "!", event)
        node = Node(mark(event), value={} if mapping else [])
        is_key = bool(self._stack) and self._stack[-1].wants_key
        if not is_key:
            self._add(node)
        self._stack.append(_Frame(node, bool(event.flow_style), mapping, is_key=is_key))
        if len(self._stack) > MAX_DEPTH:
            message = f"nested more than {MAX_DEPTH} levels deep"
            hint = "a CV needs fewer than ten: remove brackets or indentation"
            self._report("yaml-too-deep", message, hint, node.place, is_last=True)

    def _close(self, event: Any) -> None:
        frame = self._stack.pop()
        node = frame.node
        if frame.flow:
            node.place = (*node.place[:2], event.end_mark.line + 1, event.end_mark.column + 1)
        elif inside := [*node.fields.values()][-1:] or node.items[-1:]:
            node.place = (*node.place[:2], *inside[0].place[2:])
        if frame.is_key:
            kind = "a list" if isinstance(node.value, list) else "a mapping"
            hint = "put it in quotes if it is text"
            self._report("yaml-key", f"a key must be text, not {kind}", hint, node.place)
            parent = self._stack[-1]
            parent.key, parent.wants_key = None, False

    def _add(self, node: Node, *, plain: bool = False) -> None:
        """Put a value, or a key, where the stack says it belongs."""
        if not self._stack:
            self.root = node
            return
        frame = self._stack[-1]
        inside = frame.node.value
        if frame.wants_key:
            frame.wants_key = False
            frame.key = self._key(frame.node, node.value, node.place, plain)
            frame.key_place = node.place
        elif isinstance(inside, list):
            inside.append(node)
        elif isinstance(inside, dict):
            if frame.key is not None:
                node.key = frame.key_place
                inside[frame.key] = node
            frame.wants_key = True

    def _key(self, holder: Node, key: object, place: Place, plain: bool) -> str | None:
        """Return the key of a mapping that has it there; None for one that is refused."""
        if not isinstance(key, str):
            message = "a key is missing or null here"
            hint = 'write a key before the ":", in quotes if it is "null" or "~"'
            self._report("yaml-key", message, hint, place)
        elif plain and key == "<<":
            message = 'merge keys ("<<") are not accepted'
            self._report("yaml-merge", message, "write out the keys that it stands for", place)
        elif first := holder.fields.get(key):
            line, column = (first.key or first.place)[:2]
            quotes = self._quoting().allows(place[0] - 1)
            called = f"the key {quoted(key)}" if quotes else "this key"
            message = f"{called} is already on line {line}, column {column}"
            self._report("yaml-duplicate-key", message, "keep one of the two", place)
        else:
            return key
        return None


def mark(event: Any) -> Place:
    """Return the place of an event."""
    start, end = event.start_mark, event.end_mark
    return start.line + 1, start.column + 1, end.line + 1, end.column + 1
