"""The arguments of `build`, `watch`, `status` and `why`, in groups."""

from __future__ import annotations

import argparse

from cvbuild.cli.arguments.shared import (
    PRINTED,
    Container,
    add_engine,
    add_jobs,
    add_json,
    add_locale,
    add_out,
    add_people,
    add_reports,
    add_sets,
    add_template_path,
    add_timeout,
    names,
)

DRIVERS = ("auto", "latexmk", "direct")
_BUILD = """\
examples:
  cvbuild build                          everybody, with the templates that they picked
  cvbuild build ada-example -t industry  one person, one template
  cvbuild build ada-example --variant short --set headline="Data engineer"
  cvbuild build --format pdf,txt         PDFs, and plain text for web forms
  cvbuild build --json > report.json     for scripts
"""
_WATCH = """\
examples:
  cvbuild watch                          everybody
  cvbuild watch ada-example -t academic  one document, built as soon as you save
"""
_STATUS = """\
examples:
  cvbuild {0}{1}all documents
  cvbuild {0} ada-example --all-templates
"""


def build(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `cvbuild build`."""
    shown, how, output = _documents(command)
    add_sets(shown)
    where = how.add_mutually_exclusive_group()
    add_jobs(where)
    where.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="build on many machines: the address of a Dask scheduler (docs/how-to/building.md)",
    )
    how.add_argument(
        "--force",
        action="store_true",
        help="build everything again; not needed after an edit, since changes are found",
    )
    add_timeout(how)
    add_reports(output)
    output.add_argument(
        "--open",
        action="store_true",
        help="show each PDF when it is built, in the program that opens PDFs",
    )
    command.usage, command.epilog = "cvbuild build [PERSON ...] [OPTION ...]", _BUILD


def watch(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `cvbuild watch`."""
    _, how, _ = _documents(command, "print one JSON object per line on stdout, as things happen")
    add_jobs(how)
    add_timeout(how)
    command.set_defaults(force=False)
    command.usage, command.epilog = "cvbuild watch [PERSON ...] [OPTION ...]", _WATCH


def status(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `cvbuild status`, and of `cvbuild why`."""
    shown, _, _ = _documents(command)
    add_sets(shown)
    command.set_defaults(force=False, timeout=60.0)
    name = command.prog.rpartition(" ")[2]
    command.usage = f"cvbuild {name} [PERSON ...] [OPTION ...]"
    command.epilog = _STATUS.format(name, " " * (31 - len(name)))


def _documents(
    command: argparse.ArgumentParser, printed: str = PRINTED
) -> tuple[Container, Container, Container]:
    """Add the arguments that all these commands share; ``printed`` is what --json does.

    Return the groups of what documents show, of how they are made, and of what is put out.
    """
    _which(command)
    shown, how = _shown(command), _how(command)
    command.set_defaults(set=[])
    output = command.add_argument_group("output")
    add_out(output)
    add_json(output, printed)
    return shown, how, output


def _which(command: argparse.ArgumentParser) -> None:
    """Add which documents to build."""
    which = command.add_argument_group("which documents")
    add_people(which)
    chosen = which.add_mutually_exclusive_group()
    chosen.add_argument(
        "-t",
        "--template",
        action="append",
        type=names,
        default=[],
        metavar="TEMPLATE",
        help="a template to use instead of those that the person picked; several: -t plain,grid",
    )
    chosen.add_argument("--all-templates", action="store_true", help="use every template")
    chosen.add_argument(
        "--variant",
        action="append",
        type=names,
        default=[],
        metavar="VARIANT",
        help="a document that the person's file defines under `variants`; several: "
        "--variant short,long",
    )
    which.add_argument(
        "--flavour",
        choices=("academicpages", "hugo"),
        help="with --format md: write the folders that such a web site is made from",
    )
    which.add_argument(
        "--format",
        action="append",
        type=names,
        default=[],
        metavar="FORMAT",
        help="pdf, html, docx, txt, … instead of those that the person picked; several: "
        "--format pdf,txt",
    )


def _shown(command: argparse.ArgumentParser) -> Container:
    """Add what documents show; return the group."""
    shown = command.add_argument_group("what they show")
    add_locale(shown)
    shown.add_argument(
        "--private",
        action="store_true",
        help="also show what is private, in files of their own: NAME.private.pdf",
    )
    return shown


def _how(command: argparse.ArgumentParser) -> Container:
    """Add how documents are made; return the group."""
    how = command.add_argument_group("how they are made (the defaults do for most)")
    add_engine(how)
    how.add_argument(
        "--driver",
        choices=DRIVERS,
        default="auto",
        help="what runs TeX: the program latexmk, or cvbuild itself (direct); auto (the default) "
        "is direct, and quicker after an edit",
    )
    add_template_path(how)
    return how
