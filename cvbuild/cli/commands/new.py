"""What a workspace begins with: ``cvbuild init``, ``new`` and ``schema``."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from cvbuild.applications import load
from cvbuild.cli import console
from cvbuild.common import safe_files
from cvbuild.common.errors import UsageError
from cvbuild.common.safe_files import is_reserved
from cvbuild.inputs import json_schema, people, saving
from cvbuild.outputs import registry
from cvbuild.outputs.installed import TEMPLATE
from cvbuild.outputs.templates import Library


def run(given: argparse.Namespace) -> int:
    """Write the files, never over one that exists; say what to do next."""
    if len(given.name) > 1 and any(" " in word for word in given.name):
        raise UsageError.because("name", "these are several names", "make one person at a time")
    name = " ".join(given.name)
    if sum((bool(given.name), bool(given.application), bool(given.template))) != 1:
        hint = 'write the name of a person: cvbuild new "Ada Example"'
        raise UsageError.because("name", "make one thing at a time, which has a name", hint)
    if given.template:
        _template(given.template, given.extends)
        return 0
    path, then = saving.person(name, people.FOLDER) if given.name else None, "build"
    if path is None:
        # Of the only person, if none is named.
        persons, then = people.find([given.person] if given.person else []), "apply"
        if len(persons) > 1:
            known = console.first_names([person.name for person in persons], 5)
            hint = f"name one with --person; the people are: {known}"
            raise UsageError.because("person", "it isn't said whose application it is", hint)
        path = saving.application(given.application, persons[0].name)
    console.say(f"wrote {path}; edit it, then run: cvbuild {then} {path.stem}")
    return 0


def _template(name: str, extends: str) -> None:
    """Write templates/<name>: a manifest and a style package, which change little."""
    if not TEMPLATE.fullmatch(name) or is_reserved(name):
        hint = "use letters of ASCII, digits and hyphens"
        raise UsageError.because("name", f"\"{name}\" can't be a template's name", hint)
    library = Library.of_workspace()
    if name in library.names():
        raise UsageError.because("exists", f'there is a template "{name}" already', "change it")
    style = library.require(extends).manifest.tex.style
    files = saving.template_files(name, extends, style)
    saving.write_all(files)
    console.say(f"wrote {', '.join(files)}")
    console.say(f"edit them, then run: cvbuild build -t {name}")


# -- init and schema -------------------------------------------------------------------------------

_NAME = "Ada Example"
_GITIGNORE = ".gitignore"


_SCHEMA_OF: Mapping[str, Callable[[Library], Any]] = {
    "person": registry.json_schema,
    "application": load.json_schema,
    "workspace": registry.workspace_schema,
}


def init(given: argparse.Namespace) -> int:
    """Make the folder and add what is missing; say what was done. Existing files stay."""
    root = Path(given.folder)
    wrote, edited = [*saving.write(root, schemas(Library.at()))], ""
    known = [person.name for person in people.everyone(root / people.FOLDER)]
    if not known:
        path = saving.person(_NAME, root / people.FOLDER)
        known, edited = [path.stem], path.relative_to(root).as_posix()
        wrote += [edited, *saving.write(root, saving.application_files(path.stem))]
    shared = saving.workspace_files(known[0], agents=given.agents)
    wrote += saving.write(root, shared)
    kept = [name for name in shared if name not in wrote]
    for what, names in (("wrote", sorted(wrote)), ("left as they were", kept)):
        if names:
            console.say(f"{root}: {what}: {', '.join(names)}")
    # A .gitignore of the user's own may lack lines.
    lines = list[bytes]()
    with suppress(OSError):
        lines = [*map(bytes.strip, safe_files.read(root / _GITIGNORE, 1 << 20).splitlines())]
    needed = shared[_GITIGNORE].splitlines()
    if missing := [line for line in needed if line.encode() not in lines]:
        console.say("\n".join((f"{root / _GITIGNORE} should have:", *missing)))
    steps = [] if root.resolve() == Path.cwd() else [f"cd {shlex.quote(str(root))}"]
    steps += [f"edit {edited}"] if edited else []
    then = f"{', '.join(steps)}, then run" if steps else "now run"
    console.say(f"{then}: cvbuild build")
    return 0


def schema(given: argparse.Namespace) -> int:
    """Print the JSON Schema of a kind of file."""
    console.answer(json.dumps(_SCHEMA_OF[given.of](Library.of_workspace()), indent=2))
    return 0


def schemas(library: Library) -> dict[str, str]:
    """Return the schema of each kind of file, by its place; raises TemplateError."""
    files = json_schema.FILES.items()
    return {file: json.dumps(_SCHEMA_OF[kind](library), indent=2) + "\n" for kind, file in files}
