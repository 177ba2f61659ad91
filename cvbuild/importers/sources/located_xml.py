"""XML of unknown origin as a tree in which every element has its place.

Python's own expat reads it, which has lines and columns. A document type, and with it entities of
its own, is refused; nothing is fetched. Depth, number of elements and size are limited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from xml.parsers import expat

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.sources.located import Value

#: Elements inside each other.
MAX_DEPTH = 100
MAX_ELEMENTS = 500_000
#: Bytes that expat gets at a time.
_PIECE = 1 << 16
_HINT = "export it once more from where it comes from"


@dataclass(slots=True, eq=False)
class Element:
    """An element: ``name`` and the names of attributes are without their namespace.

    ``parts`` are its texts and elements in their order. ``is_read`` says that an importer has taken
    what it says, ``item`` is the dict that this went to: see ``unread``.
    """

    name: str
    namespace: str
    attributes: dict[str, str]
    place: Span
    parts: list[str | Element] = field(default_factory=list)
    is_read: bool = False
    item: object = None

    @property
    def children(self) -> list[Element]:
        """The elements directly inside."""
        return [part for part in self.parts if isinstance(part, Element)]

    def all(self, *path: str) -> list[Element]:
        """Return the elements at a path of names below this one."""
        found = [self]
        for name in path:
            found = [child for one in found for child in one.children if child.name == name]
        return found

    def first(self, *path: str) -> Element | None:
        """Return the first of them, or None."""
        return next(iter(self.all(*path)), None)

    def text(self, *path: str) -> str:
        """Return the whole text at a path, on one line, and mark it as read; empty if absent."""
        found = self.first(*path)
        words: list[str] = []
        stack: list[str | Element] = [found] if found else []
        while stack:
            part = stack.pop()
            if isinstance(part, Element):
                part.is_read = True
                stack += reversed(part.parts)
            else:
                words.append(part)
        return " ".join("".join(words).split())

    def raw(self, *path: str) -> str:
        """Return the text with its line breaks; elements in it are written as HTML."""
        found = self.first(*path)
        if found is None:
            return ""
        found.read()
        return found.markup() if found.children else "".join(map(str, found.parts)).strip()

    def markup(self) -> str:
        """Return what is inside as HTML."""
        made: list[str] = []
        stack: list[Any] = list(reversed(self.parts))
        while stack:
            part = stack.pop()
            if isinstance(part, Element):
                made.append(f"<{part.name}>")
                stack += [_End(part.name), *reversed(part.parts)]
            elif isinstance(part, _End):
                made.append(f"</{part.name}>")
            else:
                made.append(part.replace("&", "&amp;").replace("<", "&lt;"))
        return "".join(made).strip()

    def read(self) -> None:
        """Mark this element, and all below it, as read."""
        for one in self.walk():
            one.is_read = True

    def walk(self) -> Iterator[Element]:
        """Yield this element and all below it, in the order of the file."""
        stack = [self]
        while stack:
            one = stack.pop()
            yield one
            stack += reversed(one.children)

    def unread(self) -> Iterator[tuple[str, str, Element, object]]:
        """Yield the path, the text, the element and the item of each text that nobody has read."""
        stack: list[tuple[Element, str, object]] = [(self, self.name, self.item)]
        while stack:
            one, path, item = stack.pop()
            own = " ".join("".join(part for part in one.parts if isinstance(part, str)).split())
            if own and not one.is_read:
                yield path, own, one, item
            children = one.children
            names = [child.name for child in children]
            for index in reversed(range(len(children))):
                child = children[index]
                number = names[: index + 1].count(child.name) if len(names) < _NUMBERED else 0
                is_one = not number or names.count(child.name) == 1
                step = child.name if is_one else f"{child.name}[{number}]"
                stack.append((child, f"{path}/{step}", child.item or item))


#: Elements beside each other that are counted in paths.
_NUMBERED = 300


@dataclass(frozen=True, slots=True)
class _End:
    name: str


def parse(data: bytes, name: str) -> Element:
    """Return the root of a file, ``name`` in messages; raises CvbuildError with the place."""
    return _Reader(name).read(data)


class _Reader:
    def __init__(self, name: str) -> None:
        self.name = name
        #: What is around the root.
        self.outside = Element("", "", {}, Span(name))
        self.stack: list[Element] = []
        self.count = 0
        self.parser = parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self.doctype
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text

    def read(self, data: bytes) -> Element:
        try:
            for start in range(0, len(data), _PIECE):
                self.parser.Parse(data[start : start + _PIECE], False)
            self.parser.Parse(b"", True)
        except expat.ExpatError as error:
            words = expat.errors.messages[error.code]
            message = f"this is not well-formed XML: {words.removeprefix('not well-formed ')}"
            raise self.fault("xml-syntax", message, _HINT) from None
        except (LookupError, ValueError):
            raise self.fault(
                "xml-encoding", "its encoding is unknown", "save it as UTF-8"
            ) from None
        return self.outside.children[0]

    def place(self) -> Span:
        line = self.parser.CurrentLineNumber
        column = self.parser.CurrentColumnNumber + 1
        return Span(self.name, line, column, line, column + 1)

    def fault(self, code: str, message: str, hint: str) -> CvbuildError:
        return CvbuildError.because(code, message, hint, self.place())

    def doctype(self, *_: object) -> None:
        hint = "delete <!DOCTYPE …>, if you know where the file comes from"
        raise self.fault("xml-doctype", "a document type is not read: it may hide a bomb", hint)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.stack) >= MAX_DEPTH or self.count > MAX_ELEMENTS:
            deep = len(self.stack) >= MAX_DEPTH
            limit = f"{MAX_DEPTH} levels deep" if deep else f"{MAX_ELEMENTS:,} elements"
            raise self.fault("xml-limit", f"it has more than {limit}", "is this the right file?")
        namespace, _, name = tag.rpartition(" ")
        local = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        place = self.place()
        place = replace(place, end_column=place.column + len(name) + 2)
        made = Element(name, namespace, local, place)
        (self.stack[-1] if self.stack else self.outside).parts.append(made)
        self.stack.append(made)

    def end(self, _: str) -> None:
        self.stack.pop()

    def text(self, text: str) -> None:
        self.stack[-1].parts.append(text)


# -- XML as the tree that JSON of the same names is -----------------------------------------------


class _Part(Value):
    """A value whose text is also that under ``value``, as JSON has many of them."""

    __slots__ = ()

    def mapping(self, key: str) -> Value:
        one = self.get(key)
        if one is not None and isinstance(one.data, str):
            return _Part({"value": one}, one.place, one.path)
        return super().mapping(key)


def as_value(element: Element, listed: Mapping[str, str]) -> Value:
    """Return an element as a text, or as a mapping of its attributes and children.

    ``listed`` names elements whose children are a list under a key in JSON, each under its name.
    """
    text = " ".join("".join(part for part in element.parts if isinstance(part, str)).split())
    if not element.attributes and not element.children:
        return _Part(text, element.place)
    made = _Part({}, element.place)
    for key, words in element.attributes.items():
        made.add(key, _Part(words, element.place))
    if text:
        made.add("value", _Part(text, element.place))
    for key in dict.fromkeys(child.name for child in element.children):
        several = [as_value(one, listed) for one in element.children if one.name == key]
        name = listed.get(element.name, "") if key.endswith("-summary") else ""
        if name or len(several) > 1:
            made.add(name or key, values := _Part([], element.place))
            for one in several:
                values.add(None, holder := _Part({}, one.place) if name else one)
                if name:
                    holder.add(key, one)
        else:
            made.add(key, several[0])
    return made
