"""Read a YAML text: plain data, and the position of every value and key in it.

Scalars stay the text that was written (``no``, ``1.10``, ``2024-01-01``); only null is resolved.
Only the YAML that facts need is accepted: no aliases, anchors, merge keys, tags or second
documents. A ``%YAML 1.x`` line is accepted. At most ``MAX_BYTES`` of UTF-8 are read, from regular
files only.

Limits: ``MAX_DEPTH`` nested collections, ``MAX_VALUES`` scalars (keys and values) and
``MAX_PROBLEMS`` diagnostics per file. They are checked while the events stream in, before memory
runs out, and without recursion.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from msgspec import Struct

from cvbuild.common.diagnostics import Diagnostic, Place, ProfileError, Span, quoted, shown
from cvbuild.common.files import safe_files
from cvbuild.inputs.yaml.tree import Node, Source

if TYPE_CHECKING:
    from cvbuild.inputs.yaml.syntax import Quoting

MAX_BYTES = 1 << 20
#: How a person's file, and an overlay, may begin.
BEGIN, OVERLAY_BEGIN = "name: Your Name", "contact:"
_TOO_LARGE = (
    "the file is larger than 1 MiB",
    "a CV of 20 pages takes about 0.1 MiB; is this the right file?",
)
_NAMES = {0: "NUL", 0xFEFF: "byte order mark", 0x85: "next line", 0x7F: "delete", 0x1B: "escape"}
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


def load(path: Path, begin: str = BEGIN, *, text: str | None = None) -> Source:
    """Read and parse ``path``; raise :class:`ProfileError` with everything that is wrong.

    ``begin`` is how such a file may begin, for hints; ``text`` is what it will hold once it is
    saved, if it isn't to be read.
    """
    name = name_of(path)
    return parse(decoded(bytes_of(path), name) if text is None else text, name, begin)


def text_of(path: Path) -> tuple[str, str]:
    """Return the name in messages and the content of a text file, within a YAML file's limits."""
    name = name_of(path)
    text = decoded(bytes_of(path), name)
    _require_characters(text, name)
    return name, text


def parse(text: str, name: str, begin: str = BEGIN) -> Source:
    """Parse ``text``, called ``name`` in messages; raise :class:`ProfileError`."""
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise _failed(name, "yaml-too-large", *_TOO_LARGE)
    _require_characters(text, name)
    builder = Builder(text, name, personal=begin in (BEGIN, OVERLAY_BEGIN))
    builder.run()
    if builder.problems:
        raise ProfileError(builder.problems)
    root = builder.root
    if root is None or root.value is None:
        copied = ', or copy a file that "cvbuild new" makes' if begin == BEGIN else ""
        hint = f'begin with "{begin}"{copied}'
        raise _failed(name, "yaml-empty", "the file holds no data", hint)
    if not isinstance(root.value, dict):
        kind = "a list" if isinstance(root.value, list) else "a text"
        message = f'the file holds {kind}, not "key: value" lines'
        hint = f'begin with a key, such as "{begin}"'
        raise _failed(name, "yaml-top-level", message, hint, root.place)
    return Source(name, text, root)


def _failed(
    name: str, code: str, message: str, hint: str | None = None, place: Place | None = None
) -> ProfileError:
    return ProfileError([Diagnostic("error", code, message, Span(name, *(place or ())), hint)])


def name_of(path: Path) -> str:
    """Return the name of a file in messages: printable, relative to the working folder."""
    try:
        # Why not resolve(): a link is shown as the person knows it.
        name = str(Path(os.path.abspath(path)).relative_to(Path.cwd()))  # noqa: PTH100
    except (ValueError, OSError):
        name = str(path)
    return shown(name)


def bytes_of(path: Path) -> bytes:
    """Return the bytes of a regular file, at most ``MAX_BYTES``; never wait for a pipe."""
    name = name_of(path)
    try:
        return safe_files.read_inside(path, MAX_BYTES)
    except safe_files.OutsideError:
        fact = "a link leads from here to a file outside of the working folder"
        raise _failed(name, "file-link", fact, safe_files.LINK_HINT) from None
    except safe_files.TooLargeError:
        raise _failed(name, "yaml-too-large", *_TOO_LARGE) from None
    except safe_files.NotRegularError:
        kind = "a folder" if path.is_dir() else "not a regular file"
        raise _failed(name, "file-kind", f"this is {kind}", "name a YAML file") from None
    except FileNotFoundError:
        raise _failed(name, "file-missing", "there is no such file", "check the path") from None
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"the file can't be read: {reason[:1].lower()}{reason[1:]}"
        hint = "check the path and its permissions"
        raise _failed(name, "file-unreadable", message, hint) from None


def decoded(data: bytes, name: str) -> str:
    """Return the text of a file called ``name`` in messages; raise :class:`ProfileError`."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")) or data[:64].count(0) > 20:
        message = "the file is in UTF-16 or UTF-32, not UTF-8"
        raise _failed(name, "yaml-encoding", message, "save it as UTF-8 in your editor")
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        byte = data[error.start : error.start + 1]
        before = data[: error.start].decode("utf-8").removeprefix("\ufeff")
        letter = byte.decode("cp1252", "ignore")
        guess = f' (in Windows-1252 it is "{letter}")' if letter and letter.isprintable() else ""
        message = f"byte 0x{byte.hex().upper()} is not UTF-8{guess}"
        hint = "save the file as UTF-8 in your editor"
        place = place_of(before, len(before), len(before) + 1)
        raise _failed(name, "yaml-encoding", message, hint, place) from None


def place_of(text: str, start: int, end: int) -> Place:
    """Return the place of ``text[start:end]``, which must be on one line."""
    breaks = text.count("\n", 0, start) + text.count("\r", 0, start)
    line = 1 + breaks - text.count("\r\n", 0, start)
    begin = 1 + max(text.rfind("\n", 0, start), text.rfind("\r", 0, start))
    return line, start - begin + 1, line, end - begin + 1


def _require_characters(text: str, name: str) -> None:
    """Raise :class:`ProfileError` with the first 100 invisible characters that no CV can have."""
    problems = []
    for match in islice(NEVER.finditer(text), MAX_PROBLEMS):
        code, span = ord(match[0]), Span(name, *place_of(text, *match.span()))
        called = _NAMES.get(code) or unicodedata.name(match[0], "control character").lower()
        called = "half of a surrogate pair" if 0xD800 <= code <= 0xDFFF else called
        fact, hint = f"U+{code:04X} ({called}) can't be in a CV", "delete it, or put a space there"
        problems.append(Diagnostic("error", "yaml-character", fact, span, hint))
    if problems:
        raise ProfileError(problems)


# -- events as nodes -------------------------------------------------------------------------------


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

            problem = explain(self._quoting(), error, self._last)
        except (yaml.YAMLError, ValueError, OverflowError):
            # The pure Python scanner lets chr() refuse "\UFFFFFFFF".
            at = loader.get_mark() if hasattr(loader, "get_mark") else None
            line, column = (at.line + 1, at.column + 1) if at else (1, 1)
            message = "this escape stands for no character" if at else "this can't be read"
            place = Span(self.name, line, column, line, column + 1)
            problem = Diagnostic("error", "yaml-escape", message, place, _ITSELF)
        else:
            return
        finally:
            loader.dispose()
        # A refused alias or the like on its line explains it.
        refused = ("yaml-alias", "yaml-anchor", "yaml-tag")
        lines = [
            each.span and each.span.line for each in self.problems[-1:] if each.code in refused
        ]
        if (problem.span and problem.span.line) not in lines:
            self.problems.append(problem)

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
