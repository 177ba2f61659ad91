"""Words of a document that are in no value of the person's file, and in no note."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import dates, people, vocabulary
from cvbuild.importers.draft import Draft
from cvbuild.importers.words import foreign_dates, headings
from cvbuild.inputs.references import texts

# What the lines of a document mean is guessed, so a text could vanish where nobody expects it. Here
# every word is looked for once more: nothing is lost in silence.

_WORD = re.compile(r"[^\W\d_]{3,}|\d{3,}")
#: Names of keys and of contacts at the beginning of a cell: the file says them by its own keys.
_LABEL = re.compile(r"(?:^|[|·•∙⋅;,(\t])\W{0,5}[^\W\d_][^:\d|\t]{0,38}:(?=\s|\Z|\*)")
#: What is before the name of an account.
_SITE = re.compile(r"(?<![\w.-])(?:https?://)?(?:[\w-]+\.)+[a-z]{2,}/(?:(?:in|user|profile|pub)/)?")
#: Words around dates, and of titles of documents.
_KEYS = frozenset(vocabulary.TABLES["words"]["keys"].split())


def lose(draft: Draft, lines: Iterable[tuple[Span, str]]) -> None:
    """List the words of each line, with its place, that the draft has nowhere."""
    there = {word for text in draft.texts() for word in _words(text)}
    # A number may be written without its blanks.
    digits = re.sub(r"\D", "", "".join(draft.texts()))
    for place, text in lines:
        if headings.exact_kind_of(text) or vocabulary.inner_label(text):
            continue
        cells = unicodedata.normalize("NFC", dates.without_length(text)).split("\t")
        kept = "\t".join(one for one in cells if one.strip(" :").lower() not in people.LABELS)
        shown = _SITE.sub(" ", _LABEL.sub(" ", kept))
        missing = [
            word
            for word in dict.fromkeys(_WORD.findall(shown))
            if texts.unaccented(word) not in there and not _is_known(word) and word not in digits
        ]
        if missing:
            draft.lose("words without a place", " ".join(missing), place)


def _is_known(word: str) -> bool:
    """Return whether a word names a month or a key: the file says that otherwise."""
    plain = word.casefold()
    return plain in _KEYS or foreign_dates.month_of(plain, is_whole=True) is not None


def _words(text: str) -> list[str]:
    return [texts.unaccented(word) for word in _WORD.findall(unicodedata.normalize("NFC", text))]
