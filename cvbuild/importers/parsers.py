"""YAML, XML and CSV of other programs, within limits; each value has its place.

YAML's scalars stay the text that was written; tags are ignored. XML is read by Python's own expat:
a document type, and with it entities of its own, is refused, and nothing is fetched.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.parsers import expat

import yaml

from cvbuild.common.diagnostics import CvbuildError, Span, quoted
from cvbuild.importers.values import Places, Token, Value, tree
from cvbuild.inputs.yaml.source import LINE_BREAK, LOADER
from cvbuild.inputs.yaml.syntax import Quoting, explain
from cvbuild.model.text import texts

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


def parse_yaml(data: bytes, name: str) -> Value:
    """Return the value of a file, called ``name`` in messages; raise a located CvbuildError."""
    text = texts.decoded(data)
    if found := yaml.reader.Reader.NON_PRINTABLE.search(text):
        place = Places(text, name).span(*found.span())
        raise CvbuildError.because(
            "yaml-character", f"{quoted(found[0])} can't be in YAML", "delete it", place
        )
    loader: Any = LOADER(text)
    try:
        root = tree("yaml", _tokens(loader, name))
    except yaml.MarkedYAMLError as error:
        quoting = Quoting(name, LINE_BREAK.split(text), False)
        raise CvbuildError([explain(quoting, error, None)]) from None
    except (yaml.YAMLError, ValueError, OverflowError):
        fact, fix = "an escape stands for no character", "write the character itself"
        raise CvbuildError.because("yaml-escape", fact, fix, Span(name)) from None
    finally:
        loader.dispose()
    if root.data is None:
        raise CvbuildError.because(
            "yaml-empty", "the file holds no data", "export it once more", Span(name)
        )
    return root


def _tokens(loader: Any, name: str) -> Iterator[Token]:
    """Yield what is in a YAML document; raise a located CvbuildError for a second one."""
    documents = 0
    while not isinstance(event := loader.get_event(), yaml.StreamEndEvent):
        start, end = event.start_mark, event.end_mark
        place = Span(name, start.line + 1, start.column + 1, end.line + 1, end.column + 1)
        match event:
            case yaml.ScalarEvent():
                is_null = event.style in (None, "") and event.value in _NULLS
                yield Token(place, "", None if is_null else event.value, event.anchor)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                yield Token(place, "{" if is_mapping else "[", None, event.anchor)
            case yaml.CollectionEndEvent():
                yield Token(place, "}")
            case yaml.AliasEvent():
                yield Token(place, "*", event.anchor)
            case yaml.DocumentStartEvent():
                documents += 1
                if documents > 1:
                    fix = "move what follows to a file of its own"
                    raise CvbuildError.because(
                        "yaml-second-document", "a second document begins here", fix, place
                    )


# -- XML -------------------------------------------------------------------------------------------

#: Elements inside each other.
_MAX_LEVELS = 100
_MAX_ELEMENTS = 500_000
#: Bytes that expat gets at a time.
_PIECE = 1 << 16


@dataclass(slots=True, eq=False)
class Element:
    """An element, its names without namespace; ``parts`` are its texts and elements in order."""

    name: str
    attributes: dict[str, str]
    place: Span
    parts: list[str | Element] = field(default_factory=list)

    @property
    def children(self) -> list[Element]:
        """The elements directly inside."""
        return [part for part in self.parts if isinstance(part, Element)]

    @property
    def text(self) -> str:
        """All text in it."""
        return "".join(one if isinstance(one, str) else one.text for one in self.parts)

    def all(self, *path: str) -> list[Element]:
        """Return the elements at a path of names below this one."""
        found = [self]
        for name in path:
            found = [child for one in found for child in one.children if child.name == name]
        return found

    def first(self, *path: str) -> Element | None:
        """Return the first of them, or None."""
        return next(iter(self.all(*path)), None)

    def walk(self) -> Iterator[Element]:
        """Yield this element and all below it, in the order of the file."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack += reversed(element.children)


#: What is wrong, by what expat calls it.
_XML_SAYS = {
    expat.errors.XML_ERROR_TAG_MISMATCH: "another tag is to be closed here",
    expat.errors.XML_ERROR_UNDEFINED_ENTITY: "this &name; stands for nothing",
    expat.errors.XML_ERROR_UNCLOSED_TOKEN: "the file ends in a tag",
    expat.errors.XML_ERROR_NO_ELEMENTS: "the file ends before its tags are closed",
}


def parse_xml(data: bytes, name: str) -> Element:
    """Return the root of a file, called ``name`` in messages; raise a located CvbuildError."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    # What is around the root is the first of them.
    stack = [Element("", {}, Span(name))]
    count = 0

    def place(width: int = 1) -> Span:
        line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        return Span(name, line, column, line, column + width)

    def refuse(code: str, message: str, hint: str) -> NoReturn:
        raise CvbuildError.because(f"xml-{code}", message, hint, place()) from None

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if (is_deep := len(stack) > _MAX_LEVELS) or count > _MAX_ELEMENTS:
            limit = f"{_MAX_LEVELS} levels deep" if is_deep else f"{_MAX_ELEMENTS:,} elements"
            refuse("limit", f"it has more than {limit}", "is this the right file?")
        bare = tag.rpartition(" ")[2]
        local = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        element = Element(bare, local, place(len(bare) + 2))
        stack[-1].parts.append(element)
        stack.append(element)

    parser.StartDoctypeDeclHandler = lambda *_: refuse(
        "doctype",
        "a document type is not read: it may hide a bomb",
        "delete <!DOCTYPE …>, if you know where the file comes from",
    )
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    parser.CharacterDataHandler = lambda words: stack[-1].parts.extend([words])
    try:
        for begin in range(0, len(data), _PIECE):
            parser.Parse(data[begin : begin + _PIECE], False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        words = _XML_SAYS.get(expat.errors.messages[error.code])
        message = f"this is not well-formed XML{f': {words}' if words else ''}"
        refuse("syntax", message, "export it once more from where it comes from")
    except (LookupError, ValueError):
        refuse("encoding", "its encoding is unknown", "save it as UTF-8")
    return stack[0].children[0]


def as_value(element: Element, told: Collection[str], make: type[Value] = Value) -> Value:
    """Return an element as a text, or as a mapping of its attributes and children.

    A text beside attributes is under ``value``; what stands among texts is one with them.
    ``told`` are the attributes that say something.
    """
    text = "".join(part for part in element.parts if isinstance(part, str)).strip()
    children = element.children
    if text and not any(child.children for child in children):
        text, children = element.text.strip(), []
    attributes = {key: words for key, words in element.attributes.items() if key in told}
    if not attributes and not children:
        return make(text, element.place)
    made = make({}, element.place)
    for key, words in (attributes | ({"value": text} if text else {})).items():
        made.add(key, make(words, element.place))
    named: dict[str, list[Value]] = {}
    for child in children:
        named.setdefault(child.name, []).append(as_value(child, told, make))
    for key, several in named.items():
        listed = make([], several[0].place)
        made.add(key, several[0] if len(several) == 1 else listed)
        for value in several if len(several) > 1 else ():
            listed.add("", value)
    return made


# -- CSV -------------------------------------------------------------------------------------------


def parse_csv(data: bytes, name: str, columns: tuple[str, ...]) -> list[Value] | None:
    """Return the rows as mappings by columns in small letters; None for another file."""
    text = texts.decoded(data).replace("\0", "")
    # Spreadsheets of some countries write semicolons.
    mark = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    heads = [cell.strip().casefold() for cell in next(reader, ())]
    if not {column.casefold() for column in columns} & {*heads}:
        return None
    rows: dict[tuple[str, ...], Value] = {}
    line = reader.line_num + 1
    try:
        for number, cells in enumerate(reader, 1):
            place = Span(name, line, 1, line, 2)
            line = reader.line_num + 1
            row = Value({}, place, f"{name.rpartition('/')[2]} row {number}")
            surplus = (f"cell {at}" for at in range(len(heads) + 1, len(cells) + 1))
            for column, cell in zip((*heads, *surplus), map(str.strip, cells), strict=False):
                if cell:
                    row.add(column, value := Value(cell, place))
                    value.step, value.above = f"{row.path} {column.title()}", None
            if row.data:
                rows.setdefault(tuple(cells), row)
    except csv.Error:
        message = "from here on this is no CSV: a cell has more than 128 KiB"
        hint = "look for a quotation mark without its partner, or ask LinkedIn once more"
        raise CvbuildError.because("csv", message, hint, Span(name, line, 1, line, 2)) from None
    return [*rows.values()]
