"""Language tags (BCP 47), and texts that are written in several languages.

A tag is language, script, region and variants (``de``, ``pt-BR``, ``zh-Hant-TW``) of a locale that
CLDR has data for; extensions (``-u-``, ``-x-``) aren't accepted. Case doesn't count, except that a
key of a mapping must begin with lower-case letters: ``- IT: ran the servers`` remains an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import UsageError, refused

#: Language, script, territory and variant; of several variants CLDR knows none.
_TAG = re.compile(
    "([A-Za-z]{2,3})(?:-([A-Za-z]{4}))?(?:-([A-Za-z]{2}|[0-9]{3}))?"
    "(?:-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))?"
)
#: The keys of a mapping from languages to texts, for JSON Schema.
PATTERN = "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$"
_KEY = re.compile(PATTERN)
_LONGEST = 40


@lru_cache(maxsize=256)
def locale(tag: str) -> Locale | None:
    """Return CLDR's locale of a tag as Babel finds it; None if it is no tag, or CLDR has none."""
    parts = _parts(tag)
    known = _resolved(*parts) if parts else None
    if known is None:
        return None
    name, script, runs_right = cldr_data()["locales"][known]
    return Locale(known, name, script, bool(runs_right), known in cldr_data()["british"])


@lru_cache(maxsize=256)
def script(tag: str) -> str:
    """Return the ISO 15924 code of the script that a language is written in: Latn, Hant."""
    language = locale(tag)
    return language.script if language else ""


def is_known(tag: str) -> bool:
    """Return whether the text is a tag of a language that CLDR has data for."""
    return locale(tag) is not None


def runs_right(tag: str) -> bool:
    """Return whether the language is written from right to left by CLDR: ar, pa-Arab."""
    language = locale(tag)
    return language is not None and language.runs_right


def canonical(tag: str) -> str:
    """Return the tag in the usual case: de-AT, zh-Hant."""
    first, *rest = tag.split("-")
    sizes = {2: str.upper, 4: str.title}
    return "-".join((first.lower(), *(sizes.get(len(part), str.lower)(part) for part in rest)))


def chain(tag: str) -> tuple[str, ...]:
    """Return the tag and the more general ones: zh-Hant-TW, zh-Hant, zh."""
    parts = canonical(tag).split("-")
    return tuple("-".join(parts[:size]) for size in range(len(parts), 0, -1))


def choose(tags: Iterable[str], preferred: str) -> str | None:
    """Return the tag that suits a reader of ``preferred`` best; None if none does.

    It is the same tag, else the nearest more general one (RFC 4647, lookup), else another tag of
    the same language in the same script.
    """
    known = {canonical(tag): tag for tag in tags}
    for more_general in chain(preferred):
        if more_general in known and script(more_general) == script(preferred):
            return known[more_general]
    goal = locale(preferred)
    for tag in known.values():
        other = locale(tag)
        same = other and goal and other.language == goal.language
        if same and script(tag) == script(preferred):
            return tag
    return None


def name(tag: str) -> str:
    """Return the English name of a language: German, Portuguese (Brazil)."""
    language = locale(tag)
    return (language.name if language else "") or tag


def nearest(word: str) -> str | None:
    """Return the tag that was perhaps meant: for en_US, german, jp, en-KR."""
    import difflib

    dashed = canonical(word[:_LONGEST].replace("_", "-"))
    for tag in chain(dashed):
        if locale(tag):
            return tag
    names = cldr_data()["names"]
    close = difflib.get_close_matches(word.lower()[:_LONGEST], names, n=1, cutoff=0.85)
    if close and locale(canonical(names[close[0]].replace("_", "-"))):
        return canonical(names[close[0]].replace("_", "-"))
    # A country's code is no language: jp, cz, kr.
    spoken: str | None = cldr_data()["likely"].get(f"und_{word.upper()}")
    return spoken.split("_")[0] if spoken else None


def require(tag: str | None) -> str | None:
    """Return the requested language tag; raises UsageError if there is no such language."""
    if tag and not locale(tag):
        meant = nearest(tag)
        remedy = "give one of them" if "," in tag else "write a BCP 47 tag such as en, en-GB or de"
        hint = f'did you mean "{meant}"?' if meant else remedy
        raise UsageError.because("locale", f'"{tag[:60]}" is not a known language tag', hint)
    return tag or None


def checked(tag: str) -> str:
    """Return a tag of a known language; raise PydanticCustomError."""
    if not is_known(tag):
        hint = "write a BCP 47 tag such as en, en-GB or de"
        raise refused("locale", '"{value}" is not a known language tag', hint, value=tag)
    return tag


def is_key(key: object) -> bool:
    """Return whether a key of a mapping stands for a language."""
    return isinstance(key, str) and key[:2].islower() and is_known(key)


def checked_key(key: str) -> str:
    """Return a key of a mapping from languages to texts; raise PydanticCustomError."""
    if not is_key(key):
        hint = "write tags such as en, de, pt-BR before the texts; quote a text with a comma"
        raise refused("language", '"{value}" is not a known language tag', hint, value=key)
    return key


def texts(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping that stands for a text, without its empty values.

    Raises PydanticCustomError if it is empty, if no key is a language, if two are the same, or if
    an empty one isn't a language.
    """
    filled = {key: text for key, text in value.items() if text is not None}
    for key in value:
        # {en: Quick, reliable, de: …} has three keys.
        if key not in filled and not is_key(key):
            fact = '"{value}" has no text and is no language'
            hint = 'put a text that has a comma in quotes: {en: "Quick, reliable", de: …}'
            raise refused("language_comma", fact, hint, value=str(key))
    if not filled:
        hint = "write one text, or one in each language: {en: …, de: …}"
        raise refused("languages_none", "the text is in no language", hint)
    if not any(is_key(key) for key in filled):
        raise PydanticCustomError("string_type", "a text is needed")
    seen: dict[str, str] = {}
    for key in filled:
        other = seen.setdefault(canonical(str(key)), str(key))
        if other != key:
            context = {"one": other, "other": str(key)}
            hint = "keep one of the texts"
            raise refused("language_twice", "{one} and {other} are one language", hint, **context)
    return filled


def in_short(value: object, least: int = 2) -> bool:
    """Return whether an item is only its text in languages, ``{en: …, de: …}``: one is too few."""
    if not isinstance(value, dict) or len(value) < least:
        return False
    return all(_KEY.match(str(key)) for key in value) and any(is_key(key) for key in value)


# -- what CLDR knows of languages ------------------------------------------------------------------
#
# Not by its library: Babel with its data takes 33 MB. ``cldr.json`` is written by ``python -m
# tools.cldr``. It has for each locale its English name, its script and whether it runs from right
# to left; the locales whose parent is international English
# ("british"); and what Babel resolves other tags with: likely subtags, aliases, names of languages.

CLDR = Path(__file__).with_name("cldr.json")


class Locale(Struct, frozen=True):
    """A locale of CLDR: ``id`` is its name there (zh_Hant_TW), ``script`` an ISO 15924 code.

    ``name`` is the English one, empty if CLDR has none.
    """

    id: str
    name: str
    script: str
    runs_right: bool
    british: bool

    @property
    def language(self) -> str:
        """The language alone."""
        return self.id.partition("_")[0]


@cache
def cldr_data() -> Mapping[str, Any]:
    """Return the content of the file."""
    content: dict[str, Any] = json.loads(CLDR.read_text(encoding="utf-8"))
    return content


def _parts(tag: str) -> tuple[str, str, str, str] | None:
    """Return language, script, territory and variant of a tag, empty if absent; None if wrong."""
    match = _TAG.fullmatch(tag)
    if match is None:
        return None
    language, script, territory, variant = match.groups("")
    return language.lower(), script.title(), territory.upper(), variant.upper()


def _resolved(language: str, script: str, territory: str, variant: str) -> str | None:
    """Return the locale of these parts, else the one that the likely subtags lead to."""
    data = cldr_data()
    likely, aliases = data["likely"], data["aliases"]
    every = [(language, script, territory, variant)]
    language = aliases["language"].get(language, language)
    territory = aliases["territory"].get(territory, territory).replace("ZZ", "")
    script = aliases["script"].get(script, script).replace("Zzzz", "")
    variant = aliases["variant"].get(variant, variant)
    name = _named(language, script, territory, variant)
    if whole := _parts(likely.get(name, "").replace("_", "-")):
        every += [whole, (whole[0], "", whole[2], "")]
    if usual := _parts(likely.get(language, "").replace("_", "-")):
        every += [(*usual[:2], territory, usual[3]), (usual[0], "", territory, "")]
    names = (_named(*parts) for parts in every)
    return next((name for name in names if name in data["locales"]), None)


def _named(*parts: str) -> str:
    return "_".join(filter(None, parts))
