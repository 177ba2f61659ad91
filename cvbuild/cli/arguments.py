"""How a command line is read: its parsers, what arguments may be, and what commands share.

Little is imported: this module is loaded before any command runs.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

# Its words are in no catalogue: to look for one, each time, takes longer than to make a parser.
argparse._ = str  # type: ignore[attr-defined]
#: A parser, or a group of its arguments.
Container = argparse._ActionsContainer  # noqa: SLF001 - argparse has no public name for it


class Help(argparse.RawDescriptionHelpFormatter):
    """A help formatter as wide as the terminal; argparse's own way loads archivers and more."""

    def __init__(self, prog: str) -> None:
        columns = os.environ.get("COLUMNS", "")
        width = int(columns) if columns.isdecimal() else 0
        if not width:
            try:
                width = os.get_terminal_size().columns
            except (OSError, ValueError):
                width = 0
        super().__init__(prog, width=(width or 80) - 2)


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
            close = self.meant.get(word) or _nearest(word, known)
            message = f'{fact}; did you mean "{close}"?' if close else message
        super().error(message)


def _nearest(word: str, known: Iterable[str]) -> str | None:
    from cvbuild.common.diagnostics import nearest

    return nearest(word, known)


class CommandParser(Parser):
    """A command's parser, which refuses what it doesn't know with its own usage."""

    meant: Mapping[str, str] = {}

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse as argparse does, but for words that are no arguments."""
        known, rest = super().parse_known_args(args, namespace)
        if rest:
            self._refuse(rest[0])
        return known, rest

    def _refuse(self, word: str) -> NoReturn:
        name = word.partition("=")[0]
        if not name.startswith("-"):
            self.error(f'"{word}" is one word too many')
        options = [name[2:] for name in self._option_string_actions if name.startswith("--")]
        close = _nearest(name.lstrip("-"), options)
        other = f'did you mean "--{close}"?' if close else f"{self.prog} --help lists the options"
        self.error(f"unknown option {name}; {other}")


#: What adds an argument, or a group of them, to a parser or to a group.
Part = Callable[[Container], object]


def argument(shown: str, about: str, **options: Any) -> Part:
    """Return an argument as the help shows it, ``-j, --jobs N`` or ``people PERSON``.

    ``about`` says what it is for; ``options`` are further ones of ``add_argument`` of argparse.
    What is called FILE or DIR is a path, and PERSON may be one.
    """
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


def one_of(*parts: Part) -> Part:
    """Return arguments that exclude each other."""

    def add(container: Container) -> None:
        group = container.add_mutually_exclusive_group()
        for part in parts:
            part(group)

    return add


def group(title: str, *parts: Part) -> Part:
    """Return arguments below a heading of the help."""

    def add(container: Container) -> None:
        below = container.add_argument_group(title)
        for part in parts:
            part(below)

    return add


class Command:
    """A command: its line in the help, its arguments, and what its own help has besides.

    ``actions`` are commands below it.
    ``runs`` is the function below ``cli.commands`` that runs it, by default ``run`` of the module
    with its name.
    """

    def __init__(
        self,
        about: str,
        *parts: Part,
        usage: str | None = None,
        examples: str | None = None,
        runs: str | None = None,
        actions: Mapping[str, Command] | None = None,
    ) -> None:
        self.about, self.runs = about, runs
        self._parts, self._usage, self._examples = parts, usage, examples
        self._actions = actions or {}

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add the arguments, and the actions with theirs."""
        for part in self._parts:
            part(parser)
        parser.usage, parser.epilog = self._usage, self._examples
        if self._actions:
            add_commands(parser, "action", self._actions)


def add_commands(
    parser: argparse.ArgumentParser, what: str, by_name: Mapping[str, Command]
) -> None:
    """Add commands to the parser, or actions to that of a command, each with a parser."""
    # With ``prog`` given, argparse doesn't format a usage text to find it.
    parsers = parser.add_subparsers(
        dest=what, metavar=what.upper(), prog=parser.prog, parser_class=CommandParser
    )
    for name, command in by_name.items():
        command.add(parsers.add_parser(name, help=command.about, formatter_class=Help))


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


def seconds(text: str) -> float:
    """Return a time in seconds, at most a day."""
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number <= 86400:
        raise argparse.ArgumentTypeError("seconds, more than 0 and at most 86400")
    return number


def number(lowest: int, highest: int, words: str) -> Callable[[str], int]:
    """Return what reads a whole number; ``words`` say which ones it takes."""

    def read(text: str) -> int:
        value = int(text) if text.isdecimal() and len(text) < 6 else -1
        if not lowest <= value <= highest:
            raise argparse.ArgumentTypeError(words)
        return value

    return read


# -- arguments that several commands have -------------------------------------------------------

A_PERSON = "a file's name in people/ without .yaml, or a path"
AN_APPLICATION = "a file's name in applications/ without .yaml"
_PRINTED = "for scripts: print one JSON object on stdout, and nothing else there"


def people(about: str = f"{A_PERSON}; all if none is given") -> Part:
    """Return the names of people; ``about`` says what they may be."""
    return argument("people PERSON", about, nargs="*")


JSON = flag("--json", _PRINTED)
REPORTS = (
    flag("--github", "also annotate the lines of a pull request, in GitHub Actions"),
    flag("--mail", "also write a draft to each person about that person's files: out/mail/errors/"),
)
TEMPLATE_PATH = several(
    "--template-path DIR",
    "look for templates in this folder first, then in templates/, then among the built-in ones",
)
LISTED = (JSON, TEMPLATE_PATH)
LOCALE = argument("--locale TAG", "in another language than the document's: de, pt-BR")
LOCALES = argument("--locale TAGS", "in another language than the document's, or in several: en,de")
SET = several(
    "--set KEY=VALUE",
    'change something for this time only: headline="Data engineer", '
    "limit.publication=5, options.accent=burgundy, or another key of a variant",
)
JOBS = argument(
    "-j, --jobs N",
    "how many documents to build at once; as many as there are cores by default",
    type=number(1, 1024, "a number from 1 to 1024"),
)
TIMEOUT = argument(
    "--timeout SECONDS",
    "give up a document that takes longer, by itself or in one run of TeX; 60 by default",
    type=seconds,
    default=60.0,
)
# An empty one stands for out/ at the workspace's top.
OUT = argument("-o, --out DIR", "the output folder, by default out", default="")
QUIET = flag("-q, --quiet", "print errors and warnings only")
ENGINE = argument(
    "--engine",
    "which TeX makes the PDFs: auto (the default) takes the embedded one, else the system's",
    choices=("auto", "pdflatex", "embedded"),
    default="auto",
)
HOW_TO_BUILD = (ENGINE, JOBS, TIMEOUT, OUT, QUIET, *LISTED)
NO_OPEN = argument(
    "--no-open", "don't show the page in the browser", dest="open", action="store_false"
)
ONE_DOCUMENT = one_of(
    argument("--variant VARIANT", "a document that the person's file defines"),
    argument("-t, --template TEMPLATE", "instead of the one that the person picked"),
)
#: What ``build``, ``watch`` and ``status`` share.
WHICH = group(
    "which documents",
    people(),
    one_of(
        several(
            "-t, --template TEMPLATE",
            "a template to use instead of those that the person picked; several: -t plain,grid",
            type=names,
        ),
        flag("--all-templates", "use every template"),
        several(
            "--variant VARIANT",
            "a document under `variants` of the person's file; several: --variant short,long",
            type=names,
        ),
    ),
    several("-f, --format FORMAT", "pdf, html, docx, …; several: --format pdf,txt", type=names),
)
PRIVATE = flag("--private", "also show what is private, in files of their own: NAME.private.pdf")
SHOWN = ("what they show", LOCALES, PRIVATE, SET)
HOW = (
    "how they are made (the defaults do for most)",
    ENGINE,
    argument(
        "--driver",
        "what runs TeX: the program latexmk, or cvbuild itself (direct); auto (the default) "
        "is direct, and quicker after an edit",
        choices=("auto", "latexmk", "direct"),
        default="auto",
    ),
    TEMPLATE_PATH,
)
