"""What CLDR knows of languages, without its library: Babel with its data takes 33 MB.

``cldr.json`` is written by ``python -m tools.cldr``. It has for each locale its English name, its
script and whether it runs from right to left; what languages call themselves; the locales whose
parent is international English ("british"); and what Babel resolves other tags with: likely
subtags, aliases, names of languages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

FILE = Path(__file__).with_name("cldr.json")


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
def data() -> Mapping[str, Any]:
    """Return the content of the file."""
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


def locale(tag: str) -> Locale | None:
    """Return the locale of a tag in the form of BCP 47 as Babel finds it; None if there is none."""
    parts = _parts(tag, "-")
    known = _resolved(*parts) if parts else None
    if known is None:
        return None
    name, script, runs_right = data()["locales"][known]
    return Locale(known, name, script, bool(runs_right), known in data()["british"])


def _parts(tag: str, mark: str) -> tuple[str, str, str, str] | None:
    """Return language, script, territory and variant of a tag, empty if absent; None if wrong."""
    first, *rest = tag.split(mark)
    script = rest.pop(0).title() if rest and len(rest[0]) == 4 and rest[0].isalpha() else ""
    territory = variant = ""
    if rest and (
        (len(rest[0]) == 2 and rest[0].isalpha()) or (len(rest[0]) == 3 and rest[0].isdigit())
    ):
        territory = rest.pop(0).upper()
    if rest and (
        (len(rest[0]) == 4 and rest[0][0].isdigit()) or (len(rest[0]) >= 5 and rest[0][0].isalpha())
    ):
        # The last of several, which leaves the others: they are too many.
        variant = rest.pop().upper()
    return None if rest else (first.lower(), script, territory, variant)


def _known(*parts: str) -> str | None:
    """Return the name of the locale with these parts if CLDR has it."""
    name = "_".join(filter(None, parts))
    return name if name in data()["locales"] else None


def _resolved(language: str, script: str, territory: str, variant: str) -> str | None:
    """Return the locale of these parts, else the one that the likely subtags lead to."""
    if known := _known(language, script, territory, variant):
        return known
    likely, aliases = data()["likely"], data()["aliases"]
    language = aliases["language"].get(language, language)
    territory = aliases["territory"].get(territory, territory).replace("ZZ", "")
    script = aliases["script"].get(script, script).replace("Zzzz", "")
    variant = aliases["variant"].get(variant, variant)
    whole = likely.get("_".join(filter(None, (language, script, territory, variant))))
    if whole and (parts := _parts(whole, "_")) and (known := _reduced(*parts)):
        return known
    if (whole := likely.get(language)) and (parts := _parts(whole, "_")):
        language, script, _, variant = parts
        return _reduced(language, script, territory, variant)
    return None


def _reduced(language: str, script: str, territory: str, variant: str) -> str | None:
    """Return the locale of these parts, else the one without script and variant."""
    return _known(language, script, territory, variant) or _known(language, territory)
