"""The arguments of the commands for applications: `apply`, `applications`."""

from __future__ import annotations

import argparse

from cvbuild.cli.arguments.parsers import Command, Help
from cvbuild.cli.arguments.shared import (
    PRINTED,
    add_engine,
    add_json,
    add_listed,
    add_out,
    add_timeout,
)


def apply(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `apply`."""
    command.add_argument(
        "slugs", nargs="*", metavar="NAME", help="a file's name in applications/ without .yaml"
    )
    command.add_argument("--all", action="store_true", help="all applications")
    command.add_argument(
        "--sent",
        action="store_true",
        help="also keep a read-only copy of what you send in applications/sent/",
    )
    add_engine(command)
    add_timeout(command)
    add_out(command)
    add_listed(command)
    command.set_defaults(driver="auto", force=False, locale=None, private=False, set=[])


def applications(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `applications`."""
    add_json(command)
    actions = command.add_subparsers(
        dest="action", metavar="ACTION", prog=command.prog, parser_class=Command
    )
    note = actions.add_parser("note", help="add a note to an application", formatter_class=Help)
    note.add_argument("slug", metavar="NAME", help="a file's name in applications/ without .yaml")
    note.add_argument("text", metavar="TEXT", help='one line, such as "interview: on Friday"')
    note.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=PRINTED)
    verify = actions.add_parser(
        "verify",
        help="check that sent files are unmodified, and that they can be built again as they were",
        formatter_class=Help,
    )
    verify.add_argument(
        "slugs",
        nargs="*",
        metavar="NAME",
        help="a file's name in applications/ without .yaml; all if none is given",
    )
    verify.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=PRINTED)
    add_timeout(verify)
