"""Words of CVs: of organizations, positions, degrees and places."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from cvbuild.importers.words import dates, outline
from cvbuild.importers.words.outline import Run

#: The words themselves.
TABLES: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("vocabulary.toml").read_text("utf-8")
)


def _of_words(name: str) -> re.Pattern[str]:
    forms = "".join(line.strip() for line in TABLES["forms"][name].splitlines())
    return re.compile(rf"(?i)\b(?:{forms})\b")


#: Words of organizations, of what a person is there, and of degrees.
ORGANIZATION, POSITION, DEGREE = map(_of_words, ("organization", "position", "degree"))
_PLACE = re.compile(
    r"[^\W\d_][\w.'’ -]{1,30}, ?[^\W\d_][\w.'’ -]{1,30}(?:, ?[^\W\d_][\w. -]{1,30})?"
)
_COUNTRIES = frozenset(TABLES["places"]["countries"].split("|"))


def inner_label(text: str) -> str:
    """Return "plain" or "courses" for a label of a list inside of an entry, empty for another."""
    text = text.strip(" :").lower()
    return next((key for key, said in TABLES["inner"].items() if text in said.split("|")), "")


def is_degree(text: str, *, within: int = 40) -> bool:
    """Return whether a text is a degree: a word of one begins in its first characters."""
    found = DEGREE.search(text)
    is_one = found is not None and found.start() < within
    return is_one and len(text) < 100 and not text.endswith(".")


def is_place(text: str) -> bool:
    """Return whether a text looks like a town with its state or country, and nothing else."""
    words = text.split()
    return (
        bool(_PLACE.fullmatch(text))
        and len(words) <= 5
        and all(word[:1].isupper() for word in words if len(word) > 3)
        and not is_named(text)
    )


def is_town(text: str) -> bool:
    """Return whether a text may be a town: few words, all capitals first, no digits."""
    words = text.replace(",", " ").split()
    is_short = 0 < len(words) <= 4
    return is_short and all(one[:1].isupper() for one in words) and not is_named(text)


def is_address(text: str) -> bool:
    """Return whether a text has a house's number, a postcode, or an organization and its town."""
    is_person = POSITION.search(text) or DEGREE.search(text)
    is_at = bool(ORGANIZATION.search(text)) and ", " in text and not is_person
    return is_at or bool(
        re.match(r"\d{1,5}[a-z]?,? [^\W\d_]", text)
        or re.search(r"\b(?:\d{4,5}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2})\b", text)
    )


def is_region(text: str) -> bool:
    """Return whether a text is a country, or the letters of a state: what follows a town."""
    return bool(re.fullmatch(r"[A-Z]{2,3}", text)) or text.casefold() in _COUNTRIES


def is_role(text: str) -> bool:
    """Return whether a text says a position or a degree."""
    return bool(POSITION.search(text) or DEGREE.search(text))


def is_post(text: str) -> bool:
    """Return whether a text says a position, and no organization."""
    return bool(POSITION.search(text) and not ORGANIZATION.search(text))


def is_named(text: str) -> bool:
    """Return whether a text says a position, an organization or a degree."""
    return bool(POSITION.search(text) or ORGANIZATION.search(text) or DEGREE.search(text))


LEVEL = re.compile(
    r"(?i)(?:very |sehr )?(?:basic|advanced|expert|intermediate|beginner|fluent|native|good"
    r"|excellent|proficient|professional|competent|[abc][12]|gut|grundkenntnisse|fortgeschritten|experte"
    r"|notions|avanc[ée]|courant|b[áa]sico|avanzado|\d(?:[./]\d)?|\d+ years?)(?: .{1,20})?"
)


def are_items(cells: list[str]) -> bool:
    """Return whether each cell of a row of skills is one: no list, no label, no level."""
    texts = [one for one in cells if re.search(r"[,;:]", one) or LEVEL.fullmatch(one)]
    return len(cells) > 2 and not texts


def level(text: str) -> tuple[str, str]:
    """Return a name and a level: "English (fluent)", "German - native"."""
    found = re.fullmatch(r"([^()\[\]:,]{1,40}?)\s*(?:\(([^()]+)\)|\s[–—-]+\s(.+))", text)
    return (found[1].strip(), (found[2] or found[3]).strip()) if found else ("", text)


def label(line: list[Run]) -> tuple[str, str] | None:
    """Return label and text of a line such as **Languages:** Python; None for another line."""
    cells = [cell for cell in outline.parts(line, re.compile(r"\t+")) if outline.plain(cell)]
    first = outline.plain(cells[0]) if len(cells) == 2 else ""
    text = outline.markdown(cells[1]) if 0 < len(first) < 60 else ""
    if text and not (dates.ends_in(text)[1] or dates.is_date(first)):
        return first.rstrip(": "), text
    whole = outline.markdown(line, is_all=True)
    found = keyed(whole)
    return found if found and ":" in whole[: len(found[0]) + len("**:**:")] else None


def keyed(text: str) -> tuple[str, str] | None:
    """Return label and text of ``**Languages:** Python, C++``; None for another text."""
    marked = r"\*\*(.{1,60}?):?\*\*(?:\s*[:–—]\s*|\s+-+\s+|\s+)(.+)"
    slanted = r"\*([^*]{1,60}):\*\s+(.+)"
    found = (
        re.fullmatch(marked, text)
        or re.fullmatch(slanted, text)
        or re.fullmatch(r"([^:.*\[\]]{1,40}):\s+(.+)", text)
    )
    return (found[1].strip(), found[2].strip()) if found else None
