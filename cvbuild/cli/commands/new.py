"""``cvbuild new``: a commented file to start from, for a person, an application or a template."""

from __future__ import annotations

import argparse
from pathlib import Path

from cvbuild.building.environment import workspace_library
from cvbuild.cli import console
from cvbuild.common.errors import UsageError
from cvbuild.common.files.project_files import is_reserved
from cvbuild.inputs import new_files, people
from cvbuild.outputs.styles import TEMPLATE


def run(given: argparse.Namespace) -> int:
    """Write the files, never over one that exists; say what to do next."""
    if len(given.name) > 1 and any(" " in word for word in given.name):
        raise UsageError.because("name", "these are several names", "make one person at a time")
    name = " ".join(given.name)
    if sum((bool(given.name), bool(given.application), bool(given.template))) != 1:
        hint = 'write the name of a person: cvbuild new "Ada Example"'
        raise UsageError.because("name", "make one thing at a time, which has a name", hint)
    if given.application:
        _application(given.application, given.person)
    elif given.template:
        _template(given.template, given.extends)
    else:
        path = new_files.person(name, people.FOLDER)
        console.say(f"wrote {path}; edit it, then run: cvbuild build {path.stem}")
    return 0


def _application(name: str, who: str | None) -> None:
    """Write applications/<name>.yaml of a person: of the only one, if none is named."""
    found = people.find([who] if who else [])
    if len(found) > 1:
        known = ", ".join(one.name for one in found[:5])
        hint = f"name one with --person; the people are: {known}{', …' if len(found) > 5 else ''}"
        raise UsageError.because("person", "it isn't said whose application it is", hint)
    (path,) = new_files.application(name, found[0].name)
    console.say(f"wrote {path}; edit it, then run: cvbuild apply {Path(path).stem}")


def _template(name: str, extends: str) -> None:
    """Write templates/<name>: a manifest, a style package and a style sheet that change little."""
    if not TEMPLATE.fullmatch(name) or is_reserved(name):
        hint = "use letters of ASCII, digits and hyphens"
        raise UsageError.because("name", f"\"{name}\" can't be a template's name", hint)
    library = workspace_library()
    if name in library.names():
        raise UsageError.because("exists", f'there is a template "{name}" already', "change it")
    style = library.require(extends).manifest.tex.style
    files = new_files.template_files(name, extends, style)
    new_files.write_all(files)
    console.say(f"wrote {', '.join(files)}")
    console.say(f"edit them, then run: cvbuild build -t {name}")
