"""The words that a document needs and nobody writes: headings, labels, dates; by language.

CLDR has no "present" and no headings of a CV, so these stand in one table a language, beside this
file: ``<tag>.toml``. Every table has the same keys:

``quotes``   the four quotation marks, outer and inner: those of CLDR 47 (``delimiters``), which
             Babel doesn't have. Differing on purpose: English of Britain and Dutch have single
             marks outside and double ones inside, as their printers do, French has “ ” inside
             « », and ``pt`` is Portugal's.
``range``    two dates, ``{start}`` and ``{end}``; ``years``: two bare years; ``season``: a season
             and its ``{year}``.
``year``, ``month``, ``day``
             patterns of dates (UTS 35) where the language's CVs have them otherwise than CLDR's
             skeletons y, yMMM and yMMMd; empty where these are right.
``words``    labels, and the heading of each kind of section; ``letter-...``: what a letter says by
             itself, to a ``{name}``, about a ``{position}``, and from a ``{name}`` (signature).
             None of it depends on who is a man or a woman.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from cvbuild.model import language_tags

_FOLDER = Path(__file__).with_name("tables")
#: What has no table of its own, and what serves as well.
_SAME = MappingProxyType({"no": "nb", "nn": "nb", "iw": "he"})


@dataclass(frozen=True)
class Table:
    """The words and the typography of one language; ``language`` is the tag of the table."""

    language: str
    words: Mapping[str, str]
    quotes: tuple[str, ...]
    range: str
    years: str
    season: str
    year: str
    month: str
    day: str


@cache
def known() -> frozenset[str]:
    """Return the tags of all tables."""
    return frozenset(path.stem for path in _FOLDER.glob("*.toml"))


def language_of(tag: str) -> str | None:
    """Return the tag of the table that serves a locale; None if there is none and English has to."""
    first, *rest = language_tags.canonical(tag).split("-")
    wanted = "-".join((_SAME.get(first, first), *rest))
    if wanted in known() or wanted == "en-US":
        return wanted.removesuffix("-US")
    found = language_tags.locale(wanted)
    if found and found.language == "en" and _is_like_britain(str(found)):
        return "en-GB"
    if found and found.language == "zh":
        return "zh-Hant" if language_tags.script(wanted) == "Hant" else "zh"
    return next((one for one in language_tags.chain(wanted) if one in known()), None)


def _is_like_britain(locale: str) -> bool:
    """Return whether CLDR has a variety of English follow international English: en_AU, en_IE."""
    from babel.core import get_global

    return locale in ("en_001", "en_GB") or get_global("parent_exceptions").get(locale) == "en_001"


@cache
def table(tag: str) -> Table:
    """Return the table of a locale: of its region, else of its language, else the English one."""
    language = language_of(tag) or "en"
    data = tomllib.loads((_FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    words, quotes = MappingProxyType(data.pop("words")), tuple(data.pop("quotes"))
    return Table(language=language, words=words, quotes=quotes, **data)
