"""``cvbuild new``: a commented file to start from, for a person, an application or a template."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

from cvbuild.building.environment import workspace_library
from cvbuild.cli import console
from cvbuild.common.errors import CvbuildError, UsageError
from cvbuild.common.files import safe_folders
from cvbuild.common.files.project_files import is_reserved
from cvbuild.inputs import people
from cvbuild.inputs.schema import starter_files
from cvbuild.inputs.validation.validate import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.model.base import clean
from cvbuild.outputs.styles import file_names


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
        path = person(name, people.FOLDER)
        console.say(f"wrote {path}; edit it, then run: cvbuild build {path.stem}")
    return 0


def person(name: str, folder: Path) -> Path:
    """Write a person's file and return its path; raise UsageError for a bad name, or one in use."""
    try:
        stem = starter_files.slug(clean(name))
        text = starter_files.person(" ".join(name.split()))
        validate(parse(text, stem))
    except (CvbuildError, ValueError):
        stem = ""
    if stem in people.RESERVED:
        stem = ""
    path = people.of_stem(_safe(stem, name), folder).path
    if not [*write(folder.parent, {f"{folder.name}/{path.name}": text})]:
        raise UsageError.because("exists", f"{path} exists already", "edit it")
    return path


def write(root: Path, files: Mapping[str, str]) -> Iterator[str]:
    """Write the files that don't exist, and yield their names; raise UsageError."""
    for name, text in files.items():
        *above, last = name.split("/")
        try:
            with safe_folders.opened(root, *above, make=True) as folder:
                is_new = not folder.state(last)
                if is_new:
                    folder.create(last, text.encode())
        except OSError as error:
            path = root / name
            raise UsageError.because("write", f"can't write {path}: {error.strerror}") from None
        if is_new:
            yield name


def _safe(stem: str, name: str) -> str:
    """Return a name of a file; raise UsageError if there can't be such a file."""
    if not stem or is_reserved(stem):
        raise UsageError.because("name", f"\"{name}\" can't be a file's name", "use letters")
    return stem


def _application(name: str, who: str | None) -> None:
    """Write applications/<name>.yaml of a person: of the only one, if none is named."""
    stem = _safe(starter_files.slug(Path(name).stem if name.endswith(".yaml") else name), name)
    found = people.find([who] if who else [])
    if len(found) > 1:
        known = ", ".join(one.name for one in found[:5])
        hint = f"name one with --person; the people are: {known}{', …' if len(found) > 5 else ''}"
        raise UsageError.because("person", "it isn't said whose application it is", hint)
    files = starter_files.application(found[0].name, stem)
    _write_all(files)
    console.say(f"wrote {', '.join(files)}; edit it, then run: cvbuild apply {stem}")


def _template(name: str, extends: str) -> None:
    """Write templates/<name>: a manifest, a style package and a style sheet that change little."""
    if not file_names.TEMPLATE.fullmatch(name) or is_reserved(name):
        hint = "use letters of ASCII, digits and hyphens"
        raise UsageError.because("name", f"\"{name}\" can't be a template's name", hint)
    library = workspace_library()
    if name in library.names():
        raise UsageError.because("exists", f'there is a template "{name}" already', "change it")
    style = library.require(extends).manifest.tex.style
    files = starter_files.template(name, extends, style)
    _write_all(files)
    console.say(f"wrote {', '.join(files)}")
    console.say(f"edit them, then run: cvbuild build -t {name}")


def _write_all(files: Mapping[str, str]) -> None:
    """Write all files; raise UsageError, and write none, if one of them exists."""
    for name in files:
        if Path(name).exists():
            raise UsageError.because("exists", f"{name} exists already", "edit it")
    for _ in write(Path(), files):
        pass
