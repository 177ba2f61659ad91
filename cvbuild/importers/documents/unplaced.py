"""Words of a document that are in no value of the person's file, and in no note.

What the lines of a document mean is guessed, so a text could vanish where nobody expects it. Here
every word is looked for once more: nothing is lost in silence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from cvbuild.common.diagnostics import Span
from cvbuild.importers.draft import Draft
from cvbuild.importers.words import foreign_dates, headings

_WORD = re.compile(r"[^\W\d_]{4,}")
#: Names of keys and of contacts that lines begin with, parts of addresses, and words for now.
_KEYS = frozenset(
    ("actualidad", "actuel", "address", "adresse", "advisor", "anlage", "anschrift", "aujourd",
     "betreuer", "birth", "company", "contact", "content", "courses", "coursework", "current",
     "curriculum", "date", "degree", "details", "dirección", "email", "employer", "enclosure",
     "expected", "geburtsdatum", "grade", "heute", "homepage", "html", "http", "https", "inhalt",
     "institution", "keywords", "kontakt", "label", "lebenslauf", "level", "linkedin", "location",
     "mail", "mailto", "mobil", "mobile", "name", "note", "phone", "position", "present",
     "presente", "profile", "présent", "resume", "résumé", "seit", "since", "supervisor", "telefon",
     "teléfono", "thesis", "titel", "title", "today", "téléphone", "vitae", "website", "with")
)  # fmt: skip


def lose(draft: Draft, lines: Iterable[tuple[Span, str]]) -> None:
    """List the words of each line, with its place, that the draft has nowhere."""
    there = {word for text in draft.texts() for word in _words(text)}
    for place, text in lines:
        words = dict.fromkeys(_WORD.findall(unicodedata.normalize("NFC", text)))
        missing = [word for word in words if _folded(word) not in there and not _is_known(word)]
        if missing:
            draft.lose("words without a place", " ".join(missing), place)


def _is_known(word: str) -> bool:
    """Return whether a word names a section, a month or a key: the file says that otherwise."""
    plain = word.casefold()
    is_title = _folded(word) in headings.words()
    return is_title or plain in _KEYS or foreign_dates.is_month(plain)


def _words(text: str) -> list[str]:
    return [_folded(word) for word in _WORD.findall(unicodedata.normalize("NFC", text))]


def _folded(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word).casefold()
    return "".join(one for one in plain if not unicodedata.combining(one))
