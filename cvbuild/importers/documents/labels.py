"""Lines with a label that has a key: "Thesis: …", "GPA: …", "Technologies: …"."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.importers.documents import vocabulary
from cvbuild.importers.documents.outline import Point

#: The labels that a key has.
_LABELS = {
    "grade": r"c?gpa|(?:final )?grade|note|abschlussnote|mention",
    "thesis": r"(?:(?:bachelor|master|diploma|doctoral|ph\.?d\.?)'?s?[ -]?)?thesis|thesis title"
              r"|(?:abschluss|master|bachelor)arbeit|dissertation",
    "advisor": r"advisors?|supervisors?|betreuer(?:in)?",
    "mentor": r"mentors?",
    "courses": r"(?:relevant )?(?:courses|coursework)|course|kurse",
    "keywords": r"technologies|technologien|tech stack|keywords|stack",
}  # fmt: skip
_LABELLED = re.compile(rf"(?i)({'|'.join(_LABELS.values())})\s*:\s+(.+)")
_BOLD_LABEL = re.compile(r"^(\*\*|\*)([^*:]+):?\1:?\s+(?=\S)")
#: A name of a language by itself: up to three words, the first with a capital where there are any.
_LANGUAGE = re.compile(r"(?![a-zß-öø-ÿ])[^\W\d_][^\s\d.,:()/&]*(?: [^\s\d.,:()/&]+){0,2}")
_NEXT = re.compile(r"(?i);\s+|\.\s+(?=(?:advisor|supervisor|betreuer(?:in)?|grade|thesis):)")


def take(
    item: dict[str, Any], fields: frozenset[str], paragraphs: list[str], points: list[Point]
) -> None:
    """Take "Thesis: …", "GPA: …", "Technologies: …" out of the texts, where they have a key."""
    for text in list(paragraphs):
        at = paragraphs.index(text)
        # "Thesis: …; advisor: …" are two, and so are "Thesis: …. Advisor: …".
        parts = [one for one in _NEXT.split(text) if not put(item, fields, one)]
        paragraphs[at : at + 1] = ["; ".join(parts)] if parts else []
    for point in list(points):
        if not point.points and put(item, fields, point.text):
            points.remove(point)


def put(item: dict[str, Any], fields: frozenset[str], text: str) -> bool:
    """Put what a line says under the key of its label; return whether it has one."""
    line = _BOLD_LABEL.sub(r"\2: ", text, count=1) if text[:1] == "*" else text
    found = _LABELLED.fullmatch(re.sub(r"^(C?GPA) (?=\d)", r"\1: ", line))
    if not found:
        return False
    key = next(key for key in _LABELS if re.fullmatch(_LABELS[key], found[1], re.IGNORECASE))
    value = found[2].strip()
    if re.fullmatch(r"\*[^*]+\*", value):
        value = value.strip("*")
    if re.fullmatch(r"[“\"„][^“”\"„]+[”\"“]", value):
        value = value[1:-1]
    if key not in fields or item.get(key) or value.count("*") % 2:
        return False
    if key in ("courses", "keywords") or (key == "mentor" and ", " in value):
        item[key] = split_list(value)
    elif key == "grade" and found[1].lower().endswith("gpa"):
        item[key] = f"{found[1].upper()} {value}"
    else:
        item[key] = value.rstrip(".") if key == "advisor" else value
    return True


def split_list(text: str) -> list[str]:
    """Return the parts of an enumeration: "Python, C++ (since 2010, daily), Rust"."""
    found, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(char, 0)
        if depth <= 0 and (char in ";•·|" or (char == "," and text[at + 1 : at + 2] == " ")):
            found.append(text[start:at])
            start = at + 1
    parts = [
        part.strip(" .") if at else part.strip() for at, part in enumerate([*found, text[start:]])
    ]
    return [part for part in parts if part]


def languages_in(text: str) -> list[str]:
    """Return the languages of a line that lists several: "English: C2, German: B2, French".

    Without any level, two parts may be a language and how well it is known: "English, Native".
    """
    many = split_list(text)
    bare = [one.partition(": ") for one in many if not vocabulary.level(one)[0]]
    keyed = sum(bool(colon) for _, colon, _ in bare)
    is_list = len(many) > 2 or len(bare) < len(many) or keyed > 1
    is_small = text[:1].islower()
    fits = keyed != 1 and all(
        _LANGUAGE.fullmatch(name) or (is_small and colon and name.isalpha())
        for name, colon, _ in bare
    )
    return many if is_list and fits else [text]
