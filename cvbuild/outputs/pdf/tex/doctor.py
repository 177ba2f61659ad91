"""Which TeX engines and tools this machine has: the data of ``cvbuild doctor``."""

from __future__ import annotations

import shutil
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from cvbuild.common import processes
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.outputs.pdf.tex.find import Probe, probe_embedded, probe_system
from cvbuild.outputs.pdf.tex.install_hints import how_to_get_tool
from cvbuild.outputs.pdf.tex.job_folder import base_environment
from cvbuild.outputs.pdf.tex.types import Engine, Needs

#: Other programs: (name, option that prints the version, what cvbuild needs it for).
_TOOLS = (
    ("latexmk", "-version", "--driver latexmk"),
    ("pdftotext", "-v", "cvbuild's own tests"),
    ("qpdf", "--version", "cvbuild's own tests"),
)


class Tool(Struct, frozen=True):
    """A tool; ``path`` is None where it is missing, and ``hint`` then says how to install it."""

    name: str
    purpose: str
    path: Path | None
    version: str | None
    hint: str | None


class EngineReport(Struct, frozen=True):
    """An engine that cvbuild knows: usable if ``engine`` is set, else ``problems`` say why not."""

    choice: str
    engine: Engine | None
    problems: tuple[Diagnostic, ...]

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``."""
        names = ("label", "binary", "version", "latexmk")
        found = {name: getattr(self.engine, name, None) for name in names}
        plain = {name: None if value is None else str(value) for name, value in found.items()}
        problems = [problem.as_json() for problem in self.problems]
        return {"choice": self.choice, **plain, "problems": problems}


class Survey(Struct, frozen=True):
    """All engines, in the order in which "auto" and users choose them, and the tools."""

    engines: tuple[EngineReport, ...]
    tools: tuple[Tool, ...]

    @property
    def usable(self) -> bool:
        """Whether `cvbuild build` finds an engine by itself."""
        return any(one.engine for one in self.engines)

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``: engines, tools."""
        tools = [{**asdict(tool), "path": tool.path and str(tool.path)} for tool in self.tools]
        return {"engines": [one.as_json() for one in self.engines], "tools": tools}


def survey(needs_system: Needs, needs_embedded: Needs) -> Survey:
    """Look at everything; ``needs`` are those of all styles, with fonts. Raises nothing."""
    probes: tuple[tuple[str, Probe], ...] = (
        ("embedded", probe_embedded(needs_embedded)),
        ("pdflatex", probe_system(needs_system)),
    )
    engines = tuple(EngineReport(name, probe.engine, probe.problems) for name, probe in probes)
    return Survey(engines, tuple(_tool(*tool) for tool in _TOOLS))


def _tool(name: str, option: str, purpose: str) -> Tool:
    found = shutil.which(name)
    if found is None:
        return Tool(name, purpose, None, None, how_to_get_tool(name))
    path = Path(found)
    try:
        finished = processes.run(
            [path, *(["-norc"] if name == "latexmk" else []), option],
            cwd=None,
            env=base_environment(path),
            timeout=20,
        )
    except (processes.StartError, processes.TimeLimitError) as error:
        return Tool(name, purpose, path, None, f"{error}: {how_to_get_tool(name)}")
    lines = [line.strip() for line in finished.output.splitlines() if line.strip()]
    return Tool(name, purpose, path, lines[0] if lines else None, None)
