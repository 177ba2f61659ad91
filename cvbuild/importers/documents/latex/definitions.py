"""Definitions of a person's own commands, and what a use of one stands for: texts, never run."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cvbuild.importers.documents import dates
from cvbuild.importers.documents.latex import scan, symbols

_DEFINITION = re.compile(rf"\\(?:long\\)?({'|'.join(symbols.DEFINING)})(?![A-Za-z@])\*?")
_SIMPLE = ("newcommand", "renewcommand", "providecommand", "newrobustcmd", "def",
           "DeclareRobustCommand")  # fmt: skip
_OF_LAYOUT = ("titleformat", "titlespacing", "DeclareFieldFormat")
_HEAD = re.compile(r"\s*(?:\{\s*\\?([^{}]+?)\s*\}|\\([A-Za-z@]+|.))")


@dataclass(frozen=True)
class Command:
    """What a use of a command stands for; ``#1`` in the body is its first argument."""

    arguments: int
    default: str | None
    body: str


@dataclass(frozen=True)
class Definition:
    """A definition in a text: where it ends, and its command if it is a simple one."""

    name: str
    end: int
    command: Command | None = None
    bodies: tuple[str, ...] = ()

    def words(self) -> str:
        """Return what it shows by itself."""
        shown = " ".join(scan.visible(" ".join(self.bodies)).split())
        return re.sub(r"#\d|[{}&]", "", shown)


def find(text: str, start: int, end: int) -> re.Match[str] | None:
    """Return the next command that defines something."""
    return _DEFINITION.search(text, start, end)


def read(text: str, found: re.Match[str], end: int) -> Definition:
    """Return the definition that begins there; raise UnclosedError if a brace is never closed."""
    at, word = found.end(), found[1]
    name = ""
    if head := _HEAD.match(text, at, end):
        name, at = head[1] or head[2], head.end()
    if word == "let":
        rest = re.compile(r"\s*=?\s*(?:\\(?:[A-Za-z@]+|.)|\S)").match(text, at, end)
        return Definition("", rest.end() if rest else at)
    arguments, default = 0, None
    is_simple = word in _SIMPLE and name not in ("", "document")
    if word.endswith("def"):
        marks = text[at : at + len(text[at:end].partition("{")[0])]
        arguments, at = marks.count("#"), at + len(marks)
        is_simple &= bool(re.fullmatch(r"\s*(?:#\d\s*)*", marks))
    elif options := re.compile(r"\s*\[(\d)\](?:\s*\[([^\[\]]*)\])?").match(text, at, end):
        arguments, default, at = int(options[1]), options[2], options.end()
    bodies: list[str] = []
    while len(bodies) < symbols.DEFINING[word] and (group := scan.group(text, at, end)):
        bodies.append(group[0])
        at = group[1]
    if word in _OF_LAYOUT:
        # No words of the page.
        rest = re.compile(r"\s*\[[^\]]*\]").match(text, at, end)
        return Definition("", rest.end() if rest and word.startswith("title") else at)
    if word.endswith("DocumentCommand") and re.fullmatch(r"(?:\s*m)*\s*", (bodies or ["o"])[0]):
        arguments, is_simple = bodies.pop(0).count("m"), True
    command = Command(arguments, default, bodies[-1]) if is_simple and bodies else None
    return Definition(name, at, command, tuple(bodies))


def is_entry(command: Command, values: list[str]) -> bool:
    """Return whether a command shows an entry: a date, and other arguments.

    One with words or an environment of its own says by them how its arguments look.
    """
    own = re.sub(r"#\d", "", scan.visible(command.body))
    plain = [scan.visible(value).strip(" {}()") for value in values]
    dated = [dates.is_date(value) for value in plain if value]
    has_own = "\\begin" in command.body or bool(re.search(r"[^\W\d_]{2}", own))
    return not has_own and any(dated) and not all(dated)


def applied(command: Command, text: str, at: int) -> tuple[str, int, list[str]]:
    """Return the body of a command with its arguments, where they end in the text, and them."""
    values: list[str] = []
    if command.default is not None:
        option = re.compile(r"\s*\[([^\[\]]*)\]").match(text, at)
        values.append(option[1] if option else command.default)
        at = option.end() if option else at
    while len(values) < command.arguments:
        try:
            group = scan.group(text, at, len(text))
        except scan.UnclosedError:
            group = None
        if not group:
            break
        values.append(group[0])
        at = group[1]
    # A blank after a command without arguments only ends its name.
    if not command.arguments and (blank := re.compile(r"[ \t]+|\{\}").match(text, at)):
        at = blank.end()

    def value(found: re.Match[str]) -> str:
        number = int(found[2])
        text = values[number - 1] if 0 < number <= len(values) else ""
        # A letter would go on with the name of a command right before it.
        return f"{found[1]} {text}" if found[1] else text

    body = re.sub(r"(\\[A-Za-z@]+)?#(\d)", value, command.body)
    # A letter after it would go on with the name of a command at its end.
    if re.search(r"\\[A-Za-z@]+\Z", body) and text[at : at + 1].isalpha():
        body += " "
    return body, at, values
