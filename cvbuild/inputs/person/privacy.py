"""Remove private values from the data, so that nothing after this stage can show them.

Private is a mapping with ``private: true`` (an item, a bullet, a group, a section, a role, an
e-mail address, a phone number), and any value written as ``{value: X, private: true}``. A flag with
any value but a clear "no" removes what it belongs to; ``faults`` reports wrong flags.

Pure: no file, no clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from cvbuild.common.diagnostics import (
    ALIKE,
    Diagnostic,
    FieldPath,
    Span,
    form,
    nearest,
    shown_value,
)
from cvbuild.inputs.yaml.tree import FLAG, VALUE, Node, PrivateValue, Source

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


def public(source: Source) -> Source:
    """Return the source without everything private, and without what that leaves empty."""
    private: list[PrivateValue] = []
    tree = _without(source.tree, (), source.name, private) or replace(source.tree, value={})
    return replace(source, text="", tree=tree, private=tuple(private))


def everything(source: Source) -> Source:
    """Return the source with nothing removed; what is private is marked, and its flags say no."""
    tree = _without(source.tree, (), source.name, None) or replace(source.tree, value={})
    return replace(source, text="", tree=tree)


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


def _without(
    node: Node, path: FieldPath, file: str, removed: list[PrivateValue] | None
) -> Node | None:
    """Return a copy of a node without flags; None if nothing is left of it.

    What is private is added to ``removed``, or stays and is marked if that is None.
    """
    file, parts = node.file or file, node.fields
    if isinstance(node.value, list):
        inside = [_without(part, (*path, at), file, removed) for at, part in enumerate(node.value)]
        items = [part for part in inside if part is not None]
        return replace(node, value=items) if items or not inside else None
    if not isinstance(node.value, dict):
        return node
    wrapped = _is_wrapped(parts, path)
    is_private = _is_private(parts, path, wrapped=wrapped)
    if is_private and removed is not None:
        span = Span(file, *(node.key or node.place))
        texts = dict.fromkeys(text for _, text in facts((parts[VALUE] if wrapped else node).data))
        removed.append(PrivateValue(path, span, tuple(texts)))
        return None
    if wrapped:
        inner = replace(parts[VALUE].in_file(node.file), key=node.key)
        inner = replace(inner, private=is_private or node.private or inner.private)
        return _without(inner, path, file, removed)
    kept = {key: _without(part, (*path, key), file, removed) for key, part in parts.items()}
    if removed is None and FLAG in parts and says_yes(parts[FLAG].value) and not _is_setting(path):
        # For a document that shows it nevertheless. Why the flag isn't always removed: one in a
        # place without flags must remain an error.
        flag = kept.pop(FLAG)
        if flag is not None and not _is_labelled(path):
            kept[FLAG] = replace(flag, value="false")
    rest = {key: part for key, part in kept.items() if part is not None}
    # Nothing is left of a section, or a group in it, without items.
    is_holder = path[:1] == ("sections",) and path[-2:-1] in (("sections",), ("groups",))
    if len(rest) < len(parts) and not (rest.keys() & {"items", "groups"} if is_holder else rest):
        return None
    return replace(node, value=rest, private=is_private or node.private)


def _is_wrapped(parts: Mapping[str, Node], path: FieldPath) -> bool:
    """Return whether a mapping is a value with a flag, which may be misspelt or removed."""
    if VALUE not in parts or len(parts) > len((VALUE, FLAG)):
        return False
    others = [key for key in parts if key != VALUE]
    if others == [FLAG]:
        # Two variants may have these names.
        return path != ("variants",) or not isinstance(parts[FLAG].value, dict)
    # Elsewhere "value" may be the person's own word: a label, an option, a variant.
    if _is_setting(path) or _is_labelled(path) or "links" in path[-2:]:
        return False
    return not others or nearest(others[0], [FLAG]) is not None


def _is_private(parts: Mapping[str, Node], path: FieldPath, *, wrapped: bool) -> bool:
    flag = parts.get(FLAG)
    if wrapped:
        return len(parts) > 1 and not (flag and says_no(flag.value))
    return flag is not None and not _is_setting(path) and not says_no(flag.value)


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


def faults(node: Node, file: str, path: FieldPath = ()) -> Iterator[Diagnostic]:
    """Yield the errors of flags that the model never sees, in the order of the file."""
    file, parts = node.file or file, node.fields
    if parts:
        wrapped = _is_wrapped(parts, path)
        if wrapped or (FLAG in parts and path != ("variants",)) or _is_labelled(path):
            yield from _of_flag(parts, path, file, wrapped=wrapped)
        is_removed = wrapped and _is_private(parts, path, wrapped=True)
        if is_removed and _controls(path) and path[-1] != FLAG:
            name = next(str(step) for step in reversed(path) if isinstance(step, str))
            hint = "no document shows it"
            if path[0] == "variants" and len(path) == len(("variants", name)):
                hint = "a private document has private: true among its keys"
            elif path[0] == "sections":
                thing = "section" if len(path) == len(("sections", 0, name)) else "item"
                hint += f"; make the whole {thing} private"
            span = Span(file, *(node.key or node.place))
            yield Diagnostic("error", "private-alone", f"{name} can't be private", span, hint)
        for key, inner in parts.items():
            yield from faults(inner, file, path if wrapped else (*path, key))
    for at, inner in enumerate(node.items):
        yield from faults(inner, file, (*path, at))


def _of_flag(
    parts: Mapping[str, Node], path: FieldPath, file: str, *, wrapped: bool
) -> Iterator[Diagnostic]:
    if FLAG in parts:
        flag = parts[FLAG].value
        nested = _is_wrapped(parts[FLAG].fields, (*path, FLAG))
        unseen = wrapped or _is_labelled(path) or nested
        unseen = unseen or (flag is None and not _is_setting(path))
        if unseen and not (says_yes(flag) or says_no(flag)):
            span = Span(file, *parts[FLAG].place)
            wrong = "has a wrong value" if isinstance(flag, str) else f"can't be {form(flag)}"
            message = f"private {wrong}" if flag is not None else "private is empty"
            yield Diagnostic("error", "private", message, span, "write true or false")
        return
    for key in parts.keys() - {VALUE} if wrapped else parts:
        # Among the person's own labels, only a misspelt flag is an error.
        label, flag = key.strip(), parts[key].value
        is_misspelt = (
            (says_yes(flag) or says_no(flag))
            and abs(len(label) - len(FLAG)) <= 1
            and nearest(label, [FLAG]) is not None
        )
        if wrapped or is_misspelt:
            span = Span(file, *(parts[key].key or parts[key].place))
            quoted = f" {shown_value(key)}" if nearest(key, [FLAG], ALIKE) else ""
            message = f"unknown key{quoted}"
            yield Diagnostic("error", "private", message, span, _FORM)
