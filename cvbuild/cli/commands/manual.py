"""What cvbuild knows of itself: ``cvbuild docs``, ``templates`` and ``completion``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from cvbuild.building.requested import workspace_library
from cvbuild.cli import console, main
from cvbuild.common.diagnostics import suggest
from cvbuild.common.errors import UsageError
from cvbuild.outputs.manifests import FONT, Option, margins
from cvbuild.outputs.templates import Template

#: What is for users: not for those who change cvbuild.
_FOLDERS = ("", "how-to", "reference", "explanation")


def docs(given: argparse.Namespace) -> int:
    """Print a page in Markdown; without a name, list the pages with their titles."""
    pages = _pages()
    if not given.page:
        width = max(map(len, pages), default=0)
        for name, path in pages.items():
            title = path.read_text(encoding="utf-8").partition("\n")[0]
            console.answer(f"{name:{width}}  {title.lstrip('# ')}")
        return 0
    name = given.page.removeprefix("docs/").removesuffix(".md").rpartition("/")[2]
    if name not in pages:
        hint = suggest(name, pages, "the pages are")
        raise UsageError.because("page", f'there is no page "{given.page}"', hint)
    console.answer(pages[name].read_text(encoding="utf-8").rstrip("\n"))
    return 0


def _pages() -> dict[str, Path]:
    """Return the pages by name: those in the package, or next to it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "docs"
    root = inside if inside.is_dir() else package.parent / "docs"
    files = (path for folder in _FOLDERS for path in sorted((root / folder).glob("*.md")))
    return {path.stem: path for path in files}


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
    library = workspace_library(given.template_path)
    listed = [library.require(name) for name in given.templates or library.names()]
    if given.json:
        console.print_json({"templates": [_as_json(template) for template in listed]})
    else:
        console.answer("\n\n".join(_text(template) for template in listed))
    return 0


def _as_json(template: Template) -> dict[str, object]:
    manifest = template.manifest
    return {
        "name": template.name,
        "title": manifest.title,
        "description": manifest.description,
        "audience": manifest.audience,
        "folder": str(template.folders[0]),
        "pages": manifest.pages,
        "columns": manifest.columns,
        "typeface": _typeface(template),
        "options": {
            name: {
                "type": option.type,
                "default": option.default,
                "doc": option.doc,
                "choices": list(option.choices),
            }
            for name, option in manifest.options.items()
        },
    }


def _text(template: Template) -> str:
    manifest = template.manifest
    lines = [f"{template.name}: {manifest.description}", f"  {_facts(template)}"]
    width = max((len(name) for name in manifest.options), default=0)
    for name, option in manifest.options.items():
        lines.append(f"  {name:{width}}  {option.doc} [{values(option)}]")
    return "\n".join(lines)


def _typeface(template: Template) -> str:
    """Return the name of the typeface that a template has if nothing else is chosen."""
    option = template.manifest.options.get(FONT)
    return str(option.default if option else "")


def _facts(template: Template) -> str:
    """Return for whom it is, its typeface, its columns and pages."""
    manifest = template.manifest
    pages = "one page" if manifest.pages == "1" else "any number of pages"
    audience = f"for {manifest.audience}; " if manifest.audience else ""
    return audience + ", ".join(filter(None, (_typeface(template), manifest.layout, pages)))


def values(option: Option) -> str:
    """Return the values that an option takes, the default first."""
    default: Any = option.read(option.default)
    shown: Any = ", ".join(default) if option.type == "kinds" else default
    if option.type == "margins":
        shown = margins(default)
    if isinstance(shown, bool | float):
        shown = f"{shown:g}" if isinstance(shown, float) else str(shown).lower()
    others = f"; one of {', '.join(option.choices)}" if option.type == "choice" else ""
    return f"{option.type}, default {shown or 'none'}{others}"
