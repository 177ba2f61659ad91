"""How a command line is read: its parsers, what arguments may be, and what commands share.

Little is imported: this module is loaded before any command runs.
"""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

# Its words are in no catalogue: to look for one, each time, takes longer than to make a parser.
argparse._ = str  # type: ignore[attr-defined]
#: A parser, or a group of its arguments.
Container = argparse._ActionsContainer  # noqa: SLF001 - argparse has no public name for it


def formatter(prog: str) -> argparse.HelpFormatter:
    """Return one as wide as the terminal; argparse's own way loads archivers and more."""
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() else 0
    with contextlib.suppress(OSError, ValueError):
        width = width or os.get_terminal_size().columns
    return argparse.RawDescriptionHelpFormatter(prog, width=(width or 80) - 2)


#: Words of other programs for commands.
MEANT = {
    "compile": "build", "edit": "serve", "list": "status", "ls": "status", "make": "build",
    "mail": "check --mail", "open": "serve", "preview": "serve", "render": "build",
    "report": "check --github", "validate": "check", "why": "status --why",
}  # fmt: skip


class Parser(argparse.ArgumentParser):
    """A parser that suggests the choice that was probably meant, the whole one also of commands."""

    meant: Mapping[str, str] = MEANT

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and end with code 2, as argparse does."""
        fact, _, choices = message.partition(" (choose from ")
        if choices:
            word = fact.rpartition("invalid choice: ")[2].strip("'")
            known = [choice.strip("'") for choice in choices.removesuffix(")").split(", ")]
            close = self.meant.get(word)
            if not close:
                from cvbuild.common.diagnostics import nearest

                close = nearest(word, known)
            message = f'{fact}; did you mean "{close}"?' if close else message
        super().error(message)


class CommandParser(Parser):
    """A command's parser, which refuses what it doesn't know with its own usage."""

    meant: Mapping[str, str] = {}

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse as argparse does, but for words that are no arguments."""
        known, rest = super().parse_known_args(args, namespace)
        name = rest[0].partition("=")[0] if rest else ""
        if name.startswith("-"):
            options = [word[2:] for word in self._option_string_actions if word.startswith("--")]
            from cvbuild.common.diagnostics import nearest

            close = nearest(name.lstrip("-"), options)
            other = (
                f'did you mean "--{close}"?' if close else f"{self.prog} --help lists the options"
            )
            self.error(f"unknown option {name}; {other}")
        elif rest:
            self.error(f'"{rest[0]}" is one word too many')
        return known, rest


#: What adds an argument, or a group of them, to a parser or to a group.
Part = Callable[[Container], object]


def argument(shown: str, about: str, **options: Any) -> Part:
    """Return an argument as the help shows it, ``-j, --jobs N``; FILE and DIR are paths."""
    *names, last = shown.replace(",", "").split()
    if names and not last.startswith("-"):
        kind = {"FILE": path, "DIR": path, "PERSON": person}.get(last)
        options = {"metavar": last, **({"type": kind} if kind else {}), **options}
    else:
        names.append(last)
    return lambda container: container.add_argument(*names, help=about, **options)


def flag(name: str, about: str) -> Part:
    """Return an option without a value: ``--force``, or ``-q, --quiet``."""
    return argument(name, about, action="store_true")


def several(shown: str, about: str, **options: Any) -> Part:
    """Return an option that may be repeated."""
    return argument(shown, about, action="append", default=[], **options)


def group(title: str | None, *parts: Part) -> Part:
    """Return arguments below a heading of the help; without one, they exclude each other."""

    def add(container: Container) -> None:
        below: Container = (
            container.add_argument_group(title)
            if title
            else container.add_mutually_exclusive_group()
        )
        for part in parts:
            part(below)

    return add


def one_of(*parts: Part) -> Part:
    """Return arguments that exclude each other."""
    return group(None, *parts)


class Command:
    """A command: its help, arguments, actions, and the function below ``cli.commands``."""

    def __init__(
        self,
        about: str,
        *parts: Part,
        usage: str | None = None,
        examples: str | None = None,
        runs: str | None = None,
        actions: Mapping[str, Command] | None = None,
    ) -> None:
        self.about, self.runs, self.parts = about, runs, parts
        self.usage, self.examples, self.actions = usage, examples, actions or {}


def add_commands(
    parser: argparse.ArgumentParser, what: str, by_name: Mapping[str, Command]
) -> None:
    """Add commands to the parser, or actions to that of a command, each with a parser."""
    # With ``prog`` given, argparse doesn't format a usage text to find it.
    parsers = parser.add_subparsers(
        dest=what, metavar=what.upper(), prog=parser.prog, parser_class=CommandParser
    )
    for name, command in by_name.items():
        own = parsers.add_parser(name, help=command.about, formatter_class=formatter)
        for part in command.parts:
            part(own)
        own.usage, own.epilog = command.usage, command.examples
        if command.actions:
            add_commands(own, "action", command.actions)


# -- what arguments may be ----------------------------------------------------------------------


class GivenPath(str):
    """A path on the command line: relative to where the user stands."""

    __slots__ = ()


def path(text: str) -> str:
    """Mark an argument as a path, so that ``cli.main`` finds it from the top; its type."""
    return GivenPath(text) if text else text


def person(text: str) -> str:
    """Mark an argument that names a person if it is a path; the type of such arguments."""
    is_path = text.endswith((".yaml", ".yml")) or "/" in text or os.sep in text
    return GivenPath(text) if is_path else text


def names(text: str) -> list[str]:
    """Return the names in a list with commas: ``pdf, txt``."""
    return [name.strip() for name in text.split(",")]


def number(
    lowest: float, highest: float, words: str, kind: Callable[[str], float] = int
) -> Callable[[str], float]:
    """Return what reads a number of a kind; ``words`` say which ones it takes."""

    def read(text: str) -> float:
        value = lowest - 1
        with contextlib.suppress(ValueError):
            value = kind(text)
        if not lowest <= value <= highest:
            raise argparse.ArgumentTypeError(words)
        return value

    return read
