"""A cover letter, from an application's YAML and perhaps a Markdown file, with all positions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date as Day
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace
from pydantic import ValidationError

from cvbuild.common.diagnostics import Diagnostic, FieldPath, ProfileError, Span
from cvbuild.common.files import safe_files
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.tree import Node, Source
from cvbuild.model.letter import WHOLE, Body, Letter, Place, parse

#: The path of a letter's fields in its document.
PATH: FieldPath = ("letter",)
_NO_SHARED: Mapping[str, FieldPath] = MappingProxyType({})
_TEXT_HINT = 'write "body: |" and the text below it, or "file: letter.md"'
_FILE_HINT = "name a Markdown file in this file's folder"


class Markdown(Struct, frozen=True):
    """The text of a letter's file; ``name`` is the file's name in messages."""

    name: str
    text: str
    path: Path


class Written(Struct, frozen=True):
    """A valid letter, and the positions of its fields."""

    letter: Letter
    node: Node


class Draft(Struct, frozen=True):
    """A letter with what its application adds, ready to be set.

    ``slug`` is the application's name; the signature is in ``folder``. ``day`` is the letter's date
    if it has none of its own; ``position`` makes a subject if it has none.
    """

    slug: str
    letter: Letter
    folder: Path
    day: Day
    position: str | None = None

    @property
    def date(self) -> Day:
        """The date of the letter."""
        return self.letter.date or self.day


def markdown(source: Source, folder: Path) -> Markdown | None:
    """Return the file that a letter names; None for none. Raises ProfileError."""
    part, path = source.find(PATH), PATH
    if part and part.fields:
        part, path = part.child("file"), (*path, "file")
    value = part.value if part else None
    # A text of several lines is the letter itself.
    if not isinstance(value, str) or (path == PATH and "\n" in value):
        return None
    try:
        file = safe_files.sibling(value, folder)
    except safe_files.SiblingFileError as error:
        code, message, hint = (*error.describe(value, "file"), _FILE_HINT)[:3]
        raise ProfileError.because(f"letter-{code}", message, hint, source.span(path)) from None
    name, text = source_stage.text_of(file)
    return Markdown(name, text, file)


def read(
    source: Source, markdown: Markdown | None = None, shared: Mapping[str, FieldPath] = _NO_SHARED
) -> Written:
    """Return the letter of an application's source, which may be absent.

    ``markdown`` is the file that it names, ``shared`` maps keys that the letter lacks to those of
    the application: {"recipient": ("recipient",)}. Raises ProfileError with all errors.
    """
    node = source.find(PATH) or Node(source.tree.place, None, {}, source.name)
    if isinstance(node.value, str):
        node = replace(node, value={"file": replace(node, key=None)})
    if isinstance(node.value, list):
        message = "the letter must be a mapping of keys, or the name of a file, not a list"
        raise ProfileError.because("letter", message, _TEXT_HINT, source.span(PATH))
    below = dict(node.fields)
    for key, place in shared.items():
        part, own = source.find(place), below.get(key)
        if part and (own is None or own.value is None):
            below[key] = part
    node = replace(node, value=below)
    inner = Source(node.file or source.name, source.text, node)
    problems, valid = [], node.data
    body, text = _body(inner, markdown)
    if isinstance(body, Diagnostic):
        problems.append(body)
        valid = {**valid, "body": None}
    elif body is not None and text is not None:
        parsed, faults = parse(body)
        for fault in faults:
            span, code = Span(text.file, *text.at(fault.place)), fault.code.replace("_", "-")
            problems.append(Diagnostic("error", code, fault.message, span, fault.hint))
        places = [
            Node(text.at(block.place), None, [Node(text.at(one)) for one in block.places])
            for block in parsed
        ]
        whole = Node(text.place, text.key, places, text.file)
        node = replace(node, value={**node.fields, "body": whole})
        valid = {**valid, "body": Body(parsed)}
    try:
        letter = Letter.model_validate(valid)
    except ValidationError as error:
        from cvbuild.inputs.validation import errors

        problems += errors.diagnostics(error.errors(include_url=False), inner, Letter)
    if problems:
        raise ProfileError(sorted(problems, key=lambda one: one.span or Span("")))
    return Written(letter, node)


class _Text(Struct, frozen=True):
    """Where a Markdown text is in its file.

    Its line 1 is the one after ``line`` of the file, without its first ``indent`` characters; if
    ``whole``, its lines aren't those of the file.
    """

    file: str
    place: Place
    key: Place | None = None
    line: int = 0
    indent: int = 0
    whole: bool = False

    def at(self, place: Place) -> Place:
        if self.whole or place == WHOLE:
            return self.place
        line, column, end_line, end_column = place
        down, right = self.line, self.indent
        return line + down, column + right, end_line + down, end_column + right


def _body(inner: Source, markdown: Markdown | None) -> tuple[str | Diagnostic | None, _Text | None]:
    """Return the letter's Markdown and where it is, or an error, or None for the model to check.

    Why not folded: with ``>``, or over lines without ``|``, YAML makes one line of paragraphs and
    lists.
    """
    node = inner.tree.child("body")
    value = node.value if node else None
    span = inner.key_span(("body",))
    if markdown is not None:
        if value is not None:
            message = "the letter has both a body and a file"
            return Diagnostic("error", "letter-twice", message, span, "keep one of them"), None
        end = markdown.text.count("\n") + 1
        return markdown.text, _Text(markdown.name, (1, 1, end, 1))
    if node is None or value is None:
        message = "the letter has no text"
        return Diagnostic("error", "letter-empty", message, inner.span(()), _TEXT_HINT), None
    if not isinstance(value, str):
        return None, None
    file, place = node.file or inner.name, node.place
    lines = inner.text.splitlines() if file == inner.name else []
    first = lines[place[0] - 1][place[1] - 1 : place[1]] if len(lines) >= place[0] else ""
    if first == "|":
        # By how many characters its lines are indented in the file.
        pairs = zip(lines[place[0] :], value.split("\n"), strict=False)
        indent = next((len(row) - len(shown) for row, shown in pairs if shown.strip()), 0)
        return value, _Text(file, place, node.key, place[0], indent)
    if first == ">" or place[2] > place[0]:
        message = "YAML joins the lines of this text, and with them paragraphs and lists"
        hint = 'write "body: |" and the text below it'
        return Diagnostic("error", "letter-folded", message, inner.span(("body",)), hint), None
    return value, _Text(file, place, node.key, whole=True)
