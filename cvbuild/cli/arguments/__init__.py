"""The commands: each one's help line, and the function that adds its arguments.

Only argparse is imported: this module is loaded before any command runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from cvbuild.cli.arguments import applications, build, files, inspect, pages, shared

#: Each command's help line, and the function that adds its arguments.
COMMANDS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "build": ("build people's CVs", build.build),
    "watch": ("rebuild CVs whenever their files are saved", build.watch),
    "serve": ("edit a CV in the browser, beside its pages", pages.serve),
    "status": (
        "list all documents: up to date or why not, pages, date, size",
        build.status,
    ),
    "why": ("list which documents would be rebuilt, and why", build.status),
    "show": ("list what a document shows, what it leaves out, and why", inspect.show),
    "site": ("build a web site of all people, with their CVs", pages.site),
    "apply": ("build everything that goes out with an application", applications.apply),
    "applications": (
        "list applications, add notes, verify what was sent",
        applications.applications,
    ),
    "check": ("validate people's files, applications or a PDF, without building", inspect.check),
    "match": ("compare a job's advertisement with a document", inspect.match),
    "extract": (
        "print the data that a PDF carries, if it was built with the option embed",
        inspect.extract,
    ),
    "import": ("write a person's file from a CV in another format", files.import_file),
    "new": ("write a commented starter file for a person", files.new),
    "init": ("make a workspace: people/, applications/, a Makefile, .gitignore", files.init),
    "gallery": ("show a person's CV in every style, to choose one", pages.gallery),
    "templates": ("list the templates and their options", inspect.templates),
    "doctor": ("list the TeX, fonts and tools found, and what is missing", shared.add_listed),
    "schema": (
        "print the JSON Schema of a person's file, or of another, for editors",
        files.schema,
    ),
    "completion": ("print the script that completes arguments in a shell", files.completion),
}
