"""The names of an entry: parted by their marks, then title and organization by words and looks."""

from __future__ import annotations

import re

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import vocabulary
from cvbuild.importers.words import dates
from cvbuild.importers.words.outline import Entry

#: Kinds in whose entries either of the two may come first.
EITHER_FIRST = frozenset(("education", "experience", "volunteer", "teaching", "service"))


_COMMAS = re.compile(r",\s+(?![^()]*\))(?!(?:Inc|LLC|Ltd|GmbH|Co|Jr|Ph\.?D|(?:19|20)\d\d)\b)")
#: A title in bold or italics, or between quotation marks, before the rest.
_MARKED = r"(\*\*|\*|“|\")([^*“”\"]{3,200})(?:\1|”)(?=\Z|[\s,.:;–—-])(.*)"
#: What a degree was passed with, after it.
_HONOURS = re.compile(rf"(?i)(?<=\w)(?:[.;,]\s+|\s+\()({dates.HONOURS.pattern[4:]})\)?$")
_AT = re.compile(r"\s+(?:at|bei|chez|from|@)\s+(?=[A-ZÄÖÜÉ])|\s+[–—]\s+|\s+-{1,3}\s+")
_BARS = re.compile(r"\s+[|•·]\s+")
#: Characters of a line that may begin an entry.
_LONGEST = 600


def put_in_order(found: Entry, kind: str) -> None:
    """Bring the texts of an entry into the order title, organization, where it isn't known."""
    if len(found.texts) == 1 and kind in ("experience", "volunteer"):
        _part_at_comma(found)
    if found.is_sorted or len(found.texts) < 2:
        return
    mark = vocabulary.DEGREE if kind == "education" else vocabulary.POSITION
    first, second = (re.sub(r"\([^()]*\)", "", text) for text in found.texts[:2])
    score = bool(mark.search(first)) - bool(mark.search(second))
    named = vocabulary.ORGANIZATION
    score = score or bool(named.search(second)) - bool(named.search(first))
    if score < 0:
        found.texts[:2] = [found.texts[1], found.texts[0]]
    found.is_guessed = score == 0
    found.is_sorted = True


def part_place(found: Entry) -> None:
    """Take the organization out of a location that begins with it: "Initech, London"."""
    if len(found.texts) != 1 or not found.location:
        return
    first, _, rest = found.location.partition(", ")
    is_person = vocabulary.is_role(found.texts[0]) and not vocabulary.is_region(rest)
    if is_person or vocabulary.ORGANIZATION.search(first):
        found.texts, found.location = [*found.texts, first], rest


def split_text(text: str, place: Span, date: str = "") -> Entry:
    """Return the entry that a text says in a line: "Example Prize, Example Society, 2019".

    ``text`` is Markdown, and ``date`` the one that is known already.
    """
    found = Entry([], place, date=date, is_sorted=False)
    if len(text) > _LONGEST:
        found.texts = [text]
        return found
    text = _ungraded(_dated(text, found), found)
    if link := re.match(r"\[([^\[\]]+)\]\(([^()]+)\)(?=\Z|[,.:]?\s)", text):
        text, found.url = link[1] + text[link.end() :], link[2]
    found.texts = [text]
    marked = re.match(_MARKED, text)
    if lead := marked or link:
        title = marked[2].rstrip(".:").strip() if marked else lead[1]
        rest = marked[3] if marked else text[len(title) :]
        found.texts = [title, *([rest] if (rest := rest.strip(" ,:;–—-")) else [])]
        if "," in rest and not found.location and vocabulary.is_town(rest.rpartition(", ")[2]):
            found.texts[1], _, found.location = rest.rpartition(", ")
        found.is_sorted = bool(marked)
        if marked and len(found.texts) > 1 and rest.endswith(".") and len(rest.split()) > 2:
            # A sentence.
            found.paragraphs.append(found.texts.pop())
    elif 1 < len(cells := _BARS.split(text)) < 6:
        found.texts = cells
    elif bracket := re.fullmatch(r"([^()\[\]]{3,100}?)\s+\(([^()\d]{3,80})\)", text):
        found.texts = [bracket[1], bracket[2]]
    elif len(text) <= 160:
        split(found)
        if len(found.texts) == 1:
            _part_at_comma(found)
    return found


def _part_at_comma(found: Entry) -> None:
    """Part the one text of an entry at the comma in it, and take the town behind a second one."""
    parts = _COMMAS.split(found.texts[0])
    if len(parts) == 3 and not found.location and vocabulary.is_town(parts[2]):
        found.location = parts.pop()
    if len(parts) == 2 and "](" not in found.texts[0]:
        found.texts = parts


def _dated(text: str, found: Entry) -> str:
    """Take the date out of a text, if it begins or ends with it, and what is after it."""
    if found.date:
        return text
    rest, found.date = dates.ends_in(text)
    if not found.date:
        rest, found.date = dates.begins_with(text)
    whole, text = text, _balanced(rest, text) if found.date else text
    found.date = found.date if whole != rest or rest else ""
    return text


def _balanced(rest: str, text: str) -> str:
    """Return a text without its date, if that leaves its Markdown whole."""
    if text.startswith(rest) and (end := re.match(r"[*`]+", text[len(rest) :])):
        # The mark at its end belongs to it.
        rest += end[0]
    marks = all(rest.count(mark) % 2 == 0 for mark in ("**", "*", "`"))
    return rest if rest and marks and rest.count("[") == rest.count("]") else text


def split(found: Entry) -> None:
    """Part the one text of an entry into title, organization and town, where it names them."""
    found.texts = [_ungraded(dates.without_length(text), found).rstrip(":") for text in found.texts]
    _part(found)
    if len(found.texts) == 2 and not found.location and ", " in found.texts[1]:
        before, _, last = found.texts[1].rpartition(", ")
        if (
            vocabulary.is_town(last)
            and (vocabulary.ORGANIZATION.search(before) or len(last.split()) == 1)
            and "](" not in before
        ):
            found.texts[1], found.location = before, last


def _ungraded(text: str, found: Entry) -> str:
    """Return a text without "magna cum laude" at its end: the grade of a degree."""
    cut = _HONOURS.search(text)
    if cut is None or found.grade:
        return text
    found.grade = cut[1]
    return text[: cut.start()]


def _part(found: Entry) -> None:
    """Part the one text of an entry where it names several things."""
    if len(found.texts) != 1 or "](" in found.texts[0]:
        return
    parts = _AT.split(found.texts[0], maxsplit=1)
    if len(parts) == 1:
        parts = _COMMAS.split(found.texts[0])
        named = vocabulary.ORGANIZATION.search(found.texts[0]) or vocabulary.POSITION.search(
            found.texts[0]
        )
        degree = vocabulary.DEGREE.search(found.texts[0])
        if not (named or degree) or len(parts) > 5:
            return
        if not found.location and len(parts) > 2 and vocabulary.is_town(parts[-1]):
            at = -2 if len(parts) > 3 and vocabulary.is_town(parts[-2]) else -1
            found.location = ", ".join(parts[at:])
            parts = parts[:at]
    if len(parts) > 2:
        at = next(
            (n for n, part in enumerate(parts) if n and vocabulary.ORGANIZATION.search(part)), 1
        )
        parts = [", ".join(parts[:at]), ", ".join(parts[at:])]
    found.texts = [part for part in parts if part.strip()]
