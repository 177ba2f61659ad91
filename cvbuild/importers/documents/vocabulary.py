"""Words of CVs: of organizations, positions, degrees and places."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from cvbuild.importers import dates, headings, outline
from cvbuild.importers.outline import Run

#: The words themselves.
TABLES: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("vocabulary.toml").read_text("utf-8")
)


#: Words of organizations, of what a person is there, and of degrees.
ORGANIZATION, POSITION, DEGREE = (
    re.compile("(?i)\\b(?:" + "".join(map(str.strip, TABLES["forms"][name].splitlines())) + ")\\b")
    for name in ("organization", "position", "degree")
)
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


# -- tables whose first row names the columns ------------------------------------------------------

#: What a column has, by the words of its name.
_COLUMNS = {key: words.split() for key, words in TABLES["columns"].items()}


def columns(cells: list[list[Run]]) -> list[str]:
    """Return what each column has if a row names them; none if it does not."""
    names = [outline.plain(cell).rstrip(":") for cell in cells]
    known = [column_of(name) for name in names]
    if len(cells) < 2 or any(len(name) > 40 for name in names):
        return []
    blank = sum(not name for name in names)
    if sum(map(bool, known)) < max(2, len(names) - 1 - blank):
        return []
    # Beside a date and an organization there is the title.
    if known.count("") == 1 and {"date", "organization"} <= {*known} and "title" not in known:
        known[known.index("")] = "title"
    # What two columns have belongs to the first; a date may begin in one and end in the other.
    return [
        key if key and (key == "date" or key not in known[:at]) else names[at]
        for at, key in enumerate(known)
    ]


def has_values(cells: list[list[Run]]) -> bool:
    """Return whether a row has a number, an address or a level: it names no columns."""
    texts = [outline.plain(cell) for cell in cells]
    return any(re.search(r"[@\d]", one) or LEVEL.fullmatch(one) for one in texts)


def other_words(cells: list[list[Run]]) -> list[str]:
    """Return the words in names of columns that say nothing of what the columns have."""
    known = {word for names in _COLUMNS.values() for word in names}
    keys = columns(cells)
    names = [outline.plain(cell) for cell in cells]
    names = [name for name in names if column_of(name) or (keys and name not in keys)]
    return [word for name in names for word in name.split() if not known.issuperset(_words(word))]


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", headings.folded(name))


def column_of(name: str) -> str:
    """Return what is below or after such a name, empty where that is not known."""
    words = _words(name)
    if words[1:] and words[0] in ("name", "nom", "nome", "nombre"):
        # "Name and address of employer"
        del words[0]
    if not words or len(words) > 6:
        return ""
    of_words = (key for word in words for key, known in _COLUMNS.items() if word in known)
    return next(of_words, "")
