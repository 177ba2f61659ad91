"""``cvbuild doctor``: list TeX engines, fonts and tools, and how to get what is missing."""

from __future__ import annotations

import argparse

from cvbuild.building.environment import workspace_library
from cvbuild.cli import console
from cvbuild.common import plugins, sandbox
from cvbuild.inputs.importers import registry as importers
from cvbuild.outputs import registry as outputs
from cvbuild.outputs.pdf.fonts import installed, typefaces
from cvbuild.outputs.pdf.output import needs
from cvbuild.outputs.pdf.tex import doctor


def run(given: argparse.Namespace) -> int:
    """Report on stdout; return 3 if no TeX can be used."""
    walls = sandbox.in_force()
    library = workspace_library(given.template_path)
    reports = {name: doctor.survey(*needs(library.find(name))) for name in library.names()}
    if given.json:
        console.print_json(
            {
                "sandbox": walls,
                "templates": {name: one.as_json() for name, one in reports.items()},
                "typefaces": [
                    {"typeface": name, "path": str(found.paths[0]) if found else None}
                    for name, found in typefaces.survey()
                ],
                "scripts": [
                    {"script": script, "path": str(path) if path else None, "package": package}
                    for script, (path, package) in installed.survey().items()
                ],
            }
        )
    else:
        for name, report in reports.items():
            console.answer(f"{name}:")
            for candidate in report.engines:
                label = candidate.engine.label if candidate.engine else f"{candidate.choice}: no"
                console.answer(f"  {'✓' if candidate.engine else '✗'} {label}")
                for problem in candidate.problems:
                    console.answer(f"      {problem}")
        for tool in next(iter(reports.values())).tools:
            state = tool.version or "missing"
            console.answer(f"{'✓' if tool.path else '✗'} {tool.name}: {state}, for {tool.purpose}")
            if tool.hint:
                console.answer(f"      {tool.hint}")
        _show_fonts()
        is_walled = walls != sandbox.NONE
        console.answer(f"{'✓' if is_walled else '✗'} sandbox around TeX: {walls}")
        if not is_walled:
            console.answer(f"      {sandbox.how_to_get()}")
    groups = ((outputs, outputs.BUILT_IN), (importers, importers.BUILT_IN))
    for registry, built_in in groups:
        console.show(plugins.faults(registry.GROUP, built_in))
    return 0 if all(report.usable for report in reports.values()) else 3


def _show_fonts() -> None:
    for name, found in typefaces.survey():
        console.answer(f"{'✓' if found else '✗'} {name}")
        if not found:
            console.answer(f"      {typefaces.HOW_TO_GET}")
    for script, (path, package) in installed.survey().items():
        console.answer(f"{'✓' if path else '✗'} {script}: {path.name if path else 'no font'}")
        if not path:
            console.answer(f"      `apt-get install {package}`")
