"""The values of a file, each with its position and that of its key.

Positions stay when a part of another file is put in: a value keeps the name of its file.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from copy import copy
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Place, Span

if TYPE_CHECKING:
    from cvbuild.common.files.file_state import State
    from cvbuild.model.profile import Call

#: The two keys of a value with a flag.
VALUE, FLAG = "value", "private"
_NONE: Mapping[str, State] = MappingProxyType({})


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

    def written(self, key: str) -> Node | None:
        """Return the value of a key with its file; None if it is empty or missing."""
        part = self.fields.get(key)
        return part.in_file(self.file) if part and part.value is not None else None

    def without(self, keys: Container[str]) -> Node:
        """Return a mapping without these keys; any other value as it is."""
        rest = {key: node for key, node in self.fields.items() if key not in keys}
        return replace(self, value=rest) if len(rest) < len(self.fields) else self

    def grafted(self, path: FieldPath, node: Node) -> Node:
        """Return it with a value at ``path``, of which all but the last step must exist."""
        whole: Any = copy(self.value)
        whole[path[0]] = whole[path[0]].grafted(path[1:], node) if path[1:] else node
        return replace(self, value=whole)

    def in_file(self, file: str | None) -> Node:
        """Return the node with the file that it is from, if it doesn't say so itself."""
        return self if self.file else replace(self, file=file)


class PrivateValue(Struct, frozen=True):
    """A private value that was removed: its path in the file, its position, its texts."""

    path: FieldPath
    span: Span
    texts: tuple[str, ...]

    def __repr__(self) -> str:
        return f"PrivateValue({self.path}, {self.span})"


class Source(Struct, frozen=True, dict=True):
    """A parsed YAML file.

    ``name`` is the file's name in messages; ``private`` lists the values that ``person.privacy``
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
        return replace(self, tree=self.tree.grafted(path, node))

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
