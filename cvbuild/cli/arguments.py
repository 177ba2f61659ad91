"""What arguments of the command line may be, and the arguments that several commands share.

Only argparse is imported: this module is loaded before any command runs.
"""

from __future__ import annotations

import argparse
import os
import re

from cvbuild.cli.parsers import Argument, Group, OneOf, flag, several

#: An option, a home, a variable, the output of a command; a folder's name may have a $ inside.
_UNREAD = re.compile(r"-|~(?:[\w.-]*(?:/|\Z))|(?:.*[/\\])?(?:\$[A-Za-z_{(]|`)")


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


def person(text: str) -> str:
    """Mark an argument that names a person if it is a path; the type of such arguments."""
    is_path = text.endswith((".yaml", ".yml")) or "/" in text or os.sep in text
    return GivenPath(text) if is_path else text


def names(text: str) -> list[str]:
    """Return the names in a list with commas: ``pdf, txt``."""
    return [name.strip() for name in text.split(",")]


def count(text: str) -> int:
    """Return a number of things to do at once."""
    number = int(text) if text.isdecimal() else 0
    if not 1 <= number <= 1024:
        raise argparse.ArgumentTypeError("a number from 1 to 1024")
    return number


def seconds(text: str) -> float:
    """Return a time in seconds, at most a day."""
    try:
        number = float(text)
    except ValueError:
        number = 0
    if not 0 < number <= 86400:
        raise argparse.ArgumentTypeError("seconds, more than 0 and at most 86400")
    return number


def port(text: str) -> int:
    """Return the number of a port, 0 for a free one."""
    number = int(text) if text.isdecimal() and len(text) < 6 else -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError("a number from 1 to 65535, or 0 for a free one")
    return number


A_PERSON = "a file's name in people/ without .yaml, a name, or a path"
AN_APPLICATION = "a file's name in applications/ without .yaml"
_PRINTED = "for scripts: print one JSON object on stdout, and nothing else there"


def people(about: str = f"{A_PERSON}; all if none is given") -> Argument:
    """Return the names of people; ``about`` says what they may be."""
    return Argument("people PERSON", about, nargs="*", type=person)


def one_person(otherwise: str) -> Argument:
    """Return the name of one person; ``otherwise`` says what holds if none is given."""
    return Argument("person PERSON", f"{A_PERSON}; {otherwise}", nargs="?", type=person)


JSON = flag("--json", _PRINTED)
# Of an action: one before the name of the action holds, too.
JSON_OF_ACTION = Argument("--json", _PRINTED, action="store_true", default=argparse.SUPPRESS)
REPORTS = (
    flag("--github", "also annotate the lines of a pull request, in GitHub Actions"),
    flag(
        "--mail",
        "also write a draft to each person about the errors and warnings in that person's files: "
        "out/mail/errors/",
    ),
)
TEMPLATE_PATH = several(
    "--template-path DIR",
    "look for templates in this folder first, then in templates/, then among the built-in ones",
    type=path,
)
LISTED = (JSON, TEMPLATE_PATH)
LOCALE = Argument(
    "--locale TAG",
    "build in this language: de, pt-BR, …; by default in the one that the document has",
)
LOCALES = Argument(
    "--locale TAGS",
    "build in this language, or in each of several: en,de; by default in the one that the "
    "document has",
)
SET = several(
    "--set KEY=VALUE",
    'change something for this time only: headline="Data engineer", '
    "limit.publication=5, options.accent=burgundy, or another key of a variant",
)
JOBS = Argument(
    "-j, --jobs N",
    "how many documents to build at once; as many as there are cores by default",
    type=count,
)
TIMEOUT = Argument(
    "--timeout SECONDS",
    "give up a document that takes longer, by itself or in one run of TeX; 60 by default",
    type=seconds,
    default=60.0,
)
# The workspace's own folder stands for an empty one.
OUT = Argument(
    "-o, --out DIR",
    "the output folder; by default what cvbuild.yaml names, or out",
    type=output_folder,
    default="",
)
#: How much is said of documents.
LOUDNESS = OneOf(
    flag("-q, --quiet", "print errors and warnings only"),
    flag("-v, --verbose", "print all about each document, and what was compared with its PDF"),
)
ENGINE = Argument(
    "--engine",
    "which TeX makes the PDFs: auto (the default) takes the embedded one, else the system's",
    choices=("auto", "pdflatex", "embedded"),
    default="auto",
)
HOW_TO_BUILD = (ENGINE, JOBS, TIMEOUT, OUT, LOUDNESS, *LISTED)
NO_OPEN = Argument(
    "--no-open", "don't show the page in the browser", dest="open", action="store_false"
)
ONE_DOCUMENT = OneOf(
    Argument("--variant VARIANT", "a document that the person's file defines"),
    Argument("-t, --template TEMPLATE", "instead of the one that the person picked"),
)
#: For commands that build in one way only.
USUAL = {
    "all_templates": False,
    "driver": "auto",
    "force": False,
    "private": False,
    "set": [],
    "variant": [],
}

# What ``build``, ``watch``, ``status`` and ``why`` share; the groups have further
WHICH = Group(
    "which documents",
    people(),
    OneOf(
        several(
            "-t, --template TEMPLATE",
            "a template to use instead of those that the person picked; several: -t plain,grid",
            type=names,
        ),
        flag("--all-templates", "use every template"),
        several(
            "--variant VARIANT",
            "a document that the person's file defines under `variants`; several: "
            "--variant short,long",
            type=names,
        ),
    ),
    several(
        "-f, --format FORMAT",
        "pdf, html, docx, txt, … instead of those that the person picked; several: "
        "--format pdf,txt",
        type=names,
    ),
)
PRIVATE = flag("--private", "also show what is private, in files of their own: NAME.private.pdf")
SHOWN = ("what they show", LOCALES, PRIVATE, SET)
HOW = (
    "how they are made (the defaults do for most)",
    ENGINE,
    Argument(
        "--driver",
        "what runs TeX: the program latexmk, or cvbuild itself (direct); auto (the default) "
        "is direct, and quicker after an edit",
        choices=("auto", "latexmk", "direct"),
        default="auto",
    ),
    TEMPLATE_PATH,
)
