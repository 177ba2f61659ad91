"""The command line: arguments, exit codes. Each command has a module in ``commands``.

Only argparse is imported at the start; a command imports what it needs when it runs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import cvbuild

#: Exit codes: 0 done, 1 something failed, 2 bad usage, 3 no usable TeX, 130 interrupted.
INTERRUPTED = 130
ENGINES = ("auto", "pdflatex", "lualatex", "embedded")
DRIVERS = ("auto", "latexmk", "direct")


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    root = argparse.ArgumentParser(
        prog="cvbuild", description="Typeset CVs from one YAML file a person."
    )
    root.add_argument("--version", action="version", version=f"cvbuild {cvbuild.__version__}")
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _build(commands.add_parser("build", help="typeset people's CVs"))
    check = commands.add_parser("check", help="validate people's files, or a PDF; build nothing")
    _people(check)
    _common(check)
    check.add_argument(
        "--pdf", metavar="FILE", help="check a PDF against its person's file, and validate nothing"
    )
    _extract(commands.add_parser("extract", help="give back the facts that a PDF carries"))
    new = commands.add_parser("new", help="write a commented starter file for a person")
    new.add_argument("name", metavar="NAME", help='the person\'s name: "Ada Example"')
    init = commands.add_parser("init", help="make a workspace: people/, a Makefile, .gitignore")
    init.add_argument("folder", metavar="DIR")
    _common(commands.add_parser("templates", help="list the templates and their options"))
    doctor = commands.add_parser("doctor", help="what TeX, fonts and tools are there, what is not")
    _common(doctor)
    schema = commands.add_parser("schema", help="print the JSON Schema of a person's file")
    schema.add_argument("--markdown", action="store_true", help="as a page of documentation")
    return root


def _people(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "people",
        nargs="*",
        metavar="PERSON",
        help="a file's stem in people/, or a path; all if none",
    )


def _common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print one JSON object on stdout")
    command.add_argument(
        "--template-path",
        action="append",
        default=[],
        metavar="DIR",
        help="a further folder of templates, searched first",
    )


def _build(command: argparse.ArgumentParser) -> None:
    _people(command)
    _common(command)
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
    chosen.add_argument("--all-templates", action="store_true", help="every template there is")
    command.add_argument("-o", "--out", default="out", metavar="DIR", help="default: out")
    command.add_argument(
        "-j", "--jobs", type=_count, metavar="N", help="documents at once; default: the cores"
    )
    command.add_argument("--engine", choices=ENGINES, default="auto")
    command.add_argument(
        "--driver",
        choices=DRIVERS,
        default="auto",
        help="latexmk and direct begin from nothing, auto with what the last build left",
    )
    command.add_argument(
        "--locale", metavar="TAG", help="the language, such as de; default: the person's own"
    )
    command.add_argument(
        "--force", action="store_true", help="build what is up to date as well, from nothing"
    )
    command.add_argument(
        "--timeout",
        type=_seconds,
        default=60.0,
        metavar="SECONDS",
        help="for a TeX run; default: 60",
    )


def _extract(command: argparse.ArgumentParser) -> None:
    command.add_argument("pdf", metavar="FILE.pdf", help="built with the option embed: true")
    command.add_argument("-o", "--out", metavar="FILE", help="instead of printing")
    command.add_argument("--force", action="store_true", help="write over FILE if it is there")


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 1024:
        raise argparse.ArgumentTypeError("a number from 1 to 1024")
    return number


def _seconds(text: str) -> float:
    number = float(text)
    if not 0 < number <= 86400:
        raise argparse.ArgumentTypeError("seconds, more than 0 and at most 86400")
    return number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    given = parser().parse_args(arguments)
    try:
        run = import_module(f"cvbuild.commands.{given.command}").run
        return int(run(given))
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone: leave in silence, as other tools do.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:  # noqa: BLE001 - _failed raises again what is not ours
        return _failed(error, as_json=getattr(given, "json", False))


def _failed(error: Exception, *, as_json: bool) -> int:
    from cvbuild import console
    from cvbuild.errors import CvbuildError

    if not isinstance(error, CvbuildError):
        raise error
    if as_json:
        console.print_json({"diagnostics": [item.as_json() for item in error.diagnostics]})
    else:
        console.show(error.diagnostics)
    return error.exit_code
