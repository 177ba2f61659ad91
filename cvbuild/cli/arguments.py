"""The commands: each one's help line, and the function that adds its arguments.

Only argparse is imported: this module is loaded before any command runs.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from typing import Any, NoReturn

from cvbuild.building.request import PDF
from cvbuild.cli import build_arguments
from cvbuild.cli.shared_arguments import (
    PRINTED,
    add_engine,
    add_jobs,
    add_json,
    add_locale,
    add_one_document,
    add_out,
    add_people,
    add_reports,
    add_sets,
    add_template_path,
    add_timeout,
    path,
    person,
)

_COMPLETION = """\
examples:
  cvbuild completion bash > ~/.local/share/bash-completion/completions/cvbuild
  cvbuild completion zsh > ~/.zfunc/_cvbuild       with fpath+=~/.zfunc before compinit in ~/.zshrc
  cvbuild completion fish > ~/.config/fish/completions/cvbuild.fish
  cvbuild completion powershell >> $PROFILE
"""


#: The files that have a JSON Schema.
SCHEMAS = ("person", "application", "workspace")


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


class Parser(argparse.ArgumentParser):
    """A parser that suggests the choice that was probably meant."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and end with code 2, as argparse does."""
        fact, _, choices = message.partition(" (choose from ")
        if choices:
            from cvbuild.common.suggestions import nearest

            known = [one.strip("'") for one in choices.removesuffix(")").split(", ")]
            close = nearest(fact.rpartition("invalid choice: ")[2].strip("'"), known)
            message = f'{fact}; did you mean "{close}"?' if close else message
        super().error(message)


class Command(Parser):
    """A command's parser, whose arguments are added when they are needed."""

    fill: Callable[[argparse.ArgumentParser], None] | None = None

    def filled(self) -> None:
        """Add the arguments, if that hasn't been done."""
        fill, self.fill = self.fill, None
        if fill is not None:
            fill(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Add the arguments, then parse as argparse does."""
        self.filled()
        return super().parse_known_args(args, namespace)


def _templates(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "templates", nargs="*", metavar="TEMPLATE", help="a template's name; all if none is given"
    )
    _listed(command)


def _listed(command: argparse.ArgumentParser) -> None:
    add_json(command)
    add_template_path(command)


def _show(command: argparse.ArgumentParser) -> None:
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
    _listed(command)


def _check(command: argparse.ArgumentParser) -> None:
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
    _listed(command)


def _match(command: argparse.ArgumentParser) -> None:
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
    _listed(command)


def _extract(command: argparse.ArgumentParser) -> None:
    command.add_argument("pdf", metavar="FILE.pdf", help="a PDF built with the option embed: true")
    command.add_argument("-o", "--out", metavar="FILE", help="write to FILE instead of stdout")
    command.add_argument("--force", action="store_true", help="overwrite FILE if it exists")


def _new(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", metavar="NAME", help='the person\'s name: "Ada Example"')


def _import(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "files",
        nargs="+",
        type=path,
        metavar="FILE",
        help="a CV in another format, or a folder; several are put together as one",
    )
    command.add_argument(
        "--as", dest="person", metavar="NAME", help="whose CV it is; by default as the file says"
    )
    command.add_argument(
        "--from", dest="source", metavar="FORMAT", help="its format; by default by its content"
    )
    command.add_argument(
        "--merge", action="store_true", help="add to the file that is there; change nothing in it"
    )
    command.add_argument("--yes", action="store_true", help="with --merge: write without asking")
    command.add_argument(
        "--dry-run", action="store_true", help="print what would be written, and write nothing"
    )
    add_template_path(command)


def _init(command: argparse.ArgumentParser) -> None:
    command.add_argument("folder", metavar="DIR", help="the folder to make")


def _schema(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--of",
        choices=SCHEMAS,
        default=SCHEMAS[0],
        help="which file it describes: a person's (the default), an application, or cvbuild.yaml",
    )
    command.add_argument(
        "--markdown",
        action="store_true",
        help="print that of a person's file as a page of documentation",
    )


def _gallery(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "person",
        nargs="?",
        type=person,
        metavar="PERSON",
        help="a file's name in people/ without .yaml, a name, or a path; not needed for a single "
        "person",
    )
    command.add_argument(
        "--no-open", dest="open", action="store_false", help="don't show the page in the browser"
    )
    add_locale(command)
    add_engine(command)
    add_jobs(command)
    add_timeout(command)
    add_out(command)
    _listed(command)
    chosen: dict[str, list[str]] = {name: [] for name in ("template", "variant", "set")}
    command.set_defaults(
        all_templates=True,
        driver="auto",
        force=False,
        private=False,
        cluster=None,
        format=[[PDF]],
        **chosen,
    )


def _serve(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "person",
        nargs="?",
        metavar="PERSON",
        help="a file's name in people/ without .yaml, or a path; others can be chosen in the page",
    )
    command.add_argument(
        "--port", type=_port, default=0, metavar="N", help="the port; a free one by default"
    )
    command.add_argument(
        "--no-open", dest="open", action="store_false", help="don't show the page in the browser"
    )
    add_engine(command)
    add_timeout(command)
    add_template_path(command)


def _port(text: str) -> int:
    number = int(text) if text.isdecimal() and len(text) < 6 else -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError("a number from 1 to 65535, or 0 for a free one")
    return number


def _site(command: argparse.ArgumentParser) -> None:
    add_people(command)
    command.add_argument("--title", default="", help="the name of the site: Systems Group")
    command.add_argument(
        "-t",
        "--template",
        metavar="TEMPLATE",
        help="the template of every page, instead of the first that each person picked",
    )
    add_locale(command)
    add_engine(command)
    add_jobs(command)
    add_timeout(command)
    add_out(command)
    _listed(command)
    chosen: dict[str, list[str]] = {name: [] for name in ("variant", "set")}
    command.set_defaults(
        all_templates=False, driver="auto", force=False, private=False, cluster=None, **chosen
    )


def _apply(command: argparse.ArgumentParser) -> None:
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
    _listed(command)
    command.set_defaults(driver="auto", force=False, locale=None, private=False, set=[])


def _applications(command: argparse.ArgumentParser) -> None:
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


def _completion(command: argparse.ArgumentParser) -> None:
    from cvbuild.cli.shell_completion import SHELLS

    command.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    # For the script itself: the names of a kind that complete a word.
    command.add_argument("--names", nargs=2, metavar=("KIND", "WORD"), help=argparse.SUPPRESS)
    command.epilog = _COMPLETION


#: Each command's help line, and the function that adds its arguments.
COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "build": ("build people's CVs", build_arguments.build),
    "watch": ("rebuild CVs whenever their files are saved", build_arguments.watch),
    "serve": ("edit a CV in the browser, beside its pages", _serve),
    "status": (
        "list all documents: up to date or why not, pages, date, size",
        build_arguments.status,
    ),
    "why": ("list which documents would be rebuilt, and why", build_arguments.status),
    "show": ("list what a document shows, what it leaves out, and why", _show),
    "site": ("build a web site of all people, with their CVs", _site),
    "apply": ("build everything that goes out with an application", _apply),
    "applications": ("list applications, add notes, verify what was sent", _applications),
    "check": ("validate people's files, applications or a PDF, without building", _check),
    "match": ("compare a job's advertisement with a document", _match),
    "extract": (
        "print the data that a PDF carries, if it was built with the option embed",
        _extract,
    ),
    "import": ("write a person's file from a CV in another format", _import),
    "new": ("write a commented starter file for a person", _new),
    "init": ("make a workspace: people/, applications/, a Makefile, .gitignore", _init),
    "gallery": ("show a person's CV in every style, to choose one", _gallery),
    "templates": ("list the templates and their options", _templates),
    "doctor": ("list the TeX, fonts and tools found, and what is missing", _listed),
    "schema": ("print the JSON Schema of a person's file, or of another, for editors", _schema),
    "completion": ("print the script that completes arguments in a shell", _completion),
}
