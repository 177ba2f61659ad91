"""References to publications as people write them: MLA, APA, Chicago, Vancouver, lists of CVs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cvbuild.importers import dates

_DOI = re.compile(
    r"(?:https?://(?:dx\.)?doi\.org/|\bdoi:\s*)(10\.\d{4,9}/[^\s\])>,]*[^\s\])>,.])", re.IGNORECASE
)
_ARXIV = re.compile(
    r"(?:https?://arxiv\.org/abs/|\barXiv:\s*)(\d{4}\.\d{4,5}(?:v\d+)?)", re.IGNORECASE
)
_YEAR = re.compile(r"(?<![\d.-])(?:19|20)\d\d(?![\d-])")
#: Characters of a reference, and of its authors.
_LONGEST = 2_000
_LONGEST_NAMES = 900
#: Characters of a title.
_SHORTEST = 8
#: Words of a title that stands alone.
_TITLE_WORDS = 3
_PUBLISHED = re.compile(r"(?i)^published (?:in|by) ")
_QUOTED = re.compile(r"[“\"„«]\s*(?P<title>[^“”\"„«»]{8,300}?)(?P<end>[,.?!]?)\s*[”\"“»][,.]?")
#: A title in quotes or slanted, at the beginning.
_LED = re.compile(
    r"(?:[“\"„«]([^“”\"„«»]{8,300}?)[,.]?[”\"“»]|['‘]([^*“”]{8,300}?),?['’]|\*([^*]{8,300})\*)[,.:]\s+"
)
_APA = re.compile(r"(?P<authors>.{3,900}?)\s*\((?P<year>(?:19|20)\d\d)[a-z]?(?:, \w+)?\)[.,:]?\s+")
_NUMBER = re.compile(r"\s*\[?\d{1,3}\\?[\].)]\s+")
_AND = re.compile(r"\s*;\s*|,?\s+(?:and|und|&|et(?! al)|y)\s+|\s*,\s+(?!Jr)")
_ONLY_INITIALS = re.compile(r"(?:[^\W\d_]\.[ -]?){1,4}[*†‡§]*")
#: "Muster K", "de la Cruz MA"
_VANCOUVER = re.compile(r"((?:[^\W\d_][\w'’-]* ){1,3})([A-ZÀ-Þ]{1,3})\.?")
_NAME = re.compile(
    r"(?:(?:van|von|de|der|den|del|della|di|da|du|dos|la|le|al|bin|ter|ten|el|zu) )*"
    r"[^\W\d_a-z][\w'’.-]*(?: (?:van|von|de|der|den|del|della|di|da|du|dos|la|le|al|bin|ter|ten|zu"
    r"|[^\W\d_a-z][\w'’.-]*)){0,4}[*†‡§]*(?: ?\([^()]{1,20}\))?"
)
_ET_AL = re.compile(r"(?:et\.? ?al\.?|…|\.\.\.|others)")
_MARKS = re.compile(r"\*\*|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
#: The end of a sentence.
_STOP = re.compile(r"(?:(?<=[\w)”’\]*+#&]{2})|(?<=\s\d))\.\s+(?=\S)")
#: A star that is text, while those of styles are removed.
_STAR = "\ue000"


def of_lines(title: str, lines: Sequence[str]) -> str:
    """Return a reference of a title and the lines below it: authors, venue and date, in any order.

    It is empty if neither authors nor a date are among them.
    """
    lines = [part for line in lines for part in re.split(r"\s+[—–|·]\s+|\t", line)]
    names = next((line for line in lines if authors(line, is_strict=True)), "")
    date = next((line for line in lines if dates.is_date(dates.unbracketed(line))), "")
    if not names and (not date or len(title.split()) < _TITLE_WORDS):
        return ""
    rest = [line for line in lines if line not in (names, date)]
    told = [line for line in rest if line.endswith(".") and len(line.split()) > _TITLE_WORDS]
    said = [_PUBLISHED.sub("", line) for line in rest if line not in told]
    after = ". ".join([", ".join([*filter(None, said), dates.unbracketed(date)]), *told])
    return f"{names}. “{title}”. {after}" if names else f"“{title}”. {after}"


_LEADING_YEAR = re.compile(r"^((?:19|20)\d\d)[.:]?\s+([^\W\d_](?:(?!(?:19|20)\d\d).)+?)[\s.]*$")
#: Authors, title, what follows the title, and the year if that is known.
_Parts = tuple[list[str], str, str, str]


def of_kind(kind: str, text: str) -> dict[str, Any] | None:
    """Return the item of a publication or a patent, "Title. Venue, 2020" too.

    None if its form is unknown.
    """
    if len(text) > _LONGEST:
        return None
    links = re.findall(r"\[([^\]]*)\]\(([^)]*)\)", text)
    plain = re.sub(r"\(?\[([^\]]*)\]\(([^)]*)\)\)?,?", _words_of_link, text)
    plain = _ARXIV.sub("", _DOI.sub("", re.sub(rf"^{_NUMBER.pattern}", "", plain))).strip()
    # A year in the margin stands before the names.
    plain = _LEADING_YEAR.sub(r"\2, \1", plain)
    doi, arxiv = _DOI.search(text), _ARXIV.search(text)
    found = _reference(plain) or _titled(plain)
    if found is None:
        return None
    names, title, after, year = found
    venue, date, note = _placed(after, year)
    made: dict[str, Any] = {"title": _MARKS.sub("", title).strip().rstrip(".")}
    if kind == "patent":
        made |= {"inventors": names, "number": venue, "status": note}
    else:
        made |= {"authors": names, "venue": venue, "note": note}
    made |= {"date": date, "doi": doi and doi[1], "arxiv": arxiv and arxiv[1]}
    made["links"] = [
        {label: url}
        for label, url in links
        if not (_DOI.search(url) or _ARXIV.search(url)) and label not in title and label
    ]
    if links and not doi:
        made["url"] = next((url for label, url in links if label and label in title), "")
    return {key: value for key, value in made.items() if value}


def _reference(text: str) -> _Parts | None:
    if quoted := _QUOTED.search(text):
        before, after = text[: quoted.start()], text[quoted.end() :]
        years = [] if _YEAR.search(after) else _YEAR.findall(before)
        title = quoted["title"] + quoted["end"].strip(",.")
        if names := authors(re.sub(r"[(.,]?\s*(?:19|20)\d\d\)?\.?\s*$", "", before)):
            return names, title, after, years[-1] if years else ""
    if apa := _APA.match(text):
        title, after = _title(text[apa.end() :])
        if title and (names := authors(apa["authors"])):
            return names, title, after, apa["year"]
    return _plain(text)


def _titled(text: str) -> _Parts | None:
    if led := _LED.match(text):
        title, after = led[1] or led[2] or led[3], text[led.end() :]
    else:
        title, after = _title(_MARKS.sub("", text))
    is_title = led or len(title.split()) >= 3
    is_dated = _YEAR.search(after) and len(after) <= 200
    return ([], title, after, "") if is_title and is_dated else None


def _plain(text: str) -> _Parts | None:
    """Return the parts of "Authors. Title. Venue, 2020."; None if it is not so.

    The authors end at the first full stop that is not that of an initial.
    """
    fallback = 0
    for stop in re.finditer(r"\.\s+", text[:_LONGEST_NAMES]):
        before = _MARKS.sub("", text[: stop.start()])
        word = re.split(r"[\s.,(]+", before)[-1]
        if len(word) == 1:
            is_last = re.search(r"(?:,|[^\W\d_]{2})\s?(?:[^\W\d_]\.[ -]?)*[^\W\d_]$", before)
            fallback = stop.end() if is_last else fallback
            continue
        for end in (stop.end(), fallback):
            names = authors(text[:end], is_strict=True) if end else []
            title, after = _title(text[end:])
            if names and len(title) >= _SHORTEST:
                return names, title, after, ""
        if word.lower() != "al":
            break
    return None


def _title(text: str) -> tuple[str, str]:
    """Return the first sentence of a text, and the rest."""
    stop = _STOP.search(text) or re.search(r"(?<=[?!])\s+(?=\S)", text)
    if stop:
        return text[: stop.start()].strip(), text[stop.end() :].strip()
    return text.strip().rstrip("."), ""


def authors(text: str, *, is_strict: bool = False) -> list[str]:
    """Return the authors in a text; none if it isn't a list of names.

    With ``is_strict`` a name alone is none, unless it has an initial.
    """
    text = _unmarked(text)
    is_short = re.search(r"(?:^|[\s.,-])\w\.[ ,:;]*$|\bal\.[ ,:;]*$", text)
    text = text.strip(" ,.:;") + ("." if is_short else "")
    if not text or len(text) > _LONGEST_NAMES:
        return []
    words = [part for one in _AND.split(text) if (part := one.strip().removeprefix("and "))]
    joined: list[str] = []
    for word in words:
        # "Example, E.": what is only initials belongs to the family name before it.
        if joined and _ONLY_INITIALS.fullmatch(word) and "." not in joined[-1]:
            joined[-1] = f"{word} {joined[-1]}"
        else:
            joined.append(word)
    named = [one for one in joined if not _ET_AL.fullmatch(one)]
    if len(named) > 1 and len(joined) == len(words) and _is_inverted(named):
        # "Muster, Karla, and Ines Probe"
        joined[:2] = [f"{joined[1]} {joined[0]}"]
    if all(_VANCOUVER.fullmatch(one) for one in named):
        joined = [
            _VANCOUVER.sub(lambda name: f"{'. '.join(name[2])}. {name[1].strip()}", one)
            for one in joined
        ]
    named = [one for one in joined if not _ET_AL.fullmatch(one)]
    if not any(" " in one for one in named) or not all(_NAME.fullmatch(one) for one in named):
        return []
    is_list = len(joined) > 1 or bool(re.search(r"\b\w\.", text)) or joined != words
    return joined if is_list or not is_strict else []


def _is_inverted(names: list[str]) -> bool:
    """Return whether the family name of the first author stands alone before the given one."""
    first, second, *others = names
    is_pair = bool(re.fullmatch(r"[^\W\d_][\w'’-]+(?: [^\W\d_]\.?)*", second))
    is_pair &= " " not in first or (not others and " " not in second)
    return is_pair and all(" " in one for one in others)


def _words_of_link(found: re.Match[str]) -> str:
    """Return the words of a link that belong to the reference; not "PDF"."""
    is_extra = len(found[1]) < 12 and " " not in found[1]
    is_name = is_extra or _ARXIV.search(found[2]) or found[1] in found[2]
    return "" if is_name else found[1]


def _placed(after: str, year: str) -> tuple[str, str, str]:
    """Return the venue, the date, and a note of what follows a title."""
    text = re.sub(r"^(?:In|in|In:)\s*:?\s+", "", _unmarked(after).strip(" ,.:;"))
    note, date = "", year
    for end in [*re.finditer(r"\.\s+(?=\S)", text), None]:
        said = text[: end.start()] if end else text
        rest, its = dates.ends_in(said)
        if its and year in its:
            note = text[end.end() :] if end else ""
            text, date = (said, year) if said.endswith(")") else (rest, dates.normal(its))
            break
    if not date and (years := _YEAR.findall(text)):
        date = years[-1]
    if date:
        # "Letters. 2017;5(2):101"
        text = re.sub(rf"[,.]\s*{date[:4]};", ", ", text, count=1)
        text = re.sub(rf"(?:[,.]\s*|\s*\(){date[:4]}\)?(?=[\s.,;:]|$)", "", text, count=1)
    venue = dates.unbracketed(re.sub(r"\(\s*\)", "", text).strip(" ,.:;"))
    return venue, date, note.strip().rstrip(".")


def _unmarked(text: str) -> str:
    return _MARKS.sub("", text.replace("\\*", _STAR)).replace(_STAR, "*").replace("\\", "")
