"""YAML, XML and CSV of other programs, within limits; each value has its place.

YAML is read without recursion. Its scalars stay the text that was written, so that dates and
numbers do; only null is resolved. An alias stands for a copy of what it names, and copies count: a
file can't grow without end. Merge keys ("<<") are resolved, tags are ignored.

XML is read by Python's own expat. A document type, and with it entities of its own, is refused;
nothing is fetched.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from xml.parsers import expat

import yaml

from cvbuild.common.diagnostics import Span, quoted
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.values import MAX_DEPTH, MAX_VALUES, Value, too_deep, too_many
from cvbuild.inputs.references import texts
from cvbuild.inputs.yaml.builder import LINE_BREAK
from cvbuild.inputs.yaml.quoting import Quoting
from cvbuild.inputs.yaml.syntax import explain

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


def parse_yaml(data: bytes, name: str) -> Value:
    """Return the value of a file, called ``name`` in messages; raise a located CvbuildError."""
    text = texts.decoded(data)
    parser = _Yaml(name)
    loader: Any = _LOADER(text)
    try:
        while parser.event(loader.get_event()):
            pass
    except yaml.MarkedYAMLError as error:
        quoting = Quoting(name, LINE_BREAK.split(text), False)
        code, message, hint, at = explain(quoting, text, error, None)
        raise CvbuildError.because(code, message, hint, Span(name, *at)) from None
    except yaml.reader.ReaderError:
        # PyYAML counts bytes or characters: look for it.
        found = next(yaml.reader.Reader.NON_PRINTABLE.finditer(text))
        before = text[: found.start()]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        place = Span(name, line, column, line, column + 1)
        fact = f"{quoted(found[0])} can't be in YAML"
        raise _fault("character", fact, "delete it", place) from None
    except (yaml.YAMLError, ValueError, OverflowError):
        fact, fix = "an escape stands for no character", "write the character itself"
        raise _fault("escape", fact, fix, Span(name)) from None
    finally:
        loader.dispose()
    if parser.root is None or parser.root.data is None:
        raise _fault("empty", "the file holds no data", "export it once more", Span(name))
    return parser.root


def _fault(code: str, fact: str, fix: str, place: Span) -> CvbuildError:
    return CvbuildError.because(f"yaml-{code}", fact, fix, place)


class _YamlValue(Value):
    """What has a colon in it is a mapping, unless it is in quotes: "Thesis: On clocks"."""

    __slots__ = ()

    def own_text(self) -> str:
        pairs = [*self.data.items()] if isinstance(self.data, dict) else []
        for key, value in pairs if len(pairs) == 1 else ():
            if isinstance(value.data, str) and key[:1].isupper():
                return f"{key}: {value.own_text()}"
        return super().own_text()


class _Yaml:
    """Builds values from events; ``open`` has the collections that aren't closed yet."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.root: Value | None = None
        self.open: list[Value] = []
        self.keys: list[str | None] = []
        self.named: dict[str, Value] = {}
        self.count = 0
        self.documents = 0

    def event(self, event: Any) -> bool:
        """Take an event; return False for the last one."""
        match event:
            case yaml.ScalarEvent():
                is_null = event.style in (None, "") and event.value in _NULLS
                self.add(_YamlValue(None if is_null else event.value, self.span(event)), event)
            case yaml.MappingStartEvent():
                self.begin(_YamlValue({}, self.span(event)), event)
            case yaml.SequenceStartEvent():
                self.begin(_YamlValue([], self.span(event)), event)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self.end(event)
            case yaml.AliasEvent():
                word = str(event.anchor)
                known = self.named.get(word)
                if known is None or known in self.open:
                    fact = f"the alias {quoted('*' + word, 30)} stands for nothing yet"
                    raise _fault("alias", fact, "write out what it stands for", self.span(event))
                self.add(self.copy(known), event)
            case yaml.DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    fix = "move what follows to a file of its own"
                    fact = "a second document begins here"
                    raise _fault("second-document", fact, fix, self.span(event))
        return not isinstance(event, yaml.StreamEndEvent)

    def begin(self, value: Value, event: Any) -> None:
        """Open a collection."""
        if self.open and self.wants_key():
            fix = "put it in quotes if it is text"
            raise _fault("key", "a key must be text", fix, value.place)
        self.add(value, event)
        self.open.append(value)
        self.keys.append(None)
        if len(self.open) > MAX_DEPTH:
            raise _fault("too-deep", *too_deep(), value.place)

    def end(self, event: Any) -> None:
        """Close the innermost collection."""
        done = self.open.pop()
        self.keys.pop()
        start, mark = done.place, event.end_mark
        if mark.column or done.parts() == []:
            end = (mark.line + 1, mark.column + 1)
        else:
            last = done.parts()[-1].place
            end = (last.end_line or last.line, last.end_column or last.column)
        done.place = Span(self.name, start.line, start.column, *end)
        merged = done.data.pop("<<", None) if isinstance(done.data, dict) else None
        for source in merged.parts() if merged and isinstance(merged.data, list) else [merged]:
            for key, inner in (
                source.data.items() if source and isinstance(source.data, dict) else ()
            ):
                if isinstance(done.data, dict) and key not in done.data:
                    done.add(key, self.copy(inner))

    def wants_key(self) -> bool:
        """Return whether a key comes next."""
        return isinstance(self.open[-1].data, dict) and self.keys[-1] is None

    def add(self, value: Value, event: Any) -> None:
        """Put a value, or a key, where it belongs."""
        self.count += 1
        if self.count > MAX_VALUES:
            raise _fault("too-many", *too_many(), value.place)
        if event.anchor and not isinstance(event, yaml.AliasEvent):
            self.named[event.anchor] = value
        if not self.open:
            self.root = value
            return
        here = self.open[-1]
        key = self.keys[-1]
        if isinstance(here.data, dict):
            if key is None:
                self.keys[-1] = value.data if isinstance(value.data, str) else "null"
                return
            self.keys[-1] = None
        here.add(key, value)

    def copy(self, value: Value, level: int = 0) -> Value:
        """Return a copy of a value, all of which counts."""
        if len(self.open) + level > MAX_DEPTH:
            raise _fault("too-deep", *too_deep(), value.place)
        self.count += 1
        if self.count > MAX_VALUES:
            fact = f"with its aliases, the file has more than {MAX_VALUES:,} values"
            raise _fault("too-many", fact, "write out what they stand for", value.place)
        data = value.data
        if isinstance(data, str) or data is None:
            return _YamlValue(data, value.place)
        made = _YamlValue({} if isinstance(data, dict) else [], value.place)
        for key, inner in data.items() if isinstance(data, dict) else ((None, one) for one in data):
            made.add(key, self.copy(inner, level + 1))
        return made

    def span(self, event: Any) -> Span:
        """Return the place of an event."""
        start, end = event.start_mark, event.end_mark
        return Span(self.name, start.line + 1, start.column + 1, end.line + 1, end.column + 1)


# -- XML -------------------------------------------------------------------------------------------

#: Elements inside each other.
_MAX_LEVELS = 100
_MAX_ELEMENTS = 500_000
#: Bytes that expat gets at a time.
_PIECE = 1 << 16
#: Elements of HTML: what has one of them is a text.
_HTML = re.compile("(?i)a|b|br|div|em|font|h[1-6]|i|li|ol|p|span|strong|su[bp]|table|t[dr]|u|ul")


@dataclass(slots=True, eq=False)
class Element:
    """An element: ``name`` and the names of attributes are without their namespace.

    ``parts`` are its texts and elements in their order.
    """

    name: str
    attributes: dict[str, str]
    place: Span
    parts: list[str | Element] = field(default_factory=list)

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

    def walk(self) -> Iterator[Element]:
        """Yield this element and all below it, in the order of the file."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack += reversed(element.children)


def parse_xml(data: bytes, name: str) -> Element:
    """Return the root of a file, called ``name`` in messages; raise a located CvbuildError."""
    return _Xml(name).read(data)


#: What is wrong, by what expat calls it.
_XML_SAYS = {
    expat.errors.XML_ERROR_TAG_MISMATCH: "another tag is to be closed here",
    expat.errors.XML_ERROR_UNDEFINED_ENTITY: "this &name; stands for nothing",
    expat.errors.XML_ERROR_UNCLOSED_TOKEN: "the file ends in a tag",
    expat.errors.XML_ERROR_NO_ELEMENTS: "the file ends before its tags are closed",
}


class _Xml:
    def __init__(self, name: str) -> None:
        self.name = name
        #: What is around the root.
        self.outside = Element("", {}, Span(name))
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
            words = _XML_SAYS.get(expat.errors.messages[error.code])
            message = f"this is not well-formed XML{f': {words}' if words else ''}"
            hint = "export it once more from where it comes from"
            raise self.fault("xml-syntax", message, hint) from None
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
        if len(self.stack) >= _MAX_LEVELS or self.count > _MAX_ELEMENTS:
            deep = len(self.stack) >= _MAX_LEVELS
            limit = f"{_MAX_LEVELS} levels deep" if deep else f"{_MAX_ELEMENTS:,} elements"
            raise self.fault("xml-limit", f"it has more than {limit}", "is this the right file?")
        name = tag.rpartition(" ")[2]
        local = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        place = self.place()
        place = replace(place, end_column=place.column + len(name) + 2)
        made = Element(name, local, place)
        (self.stack[-1] if self.stack else self.outside).parts.append(made)
        self.stack.append(made)

    def end(self, _: str) -> None:
        self.stack.pop()

    def text(self, text: str) -> None:
        self.stack[-1].parts.append(text)


def as_value(
    element: Element, listed: Mapping[str, str] | None = None, told: Collection[str] | None = None
) -> Value:
    """Return an element as a text, or as a mapping of its attributes and children.

    A text beside attributes or parts of a CV is under ``value``; what stands among texts is one
    with them, and with elements of HTML it is HTML.
    ``listed`` names elements whose children are a list under a key in JSON, each under its name;
    ``told`` are the attributes that say something, if not all do.
    """
    text = "".join(part for part in element.parts if isinstance(part, str)).strip()
    children = element.children
    is_html = any(_HTML.fullmatch(child.name) for child in children)
    if is_html or (text and not any(child.children for child in children)):
        text, children = (_as_html if is_html else _whole)(element).strip(), []
    attributes = {
        key: words for key, words in element.attributes.items() if told is None or key in told
    }
    if not attributes and not children:
        return Value(text, element.place)
    made = Value({}, element.place)
    for key, words in attributes.items():
        made.add(key, Value(words, element.place))
    if text:
        made.add("value", Value(text, element.place))
    named: dict[str, list[Value]] = {}
    for child in children:
        named.setdefault(child.name, []).append(as_value(child, listed, told))
    for key, several in named.items():
        name = (listed or {}).get(element.name, "") if key.endswith("-summary") else ""
        if name or len(several) > 1:
            made.add(name or key, values := Value([], several[0].place))
            for one in several:
                values.add(None, holder := Value({}, one.place) if name else one)
                if name:
                    holder.add(key, one)
        else:
            made.add(key, several[0])
    return made


def _as_html(element: Element) -> str:
    made: list[str] = []
    for one in element.parts:
        if isinstance(one, str):
            made.append(html.escape(one, quote=False))
        else:
            told = (f' {key}="{html.escape(words)}"' for key, words in one.attributes.items())
            made.append(f"<{one.name}{''.join(told)}>{_as_html(one)}</{one.name}>")
    return "".join(made)


def _whole(element: Element) -> str:
    return "".join(one if isinstance(one, str) else _whole(one) for one in element.parts)


# -- CSV -------------------------------------------------------------------------------------------

#: Rows before the one with the columns: notes of who wrote the file.
_PREAMBLE = 10
#: Rows of a file that are read.
_MOST = 5_000


def parse_csv(data: bytes, name: str, columns: tuple[str, ...]) -> list[Value] | None:
    """Return the rows of a file as mappings by its columns in small letters, doubled ones once.

    None if it has none of ``columns``. Raises a located CvbuildError for what is no CSV.
    """
    lines = texts.decoded(data).replace("\0", "").split("\n")
    known = {one.casefold() for one in columns}
    rows = _rows(lines, name, _delimiter(lines, known))
    for _ in range(_PREAMBLE):
        cells, _place = next(rows, ([], None))
        heads = [cell.strip().casefold() for cell in cells]
        if known & set(heads):
            return list(_named(rows, heads, name))
    return None


def _delimiter(lines: list[str], known: set[str]) -> str:
    """Return what stands between cells: spreadsheets of some countries write semicolons."""
    for line in lines[:_PREAMBLE]:
        for mark in ",;\t":
            if known & {cell.strip(' "').casefold() for cell in line.split(mark)}:
                return mark
    return ","


def _rows(lines: list[str], name: str, delimiter: str) -> Iterator[tuple[list[str], Span]]:
    reader = csv.reader(io.StringIO("\n".join(lines), newline=""), delimiter=delimiter)
    while True:
        first = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error:
            message = "from here on this is no CSV: a cell has more than 128 KiB"
            hint = "look for a quotation mark without its partner, or ask LinkedIn once more"
            place = Span(name, first, 1, first, 2)
            raise CvbuildError.because("csv", message, hint, place) from None
        if cells is None:
            return
        last = max(first, reader.line_num)
        end = len(lines[last - 1]) + 1 if last <= len(lines) else 1
        yield cells, Span(name, first, 1, last, end)


def _named(rows: Iterator[tuple[list[str], Span]], heads: list[str], name: str) -> Iterator[Value]:
    seen: set[tuple[str, ...]] = set()
    for number, (cells, place) in enumerate(rows, 1):
        if number > _MOST:
            hint = "is this LinkedIn's own file?"
            raise CvbuildError.because("csv", f"it has more than {_MOST:,} rows", hint, place)
        values = tuple(cell.strip() for cell in cells)
        if not any(values) or values in seen:
            continue
        seen.add(values)
        row = Value({}, place, f"{name.rpartition('/')[2]} row {number}")
        extra = [f"cell {at}" for at in range(len(heads) + 1, len(values) + 1)]
        for column, text in zip((*heads, *extra), values, strict=False):
            if text:
                row.add(column, cell := Value(text, place))
                cell.step, cell.above = f"{row.path} {column.title()}", None
        yield row
