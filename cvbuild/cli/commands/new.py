"""What a workspace begins with: ``cvbuild init``, ``new`` and ``schema``."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from cvbuild.applications import load
from cvbuild.building.requested import workspace_library
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
    if given.application:
        _application(given.application, given.person)
    elif given.template:
        _template(given.template, given.extends)
    else:
        path = saving.person(name, people.FOLDER)
        console.say(f"wrote {path}; edit it, then run: cvbuild build {path.stem}")
    return 0


def _application(name: str, who: str | None) -> None:
    """Write applications/<name>.yaml of a person: of the only one, if none is named."""
    persons = people.find([who] if who else [])
    if len(persons) > 1:
        known = ", ".join(person.name for person in persons[:5])
        hint = f"name one with --person; the people are: {known}{', …' if len(persons) > 5 else ''}"
        raise UsageError.because("person", "it isn't said whose application it is", hint)
    path = saving.application(name, persons[0].name)
    console.say(f"wrote {path}; edit it, then run: cvbuild apply {path.stem}")


def _template(name: str, extends: str) -> None:
    """Write templates/<name>: a manifest and a style package, which change little."""
    if not TEMPLATE.fullmatch(name) or is_reserved(name):
        hint = "use letters of ASCII, digits and hyphens"
        raise UsageError.because("name", f"\"{name}\" can't be a template's name", hint)
    library = workspace_library()
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
    wrote = [*saving.write(root, schemas(Library.at()))]
    known = [person.name for person in people.everyone(root / people.FOLDER)]
    if not known:
        path = saving.person(_NAME, root / people.FOLDER)
        known = [path.stem]
        wrote += [path.relative_to(root).as_posix()]
        wrote += saving.write(root, saving.application_files(known[0]))
    shared = saving.workspace_files(known[0], agents=given.agents)
    wrote += saving.write(root, shared)
    kept = [name for name in shared if name not in wrote]
    for what, names in (("wrote", sorted(wrote)), ("left as they were", kept)):
        if names:
            console.say(f"{root}: {what}: {', '.join(names)}")
    _say_ignored(root, shared[_GITIGNORE].splitlines())
    console.say(_next(root, next((name for name in wrote if name.startswith("people/")), "")))
    return 0


def _next(root: Path, edited: str) -> str:
    """Return what to do now; ``edited`` is the file of a new person, if there is one."""
    steps = [] if root.resolve() == Path.cwd() else [f"cd {shlex.quote(str(root))}"]
    steps += [f"edit {edited}"] if edited else []
    return f"{', '.join(steps)}, then run: cvbuild build" if steps else "now run: cvbuild build"


def _say_ignored(root: Path, needed: Iterable[str]) -> None:
    """Say which lines a .gitignore of the user's own doesn't have."""
    try:
        lines = safe_files.read(root / _GITIGNORE, 1 << 20).splitlines()
    except OSError:
        lines = []
    if missing := [line for line in needed if line.encode() not in map(bytes.strip, lines)]:
        console.say("\n".join((f"{root / _GITIGNORE} should have:", *missing)))


def schema(given: argparse.Namespace) -> int:
    """Print the JSON Schema of a kind of file."""
    console.answer(_schema_text(given.of, workspace_library()).rstrip("\n"))
    return 0


def _schema_text(kind: str, library: Library) -> str:
    """Return the schema of a file as JSON; raises TemplateError for a faulty manifest."""
    return json.dumps(_SCHEMA_OF[kind](library), indent=2) + "\n"


def schemas(library: Library) -> dict[str, str]:
    """Return the schema of each kind of file, by its place in a workspace."""
    return {file: _schema_text(kind, library) for kind, file in json_schema.FILES.items()}
