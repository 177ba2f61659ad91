"""``cvbuild templates``: list the templates with their options."""

from __future__ import annotations

import argparse
from typing import Any

from cvbuild.building.environment import workspace_library
from cvbuild.cli import console
from cvbuild.outputs.styles.manifests import FONT, Option, margins
from cvbuild.outputs.styles.templates import Template


def run(given: argparse.Namespace) -> int:
    """List on stdout; raises UsageError for an unknown name."""
    library = workspace_library(given.template_path)
    found = [library.require(name) for name in given.templates or library.names()]
    if given.json:
        console.print_json({"templates": [_as_json(template) for template in found]})
    else:
        console.answer("\n\n".join(_text(template) for template in found))
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
