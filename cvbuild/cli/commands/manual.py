"""What cvbuild knows of itself: ``cvbuild docs``, ``templates``, ``completion``, ``doctor``."""

from __future__ import annotations

import argparse
import dataclasses
import os
import platform
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from cvbuild.cli import console, main
from cvbuild.common import VERSION, limits
from cvbuild.common.diagnostics import suggest
from cvbuild.common.errors import NoTexError, UsageError
from cvbuild.outputs import typefaces
from cvbuild.outputs.pdf.fonts import fallbacks
from cvbuild.outputs.pdf.tex import Engine, find
from cvbuild.outputs.templates import Library, Template

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

    from cvbuild.outputs import installed, registry, templates

    builtin = (path.name for path in templates.packages(installed.builtin_folder()))
    names = sorted({*builtin} - {installed.BASE, installed.LETTER})
    for action in parser._actions:  # noqa: SLF001 - argparse has no public list of its arguments
        metavar = str(action.metavar)
        if isinstance(action.choices, dict):
            for command in action.choices.values():
                _mark(command)
        elif metavar == "TEMPLATE" or action.dest == "format":
            action.choices = names if metavar == "TEMPLATE" else registry.names()
        elif metavar == "DIR":
            vars(action)["complete"] = shtab.DIRECTORY
        elif metavar in _FILES or action.dest in _FILES:
            vars(action)["complete"] = shtab.FILE


# -- templates -------------------------------------------------------------------------------------


def templates(given: argparse.Namespace) -> int:
    """List on stdout; raises UsageError for an unknown name."""
    library = Library.of_workspace(given.template_path)
    listed = [library.require(name) for name in given.templates or library.names()]
    console.answer("\n\n".join(_text(template) for template in listed))
    return 0


def _text(template: Template) -> str:
    """Return for whom it is, its pages, where it is, and its options."""
    manifest = template.manifest
    pages = "one page" if manifest.pages == "1" else "any number of pages"
    audience = f"for {manifest.audience}" if manifest.audience else ""
    facts = filter(None, (audience, manifest.layout, pages, str(template.folders[0])))
    lines = [f"{template.name}: {manifest.description}", f"  {', '.join(facts)}"]
    width = max((len(name) for name in manifest.options), default=0)
    for name, option in manifest.options.items():
        choices = f"; one of {', '.join(option.choices)}" if option.choices else ""
        about = f"{option.doc} [{option.type}, default {option.default or 'none'}{choices}]"
        lines.append(f"  {name:{width}}  {about}")
    return "\n".join(lines)


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
    lines += ["TeX for all templates:", *(f"  {line}" for line in _engines(engines)), *_fonts()]
    wall = "✗ around {}: TeX's own rules: build only those you trust"
    wall = "✓ around {}: Landlock" if limits.landlock_version() > 0 else wall
    # Anybody may see what a public report has of it: the user's home folder is ``~``.
    home = os.path.expanduser("~")  # noqa: PTH111 - it raises nothing
    for line in (*lines, wall.format("templates that aren't built in")):
        console.answer(re.sub(rf"{re.escape(home)}(?=/)", "~", line))
    return 0 if any(isinstance(each, Engine) for each in engines.values()) else 3


def _engines(engines: Mapping[str, Engine | NoTexError]) -> Iterator[str]:
    """Yield lines on each engine, then what to do, once."""
    hints: dict[str, None] = {}
    for choice, engine in engines.items():
        if isinstance(engine, Engine):
            yield f"✓ {engine.label}"
            continue
        texts = [str(dataclasses.replace(problem, hint=None)) for problem in engine.diagnostics]
        label = choice if choice == "embedded" else f"{choice} (system)"
        yield f"✗ {label}: {'; '.join(texts).removeprefix(f'{choice} is ')}"
        hints |= dict.fromkeys(problem.hint for problem in engine.diagnostics if problem.hint)
    is_usable = any(isinstance(each, Engine) for each in engines.values())
    need = "  one of them is enough; for another: " if is_usable else "  "
    yield from (f"{need}{hint}" for hint in hints)


def _fonts() -> Iterator[str]:
    """Yield a line on the typefaces and scripts that are there, and one on how to get others."""
    faces = {name: bool(typefaces.find(name)) for name in typefaces.TYPEFACES}
    for how in dict.fromkeys(map(typefaces.how_to_get, faces)):
        alike = {name: there for name, there in faces.items() if typefaces.how_to_get(name) == how}
        yield from _there_or_not("typefaces", alike, how)
    for what in (typefaces.CAPS, typefaces.FIGURES, typefaces.SEMIBOLD):
        without = [name for name, face in typefaces.TYPEFACES.items() if what in face.lacks]
        yield f"  without {what}: {'; '.join(without)}"
    scripts = fallbacks.survey()
    how = fallbacks.how_to_get(package for path, package in scripts.values() if not path)
    there = {name: bool(path) for name, (path, _) in scripts.items()}
    yield from _there_or_not("scripts", there, how)


def _there_or_not(what: str, faces: Mapping[str, bool], how: str) -> Iterator[str]:
    """Yield a line on what is there, and another on what isn't and how to get it."""
    if there := [name for name, is_there in faces.items() if is_there]:
        yield f"✓ {what}: {'; '.join(there)}"
    if absent := [name for name, is_there in faces.items() if not is_there]:
        yield f"✗ {what}: no font for {'; '.join(absent)}: {how}"
