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
    for name, file in sorted(_files().items(), key=lambda one: (one[0] != _USUAL, one[0])):
        is_usual = name == _USUAL
        signs = "|".join(map(re.escape, file.get("signs", ())))
        is_signed = signs and re.search(rf"\\(?:{signs})(?![A-Za-z])", text)
        if is_usual or is_signed or loaded & set(file.get("loads", ())):
            table.is_of_class |= not is_usual
            table.commands |= meanings(file.get("commands", {}))
            table.environments |= meanings(file.get("environments", {}))
    return table


def meanings(lines: dict[str, str]) -> dict[str, Command]:
    """Return what lines of a table say, each of one name or more: ``entry: title date``."""
    said: dict[str, Command] = {}
    for names, line in lines.items():
        makes, _, slots = line.partition(":")
        said |= dict.fromkeys(names.split(), Command(makes, tuple(slots.split())))
    return said


@cache
def _files() -> dict[str, dict[str, Any]]:
    return {path.stem: tomllib.loads(path.read_text("utf-8")) for path in _FOLDER.glob("*.toml")}


# -- commands of LaTeX itself: characters, styles, layout, as ``commands.toml`` has them ----------

TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))
_WORDS: dict[str, frozenset[str]] = {
    name: frozenset(words.split()) for name, words in TABLES["words"].items()
}


def _by_name(table: str) -> dict[str, str]:
    return {name: key for key, names in TABLES[table].items() for name in names.split()}


#: Commands with a style for their argument; with none, only the argument counts.
STYLED = _by_name("styled") | dict.fromkeys(_WORDS["plain"], "")
#: Commands that style what follows in the group.
SWITCHES = _by_name("switches")
#: Layout: how many arguments they have that are no texts.
LAYOUT = {name: count for count in range(6) for name in _WORDS[f"layout-{count}"]}
#: Neither a text nor arguments.
SILENT = _WORDS["silent"]
#: Beginnings of commands that set something, before the document begins.
SETTINGS = tuple(_WORDS["settings"])
#: Lengths and numbers, whose value may follow.
VALUES = _WORDS["values"]
#: Commands that are characters.
SYMBOLS: dict[str, str] = {
    **dict.fromkeys([*" ,:;>\n\t", *_WORDS["blanks"]], " "),
    **dict.fromkeys("-/@!()[]", ""),
    **dict.fromkeys(_WORDS["tabs"], "\t"),
    **TABLES["symbols"],
}
SPECIALS: dict[str, str] = TABLES["specials"]
#: Links, by what stands before the address.
LINKS = _by_name("links")
_KNOWN = frozenset().union(
    STYLED, SWITCHES, LAYOUT, SILENT, VALUES, SYMBOLS, LINKS, _WORDS["others"]
)
#: Commands that define something, with the number of arguments after the name.
DEFINING = {name: int(count) for name, count in _by_name("defining").items()}


def is_icon(name: str) -> bool:
    """Return whether a command draws an icon of Font Awesome or Academicons."""
    return name[:2] in ("fa", "ai") and (name[2:3].isupper() or not name[2:])


def is_known(name: str) -> bool:
    """Return whether a command is LaTeX's own, or a symbol."""
    is_plain = name in _KNOWN or len(name) == 1 or "@" in name
    return is_plain or name.startswith("if") or is_icon(name) or known(name) is not None


@cache
def known(name: str) -> str | None:
    """Return the characters of a command without arguments: \\ss, \\alpha, \\textregistered."""
    if name in SYMBOLS:
        return SYMBOLS[name]
    unread: latex_text.Unread = []
    # A sign stands before what would be its argument.
    text = latex_text.plain(f"\\{name}{{x}}", unread)
    return text[:-1] if text[1:].endswith("x") and len(text) < 10 and not unread else None
