"""Tables of Word and Markdown whose first row names the columns."""

from __future__ import annotations

import re

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import vocabulary
from cvbuild.importers.words import headings
from cvbuild.importers.words.outline import Entry, Run, markdown, plain

#: What a column has, by the words of its name.
_COLUMNS = {key: words.split() for key, words in vocabulary.TABLES["columns"].items()}


def columns(cells: list[list[Run]]) -> list[str]:
    """Return what each column has if a row names them; none if it does not."""
    names = [plain(cell).rstrip(":") for cell in cells]
    known = [column_of(name) for name in names]
    if len(cells) < 2 or any(len(name) > 40 for name in names):
        return []
    blank = sum(not name for name in names)
    if sum(map(bool, known)) < max(2, len(names) - 1 - blank):
        return []
    # What two columns have belongs to the first; a date may begin in one and end in the other.
    return [
        key if key and (key == "date" or key not in known[:at]) else names[at]
        for at, key in enumerate(known)
    ]


def has_values(cells: list[list[Run]]) -> bool:
    """Return whether a row has a number, an address or a level: it names no columns."""
    texts = [plain(cell) for cell in cells]
    return any(re.search(r"[@\d]", one) or vocabulary.LEVEL.fullmatch(one) for one in texts)


def other_words(cells: list[list[Run]]) -> list[str]:
    """Return the words in names of columns that say nothing of what the columns have."""
    known = {word for names in _COLUMNS.values() for word in names}
    names = [name for cell in cells if column_of(name := plain(cell))]
    return [word for name in names for word in name.split() if not known.issuperset(_words(word))]


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", headings.folded(name))


def column_of(name: str) -> str:
    """Return what is below or after such a name, empty where that is not known."""
    words = _words(name)
    if not words or len(words) > 5:
        return ""
    of_words = (key for word in words for key, known in _COLUMNS.items() if word in known)
    return next(of_words, "")


def item(names: list[str], cells: list[list[Run]], place: Span) -> Entry:
    """Return the entry of a row; a column that has no key becomes a line with its name."""
    entry = Entry(["", ""], place)
    for name, cell in zip(names, cells, strict=True):
        text = markdown(cell).strip()
        if not text:
            continue
        match name:
            case "title" if not entry.texts[0]:
                entry.texts[0] = text
            case "organization" if not entry.texts[1]:
                entry.texts[1] = text
            case "date":
                entry.date = f"{entry.date} – {plain(cell)}" if entry.date else plain(cell)
            case "grade" if not entry.grade:
                entry.grade = text
            case "location" if not entry.location:
                entry.location = text
            case "":
                entry.paragraphs.append(text)
            case _:
                label = name.capitalize() if name in _COLUMNS else name
                entry.paragraphs.append(f"{label}: {text}")
    return entry
