"""References to publications as people write them: authors, title, venue, year."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.importers.documents import dates

_DOI = re.compile(
    r"(?:https?://(?:dx\.)?doi\.org/|\bdoi:\s*)(10\.\d{4,9}/[^\s\])>,]+[^\s\])>,.])", re.IGNORECASE
)
_ARXIV = re.compile(
    r"(?:https?://arxiv\.org/abs/|\barXiv:\s*)(\d{4}\.\d{4,5}(?:v\d+)?)", re.IGNORECASE
)
_YEAR = re.compile(r"(?<![\d.-])(?:19|20)\d\d(?![\d-])")
#: Characters of a reference.
_LONGEST = 2_000
_QUOTED = re.compile(r"[“\"„«]\s*(?P<title>[^“”\"„«»]{8,300}?)[,.]?\s*[”\"“»]")
_APA = re.compile(r"^(?P<authors>.{3,400}?)\s*\((?P<year>(?:19|20)\d\d)\)[.,:]?\s+(?P<rest>.{8,})$")
#: "E. Example, S. Specimen" or "Example, E., and Specimen, S.", or names in full.
_NAME = r"[^\W\d_][\w'’.-]*(?:\s[^\W\d_][\w'’.-]*){0,4}\*?"
_NAMES = re.compile(rf"^{_NAME}(?:(?:,\s?|;\s?|,?\s(?:and|und|&|et|y)\s){_NAME})*(?:,? et al\.?)?$")
_MARKS = re.compile(r"\*\*|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")


def parsed(text: str) -> dict[str, Any] | None:
    """Return the item of a publication that a reference says; None if its form is unknown."""
    if len(text) > _LONGEST:
        return None
    links = re.findall(r"\[([^\]]*)\]\(([^)]*)\)", text)
    plain = re.sub(r"\(?\[([^\]]*)\]\(([^)]*)\)\)?", _words_of_link, text)
    plain = re.sub(r"^\s*\[?\d{1,3}[\].]\s+", "", plain)
    doi, arxiv = _DOI.search(text), _ARXIV.search(text)
    plain = _ARXIV.sub("", _DOI.sub("", plain))
    quoted, apa = _QUOTED.search(plain), _APA.match(plain)
    if quoted:
        before, title, after = plain[: quoted.start()], quoted["title"], plain[quoted.end() :]
        found = _YEAR.findall(after) or _YEAR.findall(before)
        year = found[-1] if found else ""
    elif apa:
        before, year = apa["authors"], apa["year"]
        title, _, after = apa["rest"].partition(". ")
    else:
        return None
    names = authors(re.sub(r"\(?(?:19|20)\d\d\)?", "", before))
    if not names or len(title) < 8:
        return None
    made: dict[str, Any] = {"title": title.strip().rstrip("."), "authors": names}
    made |= _where(_venue(after, year), year)
    made["date"] = year
    made |= {"doi": doi[1]} if doi else {}
    made |= {"arxiv": arxiv[1]} if arxiv else {}
    made["links"] = [
        {label: url}
        for label, url in links
        if not (_DOI.search(url) or _ARXIV.search(url)) and label not in title and label
    ]
    if links and not doi and (own := [url for label, url in links if label and label in title]):
        made["url"] = own[0]
    return {key: value for key, value in made.items() if value}


def authors(text: str) -> list[str]:
    """Return the authors in a text; none if it isn't a list of names."""
    text = _MARKS.sub("", text).replace("\\", "").strip(" ,.:;") + (
        "." if re.search(r"\b\w\.[ ,:;]*$", text) else ""
    )
    if not text or not _NAMES.match(text):
        return []
    parts = [
        part.strip()
        for part in re.split(r"\s*;\s*|,?\s+(?:and|und|&|et(?! al)|y)\s+|\s*,\s+(?!Jr)", text)
        if part.strip()
    ]
    joined: list[str] = []
    for part in parts:
        # "Example, E.": what is only initials belongs to the family name before it.
        if joined and re.fullmatch(r"(?:[^\W\d_]\.[ -]?){1,4}", part) and "." not in joined[-1]:
            joined[-1] = f"{part} {joined[-1]}"
        else:
            joined.append(part)
    return [one for one in joined if one != "and"]


def _words_of_link(found: re.Match[str]) -> str:
    """Return the words of a link that belong to the reference; not "PDF"."""
    label, url = found[1], found[2]
    is_extra = len(label) < 12 and " " not in label and f"{label} " not in f"{found.string} "[:20]
    return (
        ""
        if is_extra or (_DOI.search(url) and label.lower().startswith("doi"))
        else found[0].replace(f"]({url})", "").replace("[", "", 1)
    )


_NUMBERS = re.compile(
    r"(?P<venue>.*?[^\d\s,])[,.]?\s+(?:vol\.\s*)?(?P<volume>\d{1,4})"
    r"(?:\s*\((?P<issue>\d{1,3}(?:[-–]\d{1,3})?)\)|,?\s*(?:no\.|nr\.)\s*(?P<number>\d{1,3}))?"
    r"(?:\s*\((?P<year>(?:19|20)\d\d)\))?(?:[,:;]\s*(?:pp?\.\s*|S\.\s*)?"
    r"(?P<pages>[A-Za-z]?\d+(?:\s*[–-]+\s*[A-Za-z]?\d+)?))?"
)


def _where(venue: str, year: str) -> dict[str, str]:
    """Return venue, volume, issue and pages of "Journal of Examples 12(3), 45-67"."""
    plain = venue.replace("*", "")
    found = _NUMBERS.fullmatch(plain)
    if found and found["year"] in (None, year) and len(found["venue"]) > 3:
        issue = found["issue"] or found["number"] or ""
        pages = re.sub(r"\s*[–-]+\s*", "-", found["pages"] or "")
        return {"venue": found["venue"], "volume": found["volume"], "issue": issue, "pages": pages}
    found = re.fullmatch(r"(.{4,}?),?\s+(?:pp?\.|S\.|pages)\s*(\d+(?:\s*[–-]+\s*\d+)?)", plain)
    if found:
        return {"venue": found[1], "pages": re.sub(r"\s*[–-]+\s*", "-", found[2])}
    return {"venue": venue}


def _venue(text: str, year: str) -> str:
    """Return what is left after the title, without the year at its end."""
    text = text.strip(" ,.:;")
    rest, date = dates.ends_in(text)
    text = rest if date and date.endswith(year) else text
    text = re.sub(r"^(?:In|in|In:)\s*:?\s+", "", text.strip(" ,.:;"))
    if text.count("*") % 2 or text.count("`") % 2:
        text = text.replace("*", "").replace("`", "")
    return re.sub(r"\(\s*\)", "", text).strip(" ,.:;()")
