"""Plain data of a YAML text, and the position of every value and key in it.

Scalars stay the text that was written (``no``, ``1.10``, ``2024-01-01``); only null is resolved.
Only the YAML that facts need is accepted: no aliases, anchors, merge keys, tags or second
documents. A ``%YAML 1.x`` line is accepted. At most ``MAX_BYTES`` of UTF-8 are read, from regular
files only; ``builder`` has the other limits.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import cached_property
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common import safe_files
from cvbuild.common.diagnostics import Diagnostic, FieldPath, Place, Span, place_of, shown
from cvbuild.common.errors import ProfileError
from cvbuild.inputs.yaml.builder import MAX_PROBLEMS, NEVER, Builder, Node

if TYPE_CHECKING:
    from cvbuild.common.file_state import State
    from cvbuild.model.profile import Call

MAX_BYTES = 1 << 20
#: How a person's file, and an overlay, may begin.
BEGIN, OVERLAY_BEGIN = "name: Your Name", "contact:"
_TOO_LARGE = (
    "the file is larger than 1 MiB",
    "a CV of 20 pages takes about 0.1 MiB; is this the right file?",
)
_NONE: Mapping[str, State] = MappingProxyType({})
_NAMES = {0: "NUL", 0xFEFF: "byte order mark", 0x85: "next line", 0x7F: "delete", 0x1B: "escape"}


class PrivateValue(Struct, frozen=True):
    """A private value that was removed: its path in the file, its position, its texts."""

    path: FieldPath
    span: Span
    texts: tuple[str, ...]

    def __repr__(self) -> str:
        return f"PrivateValue({self.path}, {self.span})"


class Source(Struct, frozen=True, dict=True):
    """A parsed YAML file.

    ``name`` is the file's name in messages; ``private`` lists the values that ``inputs.privacy``
    removed, after which ``text`` is empty. Of what other files add to a person's, ``faults`` are
    the errors, ``files`` have their states from before they were read, whether they exist or not,
    and ``calls`` are those of the variants, each with the place that names it.
    """

    name: str
    text: str
    tree: Node
    private: tuple[PrivateValue, ...] = ()
    faults: tuple[Diagnostic, ...] = ()
    files: tuple[tuple[str, State], ...] = ()
    calls: tuple[tuple[Call, Span], ...] = ()

    @cached_property
    def data(self) -> object:
        """The whole file as plain data."""
        return self.tree.data

    def __repr__(self) -> str:
        return f"Source({self.name!r})"

    def span(self, path: FieldPath) -> Span:
        """Return the position of the value at ``path``, or of its nearest ancestor in the file."""
        node, file = self._node(path)
        return Span(file, *node.place)

    def key_span(self, path: FieldPath) -> Span:
        """Return the position of a key, or of an item's value, or of the nearest ancestor."""
        node, file = self._node(path)
        return Span(file, *(node.key or node.place))

    def is_private(self, path: FieldPath) -> bool:
        """Return whether the value at ``path``, or one that contains it, is marked as private."""
        node: Node | None = self.tree
        for step in path:
            if node is None or node.private:
                break
            child = node.child(step)
            node = node if child is None and isinstance(step, int) else child
        return node is not None and node.private

    def holds_private(self, path: FieldPath) -> bool:
        """Return whether the value at ``path``, or one in it, is marked as private."""
        inside = [self._node(path)[0]]
        while inside and not inside[-1].private:
            node = inside.pop()
            inside += (*node.fields.values(), *node.items)
        return bool(inside) or self.is_private(path)

    def part(self, path: FieldPath) -> Node:
        """Return the value at ``path`` to graft elsewhere; raise KeyError for none."""
        if part := self.find(path):
            return part
        raise KeyError(path)

    def find(self, path: FieldPath) -> Node | None:
        """Return the same, or None for none."""
        node, file = self.tree, self.name
        for step in path:
            child = node.child(step)
            if child is None:
                return None
            node, file = child, child.file or file
        return replace(node, file=file)

    def extended(self, faults: Iterable[Diagnostic], files: Mapping[str, State] = _NONE) -> Source:
        """Return the source after other files were read for it, with their faults and states."""
        return replace(self, faults=(*self.faults, *faults), files=(*self.files, *files.items()))

    def grafted(self, path: FieldPath, node: Node) -> Source:
        """Return the source with a value at ``path``, of which all but the last step must exist."""
        holders = [self.tree]
        for step in path[:-1]:
            inside: Any = holders[-1].value
            holders.append(inside[step])
        for step in reversed(path):
            holder = holders.pop()
            whole: Any = copy(holder.value)
            # A list grows if the step is its length.
            if isinstance(step, int) and step == len(whole):
                whole.append(node)
            else:
                whole[step] = node
            node = replace(holder, value=whole)
        return replace(self, tree=node)

    def _node(self, path: FieldPath) -> tuple[Node, str]:
        node, file = self.tree, self.name
        for step in path:
            child = node.child(step)
            if child is None and isinstance(step, int) and not isinstance(node.value, list):
                continue  # One value may be written for a list of one.
            if child is None:
                break
            node, file = child, child.file or file
        return node, file


def leaves(node: Node, path: FieldPath = ()) -> Iterator[tuple[Node, FieldPath]]:
    """Yield each text and each empty value in a node, with its path."""
    if isinstance(node.value, dict):
        for key, inner in node.value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(node.value, list):
        for at, inner in enumerate(node.value):
            yield from leaves(inner, (*path, at))
    else:
        yield node, path


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
