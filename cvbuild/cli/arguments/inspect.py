"""The arguments of the commands that look at something: `show`, `check`, `match`, `extract`."""

from __future__ import annotations

import argparse

from cvbuild.cli.arguments.shared import (
    add_listed,
    add_locale,
    add_one_document,
    add_people,
    add_reports,
    add_sets,
    path,
    person,
)


def show(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `show`."""
    command.add_argument(
        "person",
        type=person,
        metavar="PERSON",
        help="a file's name in people/ without .yaml, a name, or a path",
    )
    add_one_document(command)
    command.add_argument(
        "--one-page",
        action="store_true",
        help="explain in numbers what one page shows and leaves out; of the template one-page "
        "if none is named",
    )
    command.add_argument("--private", action="store_true", help="also show what is private")
    add_sets(command)
    add_locale(command)
    add_listed(command)


def check(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `check`."""
    add_people(
        command,
        "a file's name in people/ without .yaml, or a path, also of an application; everybody if "
        "none is given",
    )
    command.add_argument(
        "--settings",
        action="store_true",
        help="list each setting of a person: its value, and the file and line that it is from",
    )
    command.add_argument(
        "--pdf",
        type=path,
        metavar="FILE",
        help="compare a PDF with its person's file instead; nothing is validated",
    )
    add_reports(command)
    add_listed(command)


def match(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `match`."""
    command.add_argument(
        "slug", nargs="?", metavar="NAME", help="a file's name in applications/ without .yaml"
    )
    command.add_argument(
        "--person",
        type=person,
        metavar="PERSON",
        help="without an application: a file's name in people/, a name, or a path",
    )
    add_one_document(command)
    command.add_argument(
        "--job",
        required=True,
        type=path,
        metavar="FILE",
        help="the job's advertisement: text, Markdown, HTML",
    )
    command.add_argument(
        "--locale", metavar="TAG", help="the advertisement's language; the document's by default"
    )
    add_listed(command)


def extract(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `extract`."""
    command.add_argument("pdf", metavar="FILE.pdf", help="a PDF built with the option embed: true")
    command.add_argument("-o", "--out", metavar="FILE", help="write to FILE instead of stdout")
    command.add_argument("--force", action="store_true", help="overwrite FILE if it exists")


def templates(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `cvbuild templates`."""
    command.add_argument(
        "templates", nargs="*", metavar="TEMPLATE", help="a template's name; all if none is given"
    )
    add_listed(command)
