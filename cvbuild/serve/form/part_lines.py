"""The lines of a part of a file, and the comments above it."""

from __future__ import annotations

from functools import cache

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs import new_files
from cvbuild.inputs.yaml.source import Source
from cvbuild.serve.documents import Json
from cvbuild.serve.form import outline


def comments(source: Source, path: FieldPath) -> list[str]:
    """Return the comments above a value, without those of a blank line further up."""
    if source.find(path) is None:
        return []
    rows, line = source.text.split("\n"), source.key_span(path).line
    above: list[str] = []
    at = (line or 1) - 2
    while at >= 0 and rows[at].lstrip().startswith("#"):
        above.insert(0, rows[at].strip())
        at -= 1
    # The first lines of a file are about the file; a new file's are for who writes its text.
    return [] if at < 0 else [one for one in above if one not in _starter()]


def place(source: Source, path: FieldPath) -> Json:
    """Return the first and the last line of a value; None for what isn't there."""
    if source.find(path) is None or not path:
        return {"line": None, "end_line": None}
    first, last = outline.lines(source, path)
    return {"line": first, "end_line": last}


def of(source: Source, path: FieldPath) -> Json:
    """Return the lines of a value, less indented, and their numbers."""
    line, last = outline.lines(source, path)
    first = line - 1
    rows = source.text.split("\n")[first:last]
    indent = min((len(row) - len(row.lstrip()) for row in rows if row.strip()), default=0)
    return {"text": "\n".join(row[indent:] for row in rows), "line": first + 1, "end_line": last}


@cache
def _starter() -> frozenset[str]:
    """Return the comments of a new person's file, and of a new application's."""
    texts = (new_files.person_text("Name"), *new_files.application_files("name").values())
    rows = "\n".join(texts).split("\n")
    return frozenset(row.strip() for row in rows if row.lstrip().startswith("#"))
