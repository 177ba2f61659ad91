"""Arguments that several commands share, and the parsers of their values."""

from __future__ import annotations

import argparse
import os
import re

ENGINES = ("auto", "pdflatex", "lualatex", "embedded")
#: What --json does in most commands.
PRINTED = "for scripts: print one JSON object on stdout, and nothing else there"

#: A parser, or a group of its arguments.
Container = argparse._ActionsContainer  # noqa: SLF001 - argparse has no public name for it


class GivenPath(str):
    """A path on the command line: relative to where the user stands."""

    __slots__ = ()


def path(text: str) -> str:
    """Mark an argument as a path, so that ``cli.workspace`` finds it from the top; its type."""
    return GivenPath(text) if text else text


def output_folder(text: str) -> str:
    """Mark an argument as the path of an output folder; refuse what the shell should have read."""
    if _UNREAD.match(text):
        message = (
            f'"{text[:60]}" would be a folder of just that name, which other commands read as '
            "something else; write the path itself: after = and in quotes, ~ and $ stay as they are"
        )
        raise argparse.ArgumentTypeError(message)
    return path(text)


#: An option, a home, a variable, the output of a command; a folder's name may have a $ inside.
_UNREAD = re.compile(r"-|~(?:[\w.-]*(?:/|\Z))|(?:.*[/\\])?(?:\$[A-Za-z_{(]|`)")


def person(text: str) -> str:
    """Mark an argument that names a person if it is a path; the type of such arguments."""
    is_path = text.endswith((".yaml", ".yml")) or "/" in text or os.sep in text
    return GivenPath(text) if is_path else text


def add_people(
    command: Container,
    about: str = "a file's name in people/ without .yaml, a name, or a path; all if none is given",
) -> None:
    """Add the names of people; ``about`` is what they may be."""
    command.add_argument("people", nargs="*", type=person, metavar="PERSON", help=about)


def add_one_person(command: Container, without: str) -> None:
    """Add the name of one person; ``without`` says what holds if none is given."""
    about = f"a file's name in people/ without .yaml, a name, or a path; {without}"
    command.add_argument("person", nargs="?", type=person, metavar="PERSON", help=about)


def add_json(command: Container, printed: str = PRINTED) -> None:
    """Add --json; ``printed`` is what it does."""
    command.add_argument("--json", action="store_true", help=printed)


def _report(text: str) -> str:
    # The one name that stands for no file.
    return text if text == "github" else path(text)


def add_reports(command: Container) -> None:
    """Add --report."""
    command.add_argument(
        "--report",
        action="append",
        type=_report,
        default=[],
        metavar="FILE",
        help="also write a report: report.html is a page, report.xml is for build servers (JUnit); "
        "github annotates the lines of a pull request; may be repeated",
    )


def add_template_path(command: Container) -> None:
    """Add --template-path."""
    command.add_argument(
        "--template-path",
        action="append",
        type=path,
        default=[],
        metavar="DIR",
        help="look for templates in this folder first, then in templates/, then among the "
        "built-in ones",
    )


def add_listed(command: Container) -> None:
    """Add the arguments of commands that list something."""
    add_json(command)
    add_template_path(command)


def add_locale(command: Container) -> None:
    """Add --locale."""
    command.add_argument(
        "--locale",
        metavar="TAG",
        help="build in this language: de, pt-BR, …; by default in the one that the document has",
    )


def add_sets(command: Container) -> None:
    """Add --set."""
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help='change something for this time only: headline="Data engineer", '
        "limit.publication=5, options.accent=burgundy, or another key of a variant",
    )


def add_jobs(command: Container) -> None:
    """Add --jobs."""
    command.add_argument(
        "-j",
        "--jobs",
        type=_count,
        metavar="N",
        help="how many documents to build at once; as many as there are cores by default",
    )


def add_timeout(command: Container) -> None:
    """Add --timeout."""
    command.add_argument(
        "--timeout",
        type=_seconds,
        default=60.0,
        metavar="SECONDS",
        help="give up a document that takes longer, by itself or in one run of TeX; 60 by default",
    )


def add_out(command: Container) -> None:
    """Add --out; the workspace's own stands for an empty one."""
    command.add_argument(
        "-o",
        "--out",
        default="",
        type=output_folder,
        metavar="DIR",
        help="the output folder; by default what cvbuild.yaml names, or out",
    )


def add_engine(command: Container) -> None:
    """Add --engine."""
    command.add_argument(
        "--engine",
        choices=ENGINES,
        default="auto",
        help="which TeX makes the PDFs: auto (the default) takes the embedded one, else the "
        "system's, and the system's LuaTeX for letters that pdfTeX can't set",
    )


def add_one_document(command: Container) -> None:
    """Add --variant and --template, for commands about one document."""
    chosen = command.add_mutually_exclusive_group()
    chosen.add_argument(
        "--variant", metavar="VARIANT", help="a document that the person's file defines"
    )
    chosen.add_argument(
        "-t", "--template", metavar="TEMPLATE", help="instead of the one that the person picked"
    )


def names(text: str) -> list[str]:
    """Return the names in a list with commas: ``pdf, txt``."""
    return [name.strip() for name in text.split(",")]


def _count(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if not 1 <= number <= 1024:
        raise argparse.ArgumentTypeError("a number from 1 to 1024")
    return number


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number <= 86400:
        raise argparse.ArgumentTypeError("seconds, more than 0 and at most 86400")
    return number
