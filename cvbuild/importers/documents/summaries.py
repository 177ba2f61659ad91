"""Sections that are keys of the person: the summary, and interests."""

from __future__ import annotations

from typing import Any

from cvbuild.importers.documents.labels import split_list
from cvbuild.importers.documents.outline import (
    Entry,
    Keyed,
    Part,
    Point,
    Prose,
    Section,
    plain_texts,
)
from cvbuild.importers.draft import Draft


def is_prose(parts: list[Part]) -> bool:
    """Return whether interests are told in sentences, not listed."""
    told = [one.text for one in parts if isinstance(one, Prose | Point)]
    return len(told) == len(parts) == 1 and len(told[0].split()) > 20 and told[0].endswith(".")


def summary(draft: Draft, section: Section) -> None:
    """Put a summary: paragraphs, and points as such."""
    for part in section.parts:
        match part:
            case Prose(text) | Point(text):
                draft.put("summary", [text])
            case Keyed(label, text):
                said = ", ".join(one for one in (text, part.comment) if one)
                draft.put("summary", [f"{label}: {said}"])
            case Entry():
                words = [*part.texts, part.location, part.date, *part.paragraphs]
                draft.put("summary", [", ".join(one for one in words if one)])
        draft.put("summary", plain_texts(getattr(part, "points", ())))


def interests(section: Section) -> list[Any]:
    """Return interests: those of a list, or the parts of an enumeration."""
    found: list[Any] = []
    for part in section.parts:
        match part:
            case Keyed(label, text) if label:
                found.append({"name": label, "keywords": split_list(text)})
            case Prose(text) | Keyed(_, text) | Point(text):
                # Sentences are not enumerations.
                is_long = len(text) > 60 and text.count(".") > text.count(",")
                one = is_long or (text.endswith(".") and len(text.split()) > 5)
                found += [text] if one else split_list(text)
            case Entry():
                words = (*part.texts, part.location, part.date)
                found.append(", ".join(one for one in words if one))
                found += part.paragraphs
        found += plain_texts(getattr(part, "points", ()))
    return found
