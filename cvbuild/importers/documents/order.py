"""The names of an entry: parted by their marks, then title and organization by words and looks."""

from __future__ import annotations

import re

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import citations, vocabulary
from cvbuild.importers.words import dates
from cvbuild.importers.words.outline import Entry

#: Kinds in whose entries either of the two may come first.
EITHER_FIRST = frozenset(("education", "experience", "volunteer", "teaching", "service"))


_COMMAS = re.compile(r",\s+(?![^()]*\))(?!(?:Inc|LLC|Ltd|GmbH|Co|Jr|Ph\.?D|(?:19|20)\d\d)\b)")
#: A title in bold or italics, or between quotation marks, before the rest.
_MARKED = r"(\*\*|\*|“|\")([^*“”\"]{3,200})(?:\1|”)(?=\Z|[\s,.:;–—-])(.*)"
#: Authors before the title between quotation marks.
_LED = re.compile(r"([^“\"”]{3,200}?)\s*[“\"]([^“\"”]{3,200}?)[.,]?[”\"][,.]?\s*(.*)")
#: Years of several courses.
_YEARS = re.compile(r"\((?:(?:19|20)\d\d,\s*)+(?:19|20)\d\d\)\W*\Z")
#: What a degree was passed with, after it.
_HONOURS = re.compile(rf"(?i)(?<=\w)(?:[.;,]\s+|\s+\()({dates.HONOURS.pattern[4:]})\)?$")
_AT = re.compile(r"\s+(?:at|bei|chez|from|@)\s+(?=[A-ZÄÖÜÉ])|\s+[–—]\s+|\s+-{1,3}\s+")
_BARS = re.compile(r"\s+[|•·]\s+")
#: What begins a line of its own at the end of a title.
_LABELLED = re.compile(
    r"[.;,] (?=(?i:(?:thesis|dissertation|advisor|supervisor|(?:final )?grade|(?:abschluss)?note"
    r"|c?gpa): |c?gpa [^,]*$))"
)
#: Characters of a line that may begin an entry.
_LONGEST = 600


def _score(entry: Entry, kind: str) -> int:
    """Return 1 if the first text is the title by its words, -1 if the second is, 0 if neither."""
    first, second = (re.sub(r"\([^()]*\)", "", text) for text in entry.texts[:2])
    mark = vocabulary.DEGREE if kind == "education" else vocabulary.POSITION
    named = vocabulary.ORGANIZATION
    score = bool(mark.search(first)) - bool(mark.search(second))
    if score:
        return score
    return bool(named.search(second)) - bool(named.search(first))


def _is_turned(found: Entry, kind: str) -> bool:
    """Return whether the second text is the title by its words, and the first is not."""
    if kind not in ("education", "experience", "volunteer") or not all(found.texts[:2]):
        return False
    mark = vocabulary.DEGREE if kind == "education" else vocabulary.POSITION
    first, second, *_ = [*found.texts, ""]
    is_title = mark.search(second) and not vocabulary.ORGANIZATION.search(second)
    return bool(is_title and not mark.search(first))


def without_town(found: Entry, kind: str) -> None:
    """Take a town for one where the other text is an organization, and there is no title."""
    if len(found.texts) != 2 or found.location or kind not in ("education", "experience"):
        return
    name, town = found.texts
    is_titled = vocabulary.POSITION.search(name) or vocabulary.DEGREE.search(name)
    if vocabulary.ORGANIZATION.search(name) and not is_titled and vocabulary.is_town(town):
        found.texts, found.location = [name], town


def put_in_order(found: Entry, kind: str) -> None:
    """Bring the texts of an entry into the order title, organization, town."""
    if kind == "education" and found.texts:
        _part_degree(found)
    if found.is_sorted:
        if _is_turned(found, kind):
            found.texts[:2] = [found.texts[1], found.texts[0]]
        return
    without_town(found, kind)
    if kind == "experience" and len(found.texts) == 1:
        only = found.texts[0]
        if vocabulary.ORGANIZATION.search(only) and not vocabulary.POSITION.search(only):
            found.texts, found.is_sorted = ["", only], True
    if kind in ("experience", "volunteer") and len(found.texts) == 1:
        parts = found.texts[0].split(", ")
        if len(parts) == 3 and not found.location and vocabulary.is_town(parts[2]):
            found.location = parts.pop()
        if len(parts) == 2 and all(part[:1].isupper() for part in parts):
            found.texts = parts
    if len(found.texts) < 2:
        return
    score = _score(found, kind)
    if score < 0:
        found.texts[:2] = [found.texts[1], found.texts[0]]
    found.is_guessed = score == 0
    found.is_sorted = True


def _part_degree(found: Entry) -> None:
    """Part "PhD, Example College" and what follows into the degree and where it is from."""
    degree, _, school = found.texts[0].partition(", ")
    is_both = vocabulary.DEGREE.search(degree) and vocabulary.ORGANIZATION.search(school)
    if is_both and not vocabulary.ORGANIZATION.search(degree):
        more = [text for text in found.texts[1:] if not vocabulary.ORGANIZATION.search(text)]
        if len(more) == len(found.texts) - 1:
            found.texts = [", ".join([degree, *(text.rstrip(".") for text in more)]), school]


def part_place(found: Entry, kind: str) -> None:
    """Take the organization out of a location that begins with it: "Initech, London"."""
    if len([text for text in found.texts if text]) > 1 or not found.location:
        return
    first, _, rest = found.location.partition(", ")
    title = next((text for text in found.texts if text), "")
    mark = vocabulary.DEGREE if kind == "education" else vocabulary.POSITION
    is_title = bool(mark.search(title)) or (kind == "award" and not rest)
    if (
        vocabulary.ORGANIZATION.search(first)
        or (is_title and not rest and not vocabulary.ORGANIZATION.search(title))
        or (is_title and rest and not vocabulary.is_region(rest))
    ):
        found.texts, found.location = [title, first], rest


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
    elif (led := _LED.fullmatch(text)) and citations.authors(led[1]):
        # "Muster, K. “A talk.” Conference, Town"
        found.texts = [one for one in (led[2], led[3]) if one]
        found.paragraphs += [led[1]] if len(citations.authors(led[1])) > 1 else []
        split(found)
    elif bracket := re.fullmatch(r"([^()\[\]]{3,100}?)\s+\(([^()\d]{3,80})\)", text):
        found.texts = [bracket[1], bracket[2]]
    elif len(text) <= 160:
        split(found)
        if len(found.texts) == 1:
            parts = _COMMAS.split(text)
            if len(parts) == 3 and not found.location and vocabulary.is_town(parts[2]):
                found.location = parts.pop()
            if len(parts) == 2 and "](" not in text:
                found.texts = parts
    return found


def _dated(text: str, found: Entry) -> str:
    """Take the date out of a text, if it begins or ends with it, and what is after it."""
    if found.date or _YEARS.search(text):
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
    found.texts = [
        _without_thesis(_ungraded(dates.without_length(text), found), found).rstrip(":")
        for text in found.texts
    ]
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


def _without_thesis(text: str, found: Entry) -> str:
    """Return a text without "Thesis: …" at its end, which is a line of its own."""
    cut = _LABELLED.search(text)
    if cut is None:
        return text
    found.paragraphs.append(text[cut.end() :])
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
