"""The CSV files of LinkedIn's data: rows by their columns, each with its place."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs.references import texts

#: Rows before the one with the columns: notes of LinkedIn.
_PREAMBLE = 10
#: Rows of a file that are read.
_MOST = 5_000


@dataclass(slots=True, eq=False)
class Row:
    """A row; ``rest`` are the cells that nobody has taken, by their column."""

    name: str
    place: Span
    rest: dict[str, str]

    def take(self, column: str) -> str:
        """Return a cell, empty if it or its column is absent."""
        return self.rest.pop(column.casefold(), "")


def read(data: bytes, name: str, columns: tuple[str, ...]) -> list[Row] | None:
    """Return the rows of a file, doubled ones once; None if it has none of the columns.

    ``name`` is the file's in messages. Raises CvbuildError for what is no CSV.
    """
    text = texts.decoded(data).replace("\0", "")
    lines = text.split("\n")
    known = {one.casefold() for one in columns}
    found = _rows(lines, name, _delimiter(lines, known))
    for _ in range(_PREAMBLE):
        cells, _place = next(found, ([], None))
        heads = [cell.strip().casefold() for cell in cells]
        if known & set(heads):
            return list(_named(found, heads, name))
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


def _named(rows: Iterator[tuple[list[str], Span]], heads: list[str], name: str) -> Iterator[Row]:
    seen: set[tuple[str, ...]] = set()
    for number, (cells, place) in enumerate(rows, 1):
        if number > _MOST:
            message = f"it has more than {_MOST:,} rows"
            hint = "is this LinkedIn's own file?"
            raise CvbuildError.because("csv", message, hint, place)
        values = tuple(cell.strip() for cell in cells)
        if not any(values) or values in seen:
            continue
        seen.add(values)
        label = f"{name.rpartition('/')[2]} row {number}"
        rest = dict(zip(heads, values, strict=False))
        for extra in values[len(heads) :]:
            rest[f"cell {len(rest) + 1}"] = extra
        yield Row(label, place, {key: value for key, value in rest.items() if value})
