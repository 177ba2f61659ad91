"""What a workspace begins with, and what cvbuild knows of itself: ``new``, ``docs``, ``doctor``."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from cvbuild.applications import load
from cvbuild.cli import console, main
from cvbuild.common import VERSION, limits
from cvbuild.common.diagnostics import UsageError, suggest
from cvbuild.common.files import safe_files
from cvbuild.inputs import json_schema, people, saving
from cvbuild.outputs import registry
from cvbuild.outputs.installed import TEMPLATE
from cvbuild.outputs.pdf.fonts import fallbacks
from cvbuild.outputs.pdf.tex import Engine, find
from cvbuild.outputs.styles import typefaces
from cvbuild.outputs.styles.templates import Library


def new(given: argparse.Namespace) -> int:
    """Write the files, never over one that exists; say what to do next."""
    if len(given.name) > 1 and any(" " in word for word in given.name):
        raise UsageError.because("name", "these are several names", "make one person at a time")
    name = " ".join(given.name)
    if sum((bool(given.name), bool(given.application), bool(given.template))) != 1:
        hint = 'write the name of a person: cvbuild new "Ada Example"'
        raise UsageError.because("name", "make one thing at a time, which has a name", hint)
    if given.template:
        # A manifest and a style package, which change little.
        style = given.template
        if not TEMPLATE.fullmatch(style) or safe_files.is_reserved(style):
            hint = "use letters of ASCII, digits and hyphens"
            raise UsageError.because("name", f"\"{style}\" can't be a template's name", hint)
        library = Library.of_workspace()
        if style in library.names():
            fact = f'there is a template "{style}" already'
            raise UsageError.because("exists", fact, "change it")
        package = library.require(given.extends).manifest.tex.style
        files = saving.template_files(style, given.extends, package)
        saving.write_all(files)
        console.say(f"wrote {', '.join(files)}")
        console.say(f"edit them, then run: cvbuild build -t {style}")
        return 0
    path, then = saving.person(name, people.FOLDER) if given.name else None, "build"
    if path is None:
        # Of the only person, if none is named.
        persons, then = people.find([given.person] if given.person else []), "apply"
        if len(persons) > 1:
            known = console.some([person.name for person in persons], 5, ", …")
            hint = f"name one with --person; the people are: {known}"
            raise UsageError.because("person", "it isn't said whose application it is", hint)
        path = saving.application(given.application, persons[0].name)
    console.say(f"wrote {path}; edit it, then run: cvbuild {then} {path.stem}")
    return 0


# -- init and schema -------------------------------------------------------------------------------

_GITIGNORE = ".gitignore"


_SCHEMA_OF: Mapping[str, Callable[[Library], Any]] = {
    "person": registry.json_schema,
    "application": load.json_schema,
    "workspace": partial(registry.json_schema, workspace=True),
}


def init(given: argparse.Namespace) -> int:
    """Make the folder and add what is missing; say what was done. Existing files stay."""
    root = Path(given.folder)
    wrote, edited = [*saving.write(root, schemas(Library.at()))], ""
    known = [person.name for person in people.everyone(root / people.FOLDER)]
    if not known:
        path = saving.person("Ada Example", root / people.FOLDER)
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


# -- docs ------------------------------------------------------------------------------------------

#: What is for users: not for those who change cvbuild.
_FOLDERS = ("", "how-to", "reference", "explanation")


def docs(given: argparse.Namespace) -> int:
    """Print a page in Markdown; without a name, list the pages with their titles."""
    # Those in the package, or next to it in a checkout.
    package = Path(__file__).resolve().parents[2]
    root = package / "docs" if (package / "docs").is_dir() else package.parent / "docs"
    files = (path for folder in _FOLDERS for path in sorted((root / folder).glob("*.md")))
    pages = {path.stem: path.read_text(encoding="utf-8") for path in files}
    name = (given.page or "").removeprefix("docs/").removesuffix(".md").rpartition("/")[2]
    if not given.page:
        width = max(map(len, pages), default=0)
        for page, text in pages.items():
            title = text.partition("\n")[0].lstrip("# ")
            console.answer(f"{page:{width}}  {title}")
        return 0
    if name not in pages:
        hint = suggest(name, pages, "the pages are")
        raise UsageError.because("page", f'there is no page "{given.page}"', hint)
    console.answer(pages[name].rstrip("\n"))
    return 0


# -- completion ------------------------------------------------------------------------------------

#: What is completed as a file's path: people and applications may be named by their files, too.
_FILES = ("PERSON", "FILE", "FILE.pdf", "slug", "slugs")


def completion(given: argparse.Namespace) -> int:
    """Print the script to stdout."""
    import shtab

    parser = main.parser()
    _mark(parser)
    console.answer(shtab.complete(parser, given.shell).rstrip("\n"))
    return 0


def _mark(parser: argparse.ArgumentParser) -> None:
    """Say of each argument, in the way of shtab, what completes it."""
    import shtab

    from cvbuild.outputs import installed
    from cvbuild.outputs.styles import templates

    builtin = (path.name for path in templates.Library.at().packages())
    names = sorted({*builtin} - {installed.BASE, installed.LETTER})
    for action in parser._actions:  # noqa: SLF001 - argparse has no public list of its arguments
        metavar = str(action.metavar)
        if isinstance(action.choices, dict):
            for command in action.choices.values():
                _mark(command)
        elif metavar == "TEMPLATE" or action.dest == "format":
            action.choices = names if metavar == "TEMPLATE" else registry.MODULES
        elif metavar == "DIR":
            vars(action)["complete"] = shtab.DIRECTORY
        elif metavar in _FILES or action.dest in _FILES:
            vars(action)["complete"] = shtab.FILE


# -- templates -------------------------------------------------------------------------------------


def templates(given: argparse.Namespace) -> int:
    """List on stdout; raises UsageError for an unknown name."""
    library = Library.of_workspace(given.template_path)
    lines = list[str]()
    for template in [library.require(name) for name in given.templates or library.names()]:
        manifest = template.manifest
        pages = "one page" if manifest.pages == "1" else "any number of pages"
        audience = f"for {manifest.audience}" if manifest.audience else ""
        facts = filter(None, (audience, manifest.layout, pages, str(template.folders[0])))
        lines += [f"{template.name}: {manifest.description}", f"  {', '.join(facts)}"]
        width = max((len(name) for name in manifest.options), default=0)
        for name, option in manifest.options.items():
            choices = f"; one of {', '.join(option.choices)}" if option.choices else ""
            about = f"{option.doc} [{option.type}, default {option.default or 'none'}{choices}]"
            lines.append(f"  {name:{width}}  {about}")
        lines.append("")
    console.answer("\n".join(lines[:-1]))
    return 0


# -- doctor: the TeX and fonts that are there, and how to get what is missing ----------------------


def doctor(given: argparse.Namespace) -> int:
    """Report TeX engines and fonts on stdout; return 3 if no TeX can be used."""
    library = Library.of_workspace(given.template_path)
    files = dict[str, str]()
    for name in library.names():
        files |= library.find(name).manifest.tex.needs
    engines = find.survey(files)
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    lines = [f"cvbuild {VERSION}, Python {platform.python_version()}, {system}"]
    lines.append("TeX for all templates:")
    is_usable, hints = any(isinstance(each, Engine) for each in engines.values()), dict[str, None]()
    for choice, engine in engines.items():
        if isinstance(engine, Engine):
            lines.append(f"  ✓ {engine.label}")
            continue
        texts = [str(dataclasses.replace(problem, hint=None)) for problem in engine.diagnostics]
        label = choice if choice == "embedded" else f"{choice} (system)"
        lines.append(f"  ✗ {label}: {'; '.join(texts).removeprefix(f'{choice} is ')}")
        hints |= dict.fromkeys(problem.hint for problem in engine.diagnostics if problem.hint)
    # What to do, once.
    need = "one of them is enough; for another: " if is_usable else ""
    lines += (f"    {need}{hint}" for hint in hints)
    faces = {name: bool(typefaces.find(name)) for name in typefaces.TYPEFACES}
    for how in dict.fromkeys(map(typefaces.how_to_get, faces)):
        alike = {name: there for name, there in faces.items() if typefaces.how_to_get(name) == how}
        lines += _there_or_not("typefaces", alike, how)
    for what in (typefaces.CAPS, typefaces.FIGURES, typefaces.SEMIBOLD):
        without = [name for name, face in typefaces.TYPEFACES.items() if what in face.lacks]
        lines.append(f"  without {what}: {'; '.join(without)}")
    scripts = fallbacks.survey()
    how = fallbacks.how_to_get(package for path, package in scripts.values() if not path)
    lines += _there_or_not(
        "scripts", {name: bool(path) for name, (path, _) in scripts.items()}, how
    )
    wall = "✗ around {}: TeX's own rules: build only those you trust"
    wall = "✓ around {}: Landlock" if limits.landlock_version() > 0 else wall
    # Anybody may see what a public report has of it: the user's home folder is ``~``.
    home = os.path.expanduser("~")  # noqa: PTH111 - it raises nothing
    for line in (*lines, wall.format("templates that aren't built in")):
        console.answer(re.sub(rf"{re.escape(home)}(?=/)", "~", line))
    return 0 if is_usable else 3


def _there_or_not(what: str, faces: Mapping[str, bool], how: str) -> Iterator[str]:
    if there := [name for name, is_there in faces.items() if is_there]:
        yield f"✓ {what}: {'; '.join(there)}"
    if absent := [name for name, is_there in faces.items() if not is_there]:
        yield f"✗ {what}: no font for {'; '.join(absent)}: {how}"
