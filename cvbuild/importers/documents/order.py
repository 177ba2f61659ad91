"""The names of an entry: parted by their marks, then title and organization by words and looks."""

from __future__ import annotations

import re

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import vocabulary
from cvbuild.importers.words import dates
from cvbuild.importers.words.outline import Entry

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
        split(found, is_entry=True)
    only = found.texts[0] if len(found.texts) == 1 else ""
    is_named = vocabulary.ORGANIZATION.search(only) and not vocabulary.POSITION.search(only)
    if kind == "experience" and is_named:
        found.texts, found.is_sorted = ["", only], True
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


def split_text(text: str, place: Span) -> Entry:
    """Return the entry that a text says in a line: "Example Prize, Example Society, 2019".

    ``text`` is Markdown.
    """
    found = Entry([text], place, is_sorted=False)
    if len(text) > _LONGEST:
        return found
    rest, found.date = dates.ends_in(text)
    if not found.date:
        rest, found.date = dates.begins_with(text)
    text = _ungraded(_balanced(rest, text), found)
    if link := re.match(r"\[([^\[\]]+)\]\(([^()]+)\)(?=\Z|[,.:]?\s)", text):
        text, found.url = link[1] + text[link.end() :], link[2]
    found.texts = [text]
    marked = re.match(_MARKED, text)
    if lead := marked or link:
        title = marked[2].rstrip(".:").strip() if marked else lead[1]
        rest = (marked[3] if marked else text[len(title) :]).strip(" ,:;–—-")
        is_sentence = marked and rest.endswith(".") and len(rest.split()) > 2
        found.texts = [title, rest] if rest and not is_sentence else [title]
        found.paragraphs += [rest] if is_sentence else []
        found.is_sorted = bool(marked)
        _part_town(found)
    elif 1 < len(cells := _BARS.split(text)) < 6:
        found.texts = cells
    elif len(text) <= 160:
        split(found, is_entry=True)
    return found


def _balanced(rest: str, text: str) -> str:
    """Return a text without its date, if that leaves its Markdown whole."""
    if text.startswith(rest) and (end := re.match(r"[*`]+", text[len(rest) :])):
        # The mark at its end belongs to it.
        rest += end[0]
    marks = all(rest.count(mark) % 2 == 0 for mark in ("**", "*", "`"))
    return rest if rest and marks and rest.count("[") == rest.count("]") else text


def _ungraded(text: str, found: Entry) -> str:
    """Return a text without "magna cum laude" at its end: the grade of a degree."""
    cut = _HONOURS.search(text)
    if cut is None or found.grade:
        return text
    found.grade = cut[1]
    return text[: cut.start()]


def split(found: Entry, *, is_entry: bool = False) -> None:
    """Part the one text of an entry into title, organization and town.

    At a comma only if words tell that it names them, or it ``is_entry`` for certain.
    """
    found.texts = [_ungraded(dates.without_length(text), found).rstrip(":") for text in found.texts]
    if len(found.texts) == 1 and "](" not in found.texts[0]:
        text = found.texts[0]
        parts = _AT.split(text, maxsplit=1)
        if len(parts) == 1:
            parts = _at_commas(found, text, is_entry=is_entry)
        of_names = (n for n, part in enumerate(parts) if n and vocabulary.ORGANIZATION.search(part))
        at = next(of_names, 1)
        found.texts = [", ".join(parts[:at]), ", ".join(parts[at:])] if len(parts) > 1 else [text]
    _part_town(found)


def _at_commas(found: Entry, text: str, *, is_entry: bool) -> list[str]:
    """Return the parts of a text between commas, without towns at its end."""
    parts, towns = _COMMAS.split(text), list[str]()
    while len(parts) > 2 and len(towns) < 2 and vocabulary.is_town(parts[-1]):
        towns.insert(0, parts.pop())
    if len(parts) > 4 or not (vocabulary.is_named(text) or (is_entry and len(parts) == 2)):
        return [text]
    if found.location:
        return [*parts, *towns]
    found.location = ", ".join(towns)
    return parts


def _part_town(found: Entry) -> None:
    """Take the town behind the second text of an entry."""
    if len(found.texts) != 2:
        return
    before, _, last = found.texts[1].rpartition(", ")
    is_more = before and not found.location and "](" not in before
    is_behind = vocabulary.ORGANIZATION.search(before) or len(last.split()) == 1
    if is_more and is_behind and vocabulary.is_town(last):
        found.texts[1], found.location = before, last
