"""``cvbuild doctor``: list TeX engines and fonts, and how to get what is missing."""

from __future__ import annotations

import argparse
import contextlib
import json
import platform
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cvbuild.building.requested import workspace_library
from cvbuild.cli import console
from cvbuild.common import VERSION, limits
from cvbuild.outputs import typefaces
from cvbuild.outputs.pdf.fonts import fallbacks
from cvbuild.outputs.pdf.output import needs
from cvbuild.outputs.pdf.tex import find
from cvbuild.outputs.pdf.tex.find import Survey


def run(given: argparse.Namespace) -> int:
    """Report on stdout; return 3 if no TeX can be used."""
    library = workspace_library(given.template_path)
    reports = {name: find.survey(needs(library.find(name))) for name in library.names()}
    if given.json:
        _print_json(
            {
                "cvbuild": VERSION,
                "python": platform.python_version(),
                "system": f"{platform.system()} {platform.release()} {platform.machine()}",
                "sandbox": limits.sandbox(),
                "templates": reports,
                "typefaces": [
                    {
                        "typeface": name,
                        "path": str(family.paths[0]) if family else None,
                        "lacks": typefaces.TYPEFACES[name].lacks,
                    }
                    for name, family in typefaces.survey()
                ],
                "scripts": [
                    {"script": script, "path": str(path) if path else None, "package": package}
                    for script, (path, package) in fallbacks.survey().items()
                ],
            }
        )
    else:
        _show_engines(reports)
        _show_fonts()
        _show_sandbox()
    return 0 if all(report.usable for report in reports.values()) else 3


def _print_json(facts: Mapping[str, object]) -> None:
    """Print facts that anybody may see: the user's home folder is ``~``, this one ``.``."""
    plain = json.loads(console.json_text(facts))
    with contextlib.suppress(RuntimeError):  # no home
        plain = _shorter(plain, str(Path.home()), "~")
    console.print_json(_shorter(plain, str(Path.cwd()), "."))


def _shorter(value: Any, folder: str, name: str) -> Any:
    """Return what JSON holds with another name for a folder in every text."""
    if isinstance(value, dict):
        return {key: _shorter(inner, folder, name) for key, inner in value.items()}
    if isinstance(value, list):
        return [_shorter(inner, folder, name) for inner in value]
    if isinstance(value, str) and len(Path(folder).parts) > 1:
        return re.sub(rf"{re.escape(folder)}(?![^/\\\s])", lambda _: name, value)
    return value


def _show_engines(reports: Mapping[str, Survey]) -> None:
    """Show the engines; templates for which they are the same are shown together."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, report in reports.items():
        groups.setdefault(tuple(_engines(report)), []).append(name)
    for lines, names in groups.items():
        which = "all templates" if len(groups) == 1 else ", ".join(names)
        console.answer(f"TeX for {which}:")
        for line in lines:
            console.answer(f"  {line}")


def _engines(report: Survey) -> Iterator[str]:
    """Yield lines on each engine, then what to do, once."""
    hints: dict[str, None] = {}
    for choice, engine in report.engines.items():
        if engine.engine:
            yield f"✓ {engine.engine.label}"
        else:
            texts = [str(replace(problem, hint=None)) for problem in engine.problems]
            label = choice if choice == "embedded" else f"{choice} (system)"
            yield f"✗ {label}: {'; '.join(texts).removeprefix(f'{choice} is ')}"
        hints |= dict.fromkeys(problem.hint for problem in engine.problems if problem.hint)
    need = "  one of them is enough; for another: " if report.usable else "  "
    yield from (f"{need}{hint}" for hint in hints)


def _show_fonts() -> None:
    faces = {name: bool(family) for name, family in typefaces.survey()}
    for how in dict.fromkeys(map(typefaces.how_to_get, faces)):
        alike = {name: there for name, there in faces.items() if typefaces.how_to_get(name) == how}
        _show_found("typefaces", alike, how)
    for what in (typefaces.CAPS, typefaces.FIGURES, typefaces.SEMIBOLD):
        without = [name for name, face in typefaces.TYPEFACES.items() if what in face.lacks]
        console.answer(f"  without {what}: {'; '.join(without)}")
    scripts = fallbacks.survey()
    how = fallbacks.how_to_get(package for path, package in scripts.values() if not path)
    _show_found("scripts", {name: bool(path) for name, (path, _) in scripts.items()}, how)


def _show_found(what: str, faces: Mapping[str, bool], how: str) -> None:
    """Show in a line what is there, and in another what isn't and how to get it."""
    there = [name for name, is_there in faces.items() if is_there]
    absent = [name for name, is_there in faces.items() if not is_there]
    if there:
        console.answer(f"✓ {what}: {'; '.join(there)}")
    if absent:
        console.answer(f"✗ {what}: no font for {'; '.join(absent)}: {how}")


def _show_sandbox() -> None:
    is_there = limits.landlock_version() > 0
    how = "Landlock" if is_there else "TeX's own rules: build only those you trust"
    console.answer(f"{'✓' if is_there else '✗'} around templates that aren't built in: {how}")
