"""``cvbuild templates``: list the templates with their options."""

from __future__ import annotations

import argparse

from cvbuild.building.environment import workspace_library
from cvbuild.cli import console
from cvbuild.outputs.styles.options import Option
from cvbuild.outputs.styles.templates import Template


def run(given: argparse.Namespace) -> int:
    """List on stdout."""
    library = workspace_library(given.template_path)
    found = [library.find(name) for name in library.names()]
    if given.json:
        console.print_json({"templates": [_as_json(template) for template in found]})
    else:
        console.answer("\n\n".join(_text(template) for template in found))
    return 0


def _as_json(template: Template) -> dict[str, object]:
    manifest = template.manifest
    fonts = manifest.tex.fonts
    return {
        "name": template.name,
        "title": manifest.title,
        "description": manifest.description,
        "folder": str(template.folders[0]),
        "pages": manifest.pages,
        "fonts": {"system": fonts.system.family, "embedded": fonts.embedded.family}
        if fonts
        else None,
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
    lines = [f"{template.name}: {manifest.description}"]
    width = max((len(name) for name in manifest.options), default=0)
    for name, option in manifest.options.items():
        lines.append(f"  {name:{width}}  {option.doc} [{values(option)}]")
    return "\n".join(lines)


def values(option: Option) -> str:
    """Return the values that an option takes, the default first."""
    default = option.read(option.default)
    shown = ", ".join(default) if isinstance(default, tuple) else default
    if isinstance(shown, bool | float):
        shown = f"{shown:g}" if isinstance(shown, float) else str(shown).lower()
    others = f"; one of {', '.join(option.choices)}" if option.type == "choice" else ""
    return f"{option.type}, default {shown or 'none'}{others}"
