"""YAML of other programs with the place of every value, within limits and without recursion.

Scalars stay the text that was written, so that dates and numbers do; only null is resolved. An
alias stands for a copy of what it names, and copies count: a file can't grow without end. Merge
keys ("<<") are resolved, tags are ignored.
"""

from __future__ import annotations

from typing import Any

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from cvbuild.common.diagnostics import Span, quoted
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.sources.located import MAX_DEPTH, MAX_VALUES, Value, too_deep, too_many
from cvbuild.inputs.references import texts
from cvbuild.inputs.yaml.builder import LINE_BREAK
from cvbuild.inputs.yaml.quoting import Quoting
from cvbuild.inputs.yaml.syntax import explain

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


def parse(data: bytes, name: str) -> Value:
    """Return the value of a file, called ``name`` in messages; raise a located CvbuildError."""
    text = texts.decoded(data)
    parser = _Parser(name)
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


class _Parser:
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
            case ScalarEvent():
                is_null = event.style in (None, "") and event.value in _NULLS
                self.add(Value(None if is_null else event.value, self.span(event)), event)
            case MappingStartEvent():
                self.begin(Value({}, self.span(event)), event)
            case SequenceStartEvent():
                self.begin(Value([], self.span(event)), event)
            case MappingEndEvent() | SequenceEndEvent():
                self.end(event)
            case AliasEvent():
                word = str(event.anchor)
                known = self.named.get(word)
                if known is None or known in self.open:
                    fact = f"the alias {quoted('*' + word, 30)} stands for nothing yet"
                    raise _fault("alias", fact, "write out what it stands for", self.span(event))
                self.add(self.copy(known, ""), event)
            case DocumentStartEvent():
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
        for one in _mappings(merged):
            for key, inner in one.items():
                if isinstance(done.data, dict) and key not in done.data:
                    done.data[key] = self.copy(inner, done.inner(key))

    def wants_key(self) -> bool:
        """Return whether a key comes next."""
        return isinstance(self.open[-1].data, dict) and self.keys[-1] is None

    def add(self, value: Value, event: Any) -> None:
        """Put a value, or a key, where it belongs."""
        self.count += 1
        if self.count > MAX_VALUES:
            raise _fault("too-many", *too_many(), value.place)
        if event.anchor and not isinstance(event, AliasEvent):
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
        self.rename(value)

    def rename(self, value: Value) -> None:
        """Give what a copy holds the paths of its new place."""
        inside = value.data.items() if isinstance(value.data, dict) else enumerate(value.parts())
        for step, one in inside:
            one.path = value.inner(step)
            self.rename(one)

    def copy(self, value: Value, path: str) -> Value:
        """Return a copy of a value, all of which counts."""
        self.count += 1
        if self.count > MAX_VALUES:
            fact = f"with its aliases, the file has more than {MAX_VALUES:,} values"
            raise _fault("too-many", fact, "write out what they stand for", value.place)
        data: Any = value.data
        made = Value(None, value.place, path)
        if isinstance(data, dict):
            data = {key: self.copy(one, made.inner(key)) for key, one in data.items()}
        elif isinstance(data, list):
            data = [self.copy(one, made.inner(at)) for at, one in enumerate(data)]
        made.data = data
        return made

    def span(self, event: Any) -> Span:
        """Return the place of an event."""
        start, end = event.start_mark, event.end_mark
        return Span(self.name, start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def _mappings(merged: Value | None) -> list[dict[str, Value]]:
    if merged is None:
        return []
    parts = merged.data if isinstance(merged.data, list) else [merged]
    return [one.data for one in parts if isinstance(one.data, dict)]
