"""What an advertisement of a job says that its application needs: read by labels and by shapes.

What isn't plain isn't read, and what is read is marked: a person looks at each value. An
advertisement is anybody's: of a text of any kind it takes a time that is that of its length.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic_core import PydanticCustomError

from cvbuild.applications import match
from cvbuild.common.diagnostics import FieldPath
from cvbuild.importers import dates
from cvbuild.importers.descriptions import Html
from cvbuild.inputs.yaml import edit, source, writer
from cvbuild.model.letter import MAX_LINE
from cvbuild.model.locales.dates import Date

#: As many lines, and characters of each, are read.
_LINES, _COLUMNS = 3000, 1000
_END_TAG = re.compile(r"</(?:a|b|body|div|h\d|html|li|p|section|span|strong|td|ul)>", re.IGNORECASE)
_GENDERS = re.compile(
    r"\s*[(\[](?:[mfwdxhn]\s?[/|,]\s?)+[mfwdxhn*](?:/\w+)?[)\]]|\s*\(all genders\)", re.IGNORECASE
)
_CAPITAL = r"[A-Z0-9À-ÖØ-Þ]"
_NAME = (
    rf"{_CAPITAL}[\w&.'’-]*(?: (?:{_CAPITAL}[\w&.'’-]*|of|for|the|and|de|der|des|für|und|&)){{0,7}}"
)
_SEEKS = (
    "(?:(?:is|are) (?:looking for|hiring|seeking|recruiting)|seeks|invites applications for|sucht"
    "|recherche une?|recrute|busca|cerca)"
)
_SEEKING = re.compile(
    rf"(?:^|[.!?] )(?:(?:The|Die|Das|Der) )?({_NAME})(?: in {_CAPITAL}[\w-]+)? {_SEEKS}\b"
)
_SOUGHT = re.compile(
    r"\b(?:looking for|hiring|seeking|seeks|applications for|position of|suchen|sucht|Stelle als)"
    r"(?: an?| the| ab sofort| zum \S+ \S+ \S+)?(?: eine?n?)? "
    r"([^,.;:()!?]{3,80}?)(?= (?:at|to|for|who|with|in|im|für|mit|zur)\b|[,.;:()!?]|$)"
)
_DATE = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}([./])\s?\d{1,2}\1\s?\d{4}"
    r"|\d{1,2}(?:st|nd|rd|th|er|\.)? (?:of |de )?[^\W\d_]{3,12}\.?,? (?:de )?\d{4}"
    r"|[^\W\d_]{3,12}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
#: Words of advertisements, and the labels of what they say.
_TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_WORDS = {name: frozenset(words.split()) for name, words in _TABLE["words"].items()}
_ROLE = re.compile(rf"(?<!\w)(?:{'|'.join(_WORDS['roles'])})(?!\w)")
_LABELS = {name: words.replace("\n", "") for name, words in _TABLE["labels"].items()}
#: The keys of an application that are looked for.
PATHS: tuple[FieldPath, ...] = (
    ("employer",), ("position",), ("reference",), ("deadline",), ("recipient", "email"),
)  # fmt: skip


def read(text: str, name: str) -> dict[FieldPath, str]:
    """Return what an advertisement says, by the keys of an application; raises ProfileError."""
    if _END_TAG.search(text):
        text = "\n".join(block.plain for block in Html().read(text) if block.kind != "lost")
    lines: list[str] = []
    for _, line in match.read(text, name).lines[:_LINES]:
        # Without marks of lists and of Markdown, with digits as in ASCII.
        plain = unicodedata.normalize("NFKC", line[:_COLUMNS]).replace("**", "").replace("|", " ")
        plain = re.sub(r"\d", lambda digit: str(unicodedata.decimal(digit[0])), plain)
        lines += filter(None, [" ".join(plain.split()).lstrip("#•*-–> ").strip()])
    title, place = _title(lines)
    position = _GENDERS.sub("", _labelled("position", lines) or title).strip(" -–,")
    names = (found[1].rstrip(".") for line in lines for found in _SEEKING.finditer(line))
    firm = next((one for one in names if one.split()[0].casefold() not in _WORDS["vague"]), "")
    employer = _labelled("employer", lines) or place or firm
    words = (word for line in lines for word in line.split() if "@" in word and len(word) < 255)
    mails = (mail[0].rstrip(".") for word in words if (mail := _EMAIL.search(word)))
    others = _WORDS["others"]
    email = next((one for one in mails if not any(part in one.casefold() for part in others)), "")
    form = re.compile(
        rf"(?:^|[^\w])(?:{_LABELS['reference']})(?!\w)\.?\s*(?:[:：#]|no\.?|nr\.?|number)?\s*[:：#]?"
        r"\s*([A-Z0-9][\w./-]{1,29})",
        re.IGNORECASE,
    )
    numbers = (number[1].rstrip(".-/") for line in lines for number in form.finditer(line))
    reference = next((number for number in numbers if re.search(r"\d", number)), "")
    label = re.compile(rf"(?<!\w)(?:{_LABELS['deadline']})(?!\w)", re.IGNORECASE)
    near = (
        f"{line[after.end() :]} {following}"[:120]
        for line, following in pairwise([*lines, ""])
        for after in label.finditer(line)
    )
    days = (_day(date[0]) for text in near for date in _DATE.finditer(text))
    deadline = next(filter(None, days), "")
    known = zip(PATHS, (employer, position, reference, deadline, email), strict=True)
    return {path: value for path, value in known if value and len(value) <= MAX_LINE}


#: What is said of a value in the application's file, until somebody deletes the comment.
MARK = f"{writer.MARK} read from the advert"
#: Values of a new application's file, which nobody wrote.
_STARTER = ("Example Lab", "Research Scientist")


def is_free(text: str, path: FieldPath) -> bool:
    """Return whether an application has no value of its own at a path; raises ProfileError."""
    parsed = source.parse(text, "text")
    there, line = parsed.find(path), parsed.key_span(path).line
    if there is None or there.data is None:
        return True
    # A comment beside it is somebody's.
    return there.data in _STARTER and "#" not in text.split("\n")[(line or 1) - 1]


def put(text: str, path: FieldPath, value: str, after: Sequence[str] = ()) -> str:
    """Return an application's text with a value of an advertisement, marked, if it has none."""
    if not is_free(text, path):
        return text
    after = after if len(path) == 1 else ()
    changed = edit.put(text, path, value, after)
    rows = changed.split("\n")
    parsed = source.parse(changed, "text")
    line = parsed.key_span(path).line
    # Between brackets a mark would be one of all that is there.
    if not line or not rows[line - 1].lstrip().startswith(f"{path[-1]}:"):
        return text
    rows[line - 1] = f"{rows[line - 1].rstrip()}  {MARK}"
    marked = "\n".join(rows)
    return marked if source.parse(marked, "text").data == parsed.data else text


def _labelled(name: str, lines: Sequence[str]) -> str:
    """Return what stands behind a label, on its line or on the next one."""
    label = re.compile(rf"(?:{_LABELS[name]})(?:\s*\([^)]*\))?\s*(?:[:：]\s*|$)", re.IGNORECASE)
    # A label that is a line of its own may be a heading.
    rows = [line for line in lines if ":" in line or "：" in line]
    told = (
        line[begin.end() :] or following
        for line, following in pairwise([*rows, ""])
        if (begin := label.match(line))
    )
    return next((text for text in told if text and len(text.split()) <= 14), "")


def _title(lines: Sequence[str]) -> tuple[str, str]:
    """Return the title of the position, and the employer that it names: Nurse at Example."""
    titles = [
        line
        for line in lines[:12]
        if len(line.split()) <= 14
        and not re.search(r":(?!\w)|@|[.!?]$", line)
        and (_GENDERS.search(line) or _ROLE.search(line.casefold()))
        and not _sought([line])
    ]
    titles.sort(key=lambda line: not _GENDERS.search(line))
    if not titles:
        return _sought(lines), ""
    what, *where = re.split(r" at | bei (?:der |dem )?(?=[A-Z])", titles[0], maxsplit=1)
    return what, "".join(where).strip(" ,–-")


def _sought(lines: Sequence[str]) -> str:
    words = (found[1].strip() for line in lines for found in _SOUGHT.finditer(line))
    return next((word for word in words if _ROLE.search(word.casefold())), "")


def _day(text: str) -> str:
    """Return a day as 2027-03-31; none for 03/04/2027, which means two."""
    numbers = {int(one) for one in re.findall(r"\d+", text)[:2]}
    if "/" in text and len(numbers) > 1 and max(numbers) <= 12:
        return ""
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th|er)\b| of\b", "", text)
    try:
        start = Date.of(dates.normal(text)).start
    except PydanticCustomError:
        return ""
    return str(start) if start and start.day else ""
