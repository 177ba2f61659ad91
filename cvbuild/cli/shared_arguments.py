"""Arguments that several commands share, and the parsers of their values."""

from __future__ import annotations

import argparse

ENGINES = ("auto", "pdflatex", "lualatex", "embedded")
#: What --json does in most commands.
PRINTED = "print one JSON object on stdout, and nothing else there"

#: A parser, or a group of its arguments.
Container = argparse._ActionsContainer  # noqa: SLF001 - argparse has no public name for it


def add_people(
    command: Container,
    about: str = "a file's name in people/ without .yaml, or a path; everybody if none is given",
) -> None:
    """Add the names of people; ``about`` is what they may be."""
    command.add_argument("people", nargs="*", metavar="PERSON", help=about)


def add_json(command: Container, printed: str = PRINTED) -> None:
    """Add --json; ``printed`` is what it does."""
    command.add_argument("--json", action="store_true", help=printed)


def add_template_path(command: Container) -> None:
    """Add --template-path."""
    command.add_argument(
        "--template-path",
        action="append",
        default=[],
        metavar="DIR",
        help="another folder of templates, searched before templates/ and the built-in ones",
    )


def add_locale(command: Container) -> None:
    """Add --locale."""
    command.add_argument(
        "--locale",
        metavar="TAG",
        help="the language, as a tag such as de or pt-BR; the document's own by default",
    )


def add_sets(command: Container) -> None:
    """Add --set."""
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a key of a variant, for this build only: headline, limit.publication, "
        "options.accent, …",
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
        help="stop a document whose own work, or a run of TeX, takes longer; 60 by default",
    )


def add_out(command: Container) -> None:
    """Add --out."""
    command.add_argument(
        "-o", "--out", default="out", metavar="DIR", help="the output folder; out by default"
    )


def add_engine(command: Container) -> None:
    """Add --engine."""
    command.add_argument(
        "--engine",
        choices=ENGINES,
        default="auto",
        help="which TeX: auto (the default) takes the system's if it has all that is needed, "
        "else the embedded one",
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
