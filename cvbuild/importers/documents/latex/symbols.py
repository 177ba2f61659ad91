"""Commands of LaTeX that stand for characters, styles or layout: ``commands.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

_TABLES: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("commands.toml").read_text("utf-8")
)
_WORDS: dict[str, frozenset[str]] = {
    name: frozenset(words.split()) for name, words in _TABLES["words"].items()
}
#: Commands with a style for their argument; with none, only the argument counts.
STYLED: dict[str, str] = _TABLES["styled"] | dict.fromkeys(_WORDS["plain"], "")
#: Commands that style what follows in the group.
SWITCHES: dict[str, str] = _TABLES["switches"]
#: Layout: how many arguments they have that are no texts.
LAYOUT = {name: count for count in range(1, 6) for name in _WORDS[f"layout-{count}"]}
#: What stands in the margin of each page, by the number of arguments.
MARGINS = {name: count for count in range(1, 4) for name in _WORDS[f"margins-{count}"]}
SILENT = _WORDS["silent"]
#: Lengths and numbers, whose value may follow.
VALUES = _WORDS["values"]
WITH_OPTION = _WORDS["with-option"]
BLANKS = frozenset((" ", ",", ":", ";", ">", "enspace", "enskip", "thinspace", "space", "quad",
                    "\n", "\t", "nobreakspace"))  # fmt: skip
NOTHING = frozenset("-/@!()[]")
TABS = _WORDS["tabs"]
SPECIALS = {"--": "–", "---": "—", "``": "“", "''": "”", "~": " ", "!`": "¡", "?`": "¿"}
SYMBOLS: dict[str, str] = _TABLES["symbols"]
COMBINING: dict[str, str] = _TABLES["combining"]
LINK_PARTS = {"httplink": "http://", "httpslink": "https://", "emaillink": "mailto:"}
_OTHERS = _WORDS["others"] | {"\\"}
#: Commands that define something, with the number of arguments after the name.
DEFINING = {
    name: int(count) for count, names in _TABLES["defining"].items() for name in names.split()
}


@cache
def environments() -> dict[str, str]:
    """Return what environments hold, by name, as the tables of classes say it."""
    found: dict[str, str] = {}
    for what, names in _TABLES["environments"].items():
        makes, _, count = what.partition("-")
        line = f"plain:{' skip' * int(count)}" if count else makes
        found |= dict.fromkeys(names.split(), line)
    return found


def is_setting(name: str) -> bool:
    """Return whether a command before the document only sets something, by its name."""
    return name in LAYOUT or name in MARGINS or name.startswith(tuple(_WORDS["settings"]))


def is_icon(name: str) -> bool:
    """Return whether a command draws an icon of Font Awesome or Academicons."""
    return name[:2] in ("fa", "ai") and (name[2:3].isupper() or not name[2:])


def is_known(name: str) -> bool:
    """Return whether a command is LaTeX's own, or a symbol."""
    mine = (STYLED, SWITCHES, LAYOUT, MARGINS, SILENT, VALUES, BLANKS, NOTHING, TABS, SYMBOLS)
    return (
        len(name) == 1
        or any(name in one for one in (*mine, COMBINING, LINK_PARTS, _OTHERS))
        or name.startswith("if")
        or is_icon(name)
        or "@" in name
        or bool(known(name))
    )


@cache
def known(name: str) -> str:
    """Return the character of a command that pylatexenc knows: \\ss, \\alpha, \\textregistered."""
    from pylatexenc.latex2text import get_default_latex_context_db

    spec: Any = get_default_latex_context_db().get_macro_spec(name)
    found = getattr(spec, "simplify_repl", None) if spec else None
    return found if isinstance(found, str) and "%" not in found and len(found) <= 8 else ""
