"""ORCID's record as XML, as the tree that its JSON is: the same names, in another writing."""

from __future__ import annotations

from cvbuild.importers.sources import located_xml
from cvbuild.importers.sources.located import Value
from cvbuild.importers.sources.located_xml import Element


class _Part(Value):
    """A value whose text is also that under ``value``, as JSON has many of them."""

    __slots__ = ()

    def mapping(self, key: str) -> Value:
        one = self.get(key)
        if one is not None and isinstance(one.data, str):
            return _Part({"value": one}, one.place, one.path)
        return super().mapping(key)


def parse(data: bytes, name: str) -> Value:
    """Return the tree of a record, called ``name`` in messages; raise a located CvbuildError."""
    root = located_xml.parse(data, name)
    if root.name == "record":
        return _part(root)
    # A person or its activities by themselves are parts of a record.
    made = Value({}, root.place)
    made.add(root.name, _part(root))
    return made


def _part(element: Element) -> Value:
    """Return an element: a text, or a mapping of its attributes and children."""
    text = " ".join("".join(part for part in element.parts if isinstance(part, str)).split())
    if not element.attributes and not element.children:
        return _Part(text, element.place)
    made = _Part({}, element.place)
    for key, words in element.attributes.items():
        made.add(key, _Part(words, element.place))
    if text:
        made.add("value", _Part(text, element.place))
    names = [child.name for child in element.children]
    for key in dict.fromkeys(names):
        several = [child for child in element.children if child.name == key]
        if element.name == "affiliation-group" and key.endswith("-summary"):
            _add_all(made, "summaries", [_under(key, child) for child in several])
        elif len(several) == 1:
            made.add(key, _part(several[0]))
        else:
            _add_all(made, key, [_part(child) for child in several])
    return made


def _add_all(made: Value, key: str, values: list[Value]) -> None:
    several = _Part([], made.place)
    made.add(key, several)
    for value in values:
        several.add(None, value)


def _under(key: str, element: Element) -> Value:
    made = _Part({}, element.place)
    made.add(key, _part(element))
    return made
