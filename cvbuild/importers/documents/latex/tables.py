"""What the commands of classes mean: tables, a file for each class, read once.

A file of ``classes`` says which class or package ``loads`` it, or which commands are ``signs`` of
it in a source without the class. Its commands and environments have a line each, what they make
and what their arguments are: ``cvevent = "entry: title organization date location"``.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cvbuild.inputs.references import latex_text

_FOLDER = Path(__file__).parent / "classes"
_USUAL = "usual"
_LOADED = re.compile(
    r"\\(?:documentclass|documentstyle|usepackage)\s*(?:\[([^\]]{0,999})\])?\s*\{([^{}]{0,200})\}"
)


@dataclass(frozen=True)
class Command:
    """What a command makes, and what each of its arguments is: title, date, label, text."""

    makes: str
    slots: tuple[str, ...] = ()
    is_usual: bool = False


@dataclass
class Table:
    """The commands and environments of a source by their names."""

    commands: dict[str, Command]
    environments: dict[str, Command]
    #: Whether it is that of a class, not only what is usual.
    is_of_class: bool = False


def of_source(text: str) -> Table:
    """Return the table of a source: its class's first, then what is usual."""
    loaded: set[str] = set()
    for options, names in _LOADED.findall(text):
        loaded |= {one.strip().rpartition("/")[2] for one in f"{options},{names}".split(",")}
    table = Table({}, {})
    for name, file in sorted(_files().items(), key=lambda one: one[0] != _USUAL):
        is_usual = name == _USUAL
        if is_usual or loaded & set(file.get("loads", ())) or _is_signed(file, text):
            table.is_of_class |= not is_usual
            table.commands |= meanings(file.get("commands", {}), is_usual=is_usual)
            table.environments |= meanings(file.get("environments", {}))
    return table


def _is_signed(file: dict[str, Any], text: str) -> bool:
    return any(re.search(rf"\\{re.escape(one)}(?![A-Za-z])", text) for one in file.get("signs", ()))


def meanings(lines: dict[str, str], *, is_usual: bool = False) -> dict[str, Command]:
    """Return what lines of a table say, each of one name or more: ``entry: title date``."""
    said: dict[str, Command] = {}
    for names, line in lines.items():
        makes, _, slots = line.partition(":")
        said |= dict.fromkeys(names.split(), Command(makes, tuple(slots.split()), is_usual))
    return said


@cache
def _files() -> dict[str, dict[str, Any]]:
    return {path.stem: tomllib.loads(path.read_text("utf-8")) for path in _FOLDER.glob("*.toml")}


# -- commands of LaTeX itself: characters, styles, layout, as ``commands.toml`` has them ----------

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
SILENT = _WORDS["silent"]
#: Lengths and numbers, whose value may follow.
VALUES = _WORDS["values"]
WITH_OPTION = _WORDS["with-option"]
BLANKS = frozenset((" ", ",", ":", ";", ">", "enspace", "enskip", "thinspace", "space", "quad",
                    "\n", "\t", "nobreakspace"))  # fmt: skip
NOTHING = frozenset("-/@!()[]")
TABS = _WORDS["tabs"]
SPECIALS = {"&": "\t", "--": "–", "---": "—", "``": "“", "''": "”", "~": " ", "!`": "¡",
            "?`": "¿"}  # fmt: skip
SYMBOLS: dict[str, str] = _TABLES["symbols"]
#: Links, by what stands before the address.
LINKS = {"href": "", "url": "", "nolinkurl": "", "email": "mailto:", "httplink": "http://",
         "httpslink": "https://", "emaillink": "mailto:"}  # fmt: skip
_OTHERS = _WORDS["others"] | {"\\"}
#: Commands that define something, with the number of arguments after the name.
DEFINING = {
    name: int(count) for count, names in _TABLES["defining"].items() for name in names.split()
}


def is_setting(name: str) -> bool:
    """Return whether a command before the document only sets something, by its name."""
    return name in LAYOUT or name.startswith(tuple(_WORDS["settings"]))


def is_icon(name: str) -> bool:
    """Return whether a command draws an icon of Font Awesome or Academicons."""
    return name[:2] in ("fa", "ai") and (name[2:3].isupper() or not name[2:])


def is_known(name: str) -> bool:
    """Return whether a command is LaTeX's own, or a symbol."""
    mine = (STYLED, SWITCHES, LAYOUT, SILENT, VALUES, BLANKS, NOTHING, TABS, SYMBOLS)
    return (
        len(name) == 1
        or any(name in one for one in (*mine, LINKS, _OTHERS))
        or name.startswith("if")
        or is_icon(name)
        or "@" in name
        or bool(known(name))
    )


@cache
def known(name: str) -> str:
    """Return the characters of a command without arguments: \\ss, \\alpha, \\textregistered."""
    unread: latex_text.Unread = []
    # A sign stands before what would be its argument.
    text = latex_text.plain(f"\\{name}{{x}}", unread)
    is_sign = text.endswith("x") and len(text) < 10 and not unread
    return SYMBOLS.get(name) or (text[:-1] if is_sign else "")
