"""Remove private values from the data, so that nothing after this stage can show them.

Private is a mapping with ``private: true`` (an item, a bullet, a group, a section, a role, an
e-mail address, a phone number), and any value written as ``{value: X, private: true}``. A flag with
any value but a clear "no" removes what it belongs to; ``faults`` reports wrong flags.

Pure: no file, no clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span, form, nearest, unknown
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import PrivateValue, Source

#: The two keys of a value with a flag.
VALUE, FLAG = "value", "private"
#: The values of a flag, as the model reads them; any other is an error.
_YES = frozenset(("1", "on", "t", "true", "y", "yes"))
_NO = frozenset(("0", "f", "false", "n", "no", "off"))
#: Keys whose values control a document and are not facts of the person.
_CONTROLS = frozenset(
    ("bib", "id", "keep", "kind", "me", "numbering", "order", "priority", "private", "tags")
)
#: Keys of a variant that documents print; all others select.
_PRINTED = ("headline", "summary", "titles")
_FORM = "write {value: …, private: true}"

_Found = tuple[object, Node]


def public(source: Source) -> Source:
    """Return the source without everything private, and without what that leaves empty."""
    walk = _Walk(source.name, keep=False)
    nothing: _Found = {}, replace(source.tree, children={})
    data, tree = walk.value(source.data, source.tree, ()) or nothing
    return replace(source, text="", data=data, tree=tree, private=tuple(walk.private))


def everything(source: Source) -> Source:
    """Return the source with nothing removed: plain values, and flags that say no.

    The nodes of what is private are marked.
    """
    data, tree = _Walk(source.name, keep=True).value(source.data, source.tree, ()) or ({}, None)
    return replace(source, text="", data=data, tree=tree or source.tree)


def faults(source: Source) -> Iterator[Diagnostic]:
    """Yield the errors of flags that the model never sees, in the file's order."""
    yield from _faults(source.data, source.tree, (), source.name)


def facts(value: object, path: FieldPath = ()) -> Iterator[tuple[FieldPath, str]]:
    """Yield each text below a value of a file that is a fact of the person, with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in _CONTROLS:
                yield from facts(inner, (*path, key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from facts(inner, (*path, at))


class _Walk(Struct):
    """Copies data and tree where they change; ``keep`` says whether private values stay in."""

    file: str
    keep: bool
    private: list[PrivateValue] = field(default_factory=list)

    def value(self, data: Any, node: Node, path: FieldPath) -> _Found | None:
        """Return the rest of a value, and its node; None for nothing."""
        outer, self.file = self.file, node.file or self.file
        try:
            if isinstance(data, dict):
                return self.mapping(data, node, path)
            return self.list(data, node, path) if isinstance(data, list) else (data, node)
        finally:
            self.file = outer

    def mapping(self, data: dict[str, Any], node: Node, path: FieldPath) -> _Found | None:
        """Do the same for a mapping, which may be a value with its flag."""
        wrapped = _is_wrapped(data, path)
        if not self.keep and _is_private(data, path, wrapped=wrapped):
            self.record(data[VALUE] if wrapped else data, node, path)
            return None
        if _is_private(data, path, wrapped=wrapped):
            node = replace(node, private=True)
        below: Any = node.children
        if wrapped:
            inner: Node = below[VALUE]
            inner = replace(inner, key=node.key, file=inner.file or node.file)
            inner = replace(inner, private=node.private or inner.private)
            return self.value(data[VALUE], inner, path)
        parts = {key: self.value(data[key], below[key], (*path, key)) for key in data}
        if self.keep:
            self.say_no(data, parts, path)
        rest = {key: one for key, one in parts.items() if one is not None}
        if len(rest) < len(data) and (not rest or _is_empty(rest, data, path)):
            return None
        if len(rest) == len(data) and all(one[1] is below[key] for key, one in rest.items()):
            return data, node
        nodes = {key: one[1] for key, one in rest.items()}
        return {key: one[0] for key, one in rest.items()}, replace(node, children=nodes)

    def list(self, data: list[Any], node: Node, path: FieldPath) -> _Found | None:
        """Do the same for a list."""
        below: Any = node.children
        parts = [self.value(one, below[at], (*path, at)) for at, one in enumerate(data)]
        rest = [one for one in parts if one is not None]
        if data and not rest:
            return None
        if len(rest) == len(data) and all(
            one[1] is old for one, old in zip(rest, below, strict=True)
        ):
            return data, node
        return [one[0] for one in rest], replace(node, children=[one[1] for one in rest])

    def say_no(
        self, data: dict[str, Any], parts: dict[str, _Found | None], path: FieldPath
    ) -> None:
        """Turn off the flag of a mapping, for a document that shows it nevertheless."""
        if not says_yes(data.get(FLAG)) or _is_setting(path):
            return
        flag = parts.pop(FLAG)
        # Why it isn't always removed: a flag in a place without flags must remain an error.
        if flag is not None and not _is_labelled(path):
            parts[FLAG] = ("false", replace(flag[1]))

    def record(self, value: object, node: Node, path: FieldPath) -> None:
        """Record a value that is removed."""
        span = Span(self.file, *(node.key or node.place))
        texts = dict.fromkeys(text for _, text in facts(value))
        self.private.append(PrivateValue(path, span, tuple(texts)))


def _is_wrapped(data: dict[str, Any], path: FieldPath) -> bool:
    """Return whether a mapping is a value with a flag, which may be misspelt or removed."""
    if VALUE not in data or len(data) > len((VALUE, FLAG)):
        return False
    others = [key for key in data if key != VALUE]
    if others == [FLAG]:
        # Two variants may have these names.
        return path != ("variants",) or not isinstance(data[FLAG], dict)
    # Elsewhere "value" may be the person's own word: a label, an option, a variant.
    if _is_setting(path) or _is_labelled(path) or "links" in path[-2:]:
        return False
    return not others or nearest(others[0], [FLAG]) is not None


def _is_private(data: dict[str, Any], path: FieldPath, *, wrapped: bool) -> bool:
    if wrapped:
        return len(data) > 1 and not says_no(data.get(FLAG))
    if FLAG not in data or _is_setting(path):
        return False
    return not says_no(data[FLAG])


def says_yes(flag: object) -> bool:
    """Return whether a flag clearly says that its value is private."""
    return isinstance(flag, str) and flag.lower() in _YES


def says_no(flag: object) -> bool:
    """Return whether a flag clearly says that its value is public."""
    return isinstance(flag, str) and flag.lower() in _NO


def _is_setting(path: FieldPath) -> bool:
    """Return whether a mapping controls documents; a variant's flag says what it shows."""
    return path[:1] in (("options",), ("variants",))


def _is_labelled(path: FieldPath) -> bool:
    """Return whether the keys of a mapping are printed words that the person chose."""
    return path == ("contact", "other") or path[-1:] == ("marks",)


def _is_empty(rest: dict[str, Any], data: dict[str, Any], path: FieldPath) -> bool:
    """Return whether a section or a group lost all its items."""
    if path[:1] != ("sections",) or not isinstance(path[-1], int):
        return False
    if len(path) == len(("sections", 0)):
        return not {"items", "groups"} & rest.keys()
    return path[-2] == "groups" and "items" in data and "items" not in rest


def _controls(path: FieldPath) -> bool:
    """Return whether a value only controls what documents show.

    Without it a public document would be a different one, and might show more.
    """
    if path[:1] == ("variants",):
        return not set(path[2:3]) & set(_PRINTED)
    if path[:1] == ("options",):
        return path[-1] != "footer"
    keys = [step for step in path[-2:] if isinstance(step, str)]
    inside = path[:1] == ("sections",) and not _is_labelled(path[:-1])
    return path == ("template",) or (inside and bool(keys) and keys[-1] in _CONTROLS)


def _faults(data: Any, node: Node, path: FieldPath, file: str) -> Iterator[Diagnostic]:
    file, below = node.file or file, node.children
    if isinstance(data, dict) and isinstance(below, dict):
        wrapped = _is_wrapped(data, path)
        if wrapped or (FLAG in data and path != ("variants",)) or _is_labelled(path):
            yield from _of_flag(data, below, path, file)
        is_removed = wrapped and _is_private(data, path, wrapped=True)
        if is_removed and _controls(path) and path[-1] != FLAG:
            yield _alone(path, Span(file, *(node.key or node.place)))
        for key, inner in data.items():
            yield from _faults(inner, below[key], path if wrapped else (*path, key), file)
    elif isinstance(data, list) and isinstance(below, list):
        for at, inner in enumerate(data):
            yield from _faults(inner, below[at], (*path, at), file)


def _of_flag(
    data: dict[str, Any], below: dict[str, Node], path: FieldPath, file: str
) -> Iterator[Diagnostic]:
    """Yield the errors of the flag of a value or a mapping; the model reports those of an item."""
    flag, wrapped = data.get(FLAG), _is_wrapped(data, path)
    if FLAG in data:
        nested = isinstance(flag, dict) and _is_wrapped(flag, (*path, FLAG))
        unseen = wrapped or _is_labelled(path) or nested
        unseen = unseen or (flag is None and not _is_setting(path))
        if unseen and not (says_yes(flag) or says_no(flag)):
            span = Span(file, *below[FLAG].place)
            wrong = "has a wrong value" if isinstance(flag, str) else f"can't be {form(flag)}"
            message = f"private {wrong}" if flag is not None else "private is empty"
            yield Diagnostic("error", "private", message, span, "write true or false")
        return
    for key in data.keys() - {VALUE} if wrapped else data:
        # Among the person's own labels, only a misspelt flag is an error.
        if wrapped or _is_misspelt(key, data[key]):
            span = Span(file, *(below[key].key or below[key].place))
            message = unknown("key", key, (FLAG,))
            yield Diagnostic("error", "private", message, span, _FORM)


def _is_misspelt(label: str, value: object) -> bool:
    """Return whether a label is one letter away from the flag's name and has a flag's value."""
    if not (says_yes(value) or says_no(value)):
        return False
    return abs(len(label.strip()) - len(FLAG)) <= 1 and nearest(label.strip(), [FLAG]) is not None


def _alone(path: FieldPath, span: Span) -> Diagnostic:
    """Return the error for a flag at a value that is not a fact of the person."""
    name = next(str(step) for step in reversed(path) if isinstance(step, str))
    hint = "no document shows it"
    if path[0] == "variants" and len(path) == len(("variants", name)):
        hint = "a private document has private: true among its keys"
    elif path[0] == "sections":
        thing = "section" if len(path) == len(("sections", 0, name)) else "item"
        hint += f"; make the whole {thing} private"
    return Diagnostic("error", "private-alone", f"{name} can't be private", span, hint)
