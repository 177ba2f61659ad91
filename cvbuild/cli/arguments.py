"""The arguments of each command, and what it does in a line.

Only argparse is imported: this is read before anything is run.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any

ENGINES = ("auto", "pdflatex", "lualatex", "embedded")
DRIVERS = ("auto", "latexmk", "direct")
#: What --json does in most commands.
_PRINTED = "print one JSON object on stdout"


class Help(argparse.HelpFormatter):
    """As wide as the terminal; argparse's own way to that loads archivers and more."""

    def __init__(self, prog: str) -> None:
        columns = os.environ.get("COLUMNS", "")
        width = int(columns) if columns.isdecimal() else 0
        if not width:
            try:
                width = os.get_terminal_size().columns
            except (OSError, ValueError):
                width = 0
        super().__init__(prog, width=(width or 80) - 2)


class Command(argparse.ArgumentParser):
    """A command's arguments, which are made when they are asked for."""

    fill: Callable[[argparse.ArgumentParser], None] | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As in argparse."""
        fill, self.fill = self.fill, None
        if fill is not None:
            fill(self)
        return super().parse_known_args(args, namespace)


def _people(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "people",
        nargs="*",
        metavar="PERSON",
        help="a file's stem in people/, or a path; all if none",
    )


def _common(command: argparse.ArgumentParser, printed: str = _PRINTED) -> None:
    command.add_argument("--json", action="store_true", help=printed)
    command.add_argument(
        "--template-path",
        action="append",
        default=[],
        metavar="DIR",
        help="a further folder of templates, searched first",
    )


def _build(command: argparse.ArgumentParser) -> None:
    _documents(command)
    _sets(command)
    where = command.add_mutually_exclusive_group()
    _jobs(where)
    where.add_argument(
        "--cluster", metavar="ADDRESS", help="build on the Dask cluster of the scheduler there"
    )
    command.add_argument(
        "--force", action="store_true", help="build what is up to date as well, from nothing"
    )
    _timeout(command)


def _watch(command: argparse.ArgumentParser) -> None:
    _documents(command, "print a JSON object on each line of stdout, as things happen")
    _jobs(command)
    _timeout(command)
    command.set_defaults(force=False)


def _locale(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--locale", metavar="TAG", help="the language, such as de; default: the document's own"
    )


def _sets(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a key of a variant for this one time: headline, limit.publication, options.accent, …",
    )


def _jobs(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "-j", "--jobs", type=_count, metavar="N", help="documents at once; default: the cores"
    )


def _timeout(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--timeout",
        type=_seconds,
        default=60.0,
        metavar="SECONDS",
        help="for a TeX run; default: 60",
    )


def _documents(command: argparse.ArgumentParser, printed: str = _PRINTED) -> None:
    """Which documents, and what they are made with; ``printed`` is what --json does."""
    _people(command)
    _common(command, printed)
    chosen = command.add_mutually_exclusive_group()
    chosen.add_argument(
        "-t",
        "--template",
        action="append",
        nargs="+",
        default=[],
        metavar="TEMPLATE",
        help="instead of what the person picked",
    )
    command.add_argument(
        "--format",
        action="append",
        type=lambda text: text.split(","),
        default=[],
        metavar="FORMAT",
        help="pdf, txt, json, or that of an installed package; several: --format pdf,txt",
    )
    chosen.add_argument("--all-templates", action="store_true", help="every template there is")
    chosen.add_argument(
        "--variant",
        action="append",
        nargs="+",
        default=[],
        metavar="VARIANT",
        help="documents that the person's file has under `variants`",
    )
    command.add_argument(
        "--private",
        action="store_true",
        help="show what is private too, in files of their own: NAME.private.pdf",
    )
    command.set_defaults(set=[])
    _output(command)
    command.add_argument(
        "--driver",
        choices=DRIVERS,
        default="auto",
        help="latexmk and direct begin from nothing, auto with what the last build left",
    )
    _locale(command)
    command.add_argument(
        "--no-tags",
        action="store_false",
        dest="tags",
        help="leave out the tags for screen readers, for a quick draft",
    )


def _output(command: argparse.ArgumentParser) -> None:
    command.add_argument("-o", "--out", default="out", metavar="DIR", help="default: out")
    command.add_argument("--engine", choices=ENGINES, default="auto")


def _why(command: argparse.ArgumentParser) -> None:
    _documents(command)
    _sets(command)
    command.set_defaults(force=False, timeout=60.0)


def _document(command: argparse.ArgumentParser) -> None:
    """Which document, where it is one."""
    chosen = command.add_mutually_exclusive_group()
    chosen.add_argument("--variant", metavar="VARIANT", help="a document of the person's own")
    chosen.add_argument(
        "-t", "--template", metavar="TEMPLATE", help="instead of what the person picked"
    )


def _show(command: argparse.ArgumentParser) -> None:
    command.add_argument("person", metavar="PERSON", help="a file's stem in people/, or a path")
    _common(command)
    _document(command)
    command.add_argument("--private", action="store_true", help="with what is private")
    _sets(command)
    _locale(command)


def _check(command: argparse.ArgumentParser) -> None:
    _people(command)
    _common(command)
    command.add_argument(
        "--pdf", metavar="FILE", help="check a PDF against its person's file, and validate nothing"
    )


def _match(command: argparse.ArgumentParser) -> None:
    command.add_argument("slug", nargs="?", metavar="SLUG", help="a file's stem in applications/")
    _common(command)
    command.add_argument(
        "--person", metavar="PERSON", help="without an application: a stem in people/, or a path"
    )
    _document(command)
    command.add_argument(
        "--job", required=True, metavar="FILE", help="the advertisement: text, Markdown or HTML"
    )
    command.add_argument(
        "--locale", metavar="TAG", help="the advertisement's language; default: the document's"
    )


def _extract(command: argparse.ArgumentParser) -> None:
    command.add_argument("pdf", metavar="FILE.pdf", help="built with the option embed: true")
    command.add_argument("-o", "--out", metavar="FILE", help="instead of printing")
    command.add_argument("--force", action="store_true", help="write over FILE if it is there")


def _new(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help='the person\'s name: "Ada Example"')


def _import(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", help="a CV in another format")
    command.add_argument(
        "--as", dest="person", metavar="NAME", help="the person; default: as the file says"
    )
    command.add_argument(
        "--from", dest="source", metavar="FORMAT", help="its format; default: by its content"
    )
    command.add_argument(
        "--template-path",
        action="append",
        default=[],
        metavar="DIR",
        help="a further folder of templates, for the check of what was written",
    )


def _init(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", metavar="DIR")


def _schema(command: argparse.ArgumentParser) -> None:
    command.add_argument("--markdown", action="store_true", help="as a page of documentation")


def _apply(command: argparse.ArgumentParser) -> None:
    command.add_argument("slugs", nargs="*", metavar="NAME", help="a file's stem in applications/")
    command.add_argument("--all", action="store_true", help="all of them")
    command.add_argument(
        "--sent",
        action="store_true",
        help="keep it, read-only, as it was sent: in applications/sent/",
    )
    _common(command)
    _output(command)
    _timeout(command)
    command.set_defaults(driver="auto", force=False, locale=None, private=False, set=[], tags=True)


def _applications(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help=_PRINTED)
    actions = command.add_subparsers(
        dest="action", metavar="ACTION", prog=command.prog, parser_class=Command
    )
    note = actions.add_parser("note", help="add a note to an application", formatter_class=Help)
    note.add_argument("slug", metavar="NAME", help="a file's stem in applications/")
    note.add_argument("text", metavar="TEXT", help='one line, such as "interview: on Friday"')
    note.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=_PRINTED)
    verify = actions.add_parser(
        "verify",
        help="look whether what was sent was touched, and still comes out the same",
        formatter_class=Help,
    )
    verify.add_argument(
        "slugs", nargs="*", metavar="NAME", help="a file's stem in applications/; all if none"
    )
    verify.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help=_PRINTED)
    _timeout(verify)


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


#: Each with what it does, and what adds its arguments.
COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "build": ("typeset people's CVs", _build),
    "watch": ("typeset people's CVs whenever they are saved", _watch),
    "why": ("say which documents would be built, and why", _why),
    "show": ("say what a document shows of a person's file, what not, and why", _show),
    "apply": ("put together what goes out with an application", _apply),
    "applications": (
        "list all applications, note what happens, verify what was sent",
        _applications,
    ),
    "check": ("validate people's files, or a PDF; build nothing", _check),
    "match": ("compare a job's advertisement with a document", _match),
    "extract": ("give back the facts that a PDF carries", _extract),
    "import": ("write a person's file from a CV in another format", _import),
    "new": ("write a commented starter file for a person", _new),
    "init": ("make a workspace: people/, a Makefile, .gitignore", _init),
    "templates": ("list the templates and their options", _common),
    "doctor": ("what TeX, fonts and tools are there, what is not", _common),
    "schema": ("print the JSON Schema of a person's file", _schema),
}
