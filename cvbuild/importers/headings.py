"""What a heading of a CV announces: the kind of a section by its title, in several languages.

``headings.toml`` has the titles.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from cvbuild.model.text import texts

#: Not kinds of sections, but keys of the person.
SUMMARY, INTERESTS = "summary", "interests"
_TABLES: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("headings.toml").read_text("utf-8")
)
_TITLES: dict[str, dict[str, str]] = _TABLES["titles"]
_WORDS = {word: kind for kind, words in _TABLES["words"].items() for word in words.split()}
#: Characters of a heading.
_LONGEST = 120


def folded(title: str) -> str:
    """Return a title in small letters, without accents, numbers before it and a colon after it."""
    text = texts.unaccented(title.replace("’", "'"))
    text = re.sub(r"\s*(?:&|\+|/|\bund\b|\by\b|\bet\b|\band\b)\s*", " and ", text)
    text = re.sub(r"^[\W_]*(?:\d+[.)]\s*)?|[\W_]+$", "", text)
    return " ".join(text.split())


_CONTACT = frozenset(map(folded, _TABLES["contact"]["titles"].split("|")))


def kind_of(title: str) -> tuple[str, str] | None:
    """Return the kind that a title announces, and its language, English first; else None."""
    text = folded(title[: _LONGEST + 1])
    if len(title) > _LONGEST or text in _titles():
        return _titles().get(text)
    words = text.split()
    kinds = {_WORDS[bare] for word in words if (bare := word.strip(",;:")) in _WORDS}
    # Grants among awards are awards.
    kinds -= {"grant"} if kinds == {"award", "grant"} else set()
    return (kinds.pop(), "") if len(kinds) == 1 and len(words) <= 5 else None


def exact_kind_of(title: str) -> str | None:
    """Return the kind that a title announces as a whole, "contact" too; None if it is unknown."""
    found = _titles().get(folded(title[: _LONGEST + 1]), ("",))[0]
    return "contact" if is_contact(title) else found or None


def is_contact(title: str) -> bool:
    """Return whether how to reach the person is below a title."""
    return folded(title) in _CONTACT


def is_title(text: str) -> bool:
    """Return whether a text is a known title."""
    return is_contact(text) or kind_of(text) is not None


@cache
def _titles() -> dict[str, tuple[str, str]]:
    """Return the kind and the language of each folded title, last those of kinds without one."""
    from cvbuild.model.locales import known

    languages = dict.fromkeys(language for forms in _TITLES.values() for language in forms)
    listed = [
        (title, kind, language)
        for language in languages
        for kind, forms in _TITLES.items()
        for title in forms.get(language, "").split("|")
    ]
    listed += [(own_title(kind, one), kind, one) for one in sorted(known()) for kind in _TITLES]
    return {folded(title): (kind, language) for title, kind, language in reversed(listed) if title}


def has_no_other_words(title: str) -> bool:
    """Return whether each word of a title is one of known titles: then a key says all of it."""
    return _known_words().issuperset(re.findall(r"\w+", folded(title)))


@cache
def _known_words() -> frozenset[str]:
    return frozenset(word for title in (*_titles(), *_WORDS) for word in re.findall(r"\w+", title))


def own_title(kind: str, language: str) -> str:
    """Return the heading that a kind has without a title, in a language."""
    from cvbuild.model.locales import table

    return table(language or "en").words.get(kind, "")
