"""The arguments of the commands that write files for a person: `import`, `new`, `init` and more."""

from __future__ import annotations

import argparse

from cvbuild.cli.arguments.shared import (
    add_template_path,
    path,
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


def new(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `new`."""
    command.add_argument("name", metavar="NAME", help='the person\'s name: "Ada Example"')


def import_file(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `import`."""
    command.add_argument(
        "files",
        nargs="+",
        type=path,
        metavar="FILE",
        help="a CV in another format, or a folder; several are put together as one person",
    )
    command.add_argument(
        "--each",
        action="store_true",
        help="write one person's file for each FILE, or for each file in a folder; go on past "
        "those that can't be read",
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


def init(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `init`."""
    command.add_argument("folder", metavar="DIR", help="the folder to make")


def schema(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `schema`."""
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


def completion(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `completion`."""
    from cvbuild.cli.shell_completion import SHELLS

    command.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    # For the script itself: the names of a kind that complete a word.
    command.add_argument("--names", nargs=2, metavar=("KIND", "WORD"), help=argparse.SUPPRESS)
    command.epilog = _COMPLETION
