"""The contestants: cvbuild's command line, and RenderCV's on the same content."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tools.bench.edits import Edits
from tools.bench.times import Contestant, NotMeasuredError
from tools.bench.workspace import Workspace, demand, run

ROOT = Path(__file__).resolve().parent.parent.parent
#: The measured CV as RenderCV's input, text for text.
RENDERCV_INPUT = Path(__file__).with_name("rendercv.yaml")
ONLY_PDF = ("--dont-generate-markdown", "--dont-generate-html", "--dont-generate-png", "--quiet")


def cold(workspace: Workspace, person: str, template: str, *others: Path) -> Contestant:
    """Measure cvbuild's build of a person without out/ and the other folders."""

    def once(number: int) -> float:
        del number
        for folder in (workspace.out, *others):
            shutil.rmtree(folder, ignore_errors=True)
        return workspace.cvbuild("build", person, "-t", template).seconds

    return once


def edited(workspace: Workspace, person: str, template: str, edits: Edits) -> Contestant:
    """Measure cvbuild after an edit; the new PDF must show it."""

    def once(number: int) -> float:
        del number
        text = edits.make()
        ran = workspace.cvbuild("build", person, "-t", template)
        demand(workspace.pdf(person, template), text)
        return ran.seconds

    return once


def rendercv_of(program: str | None, folder: Path, text: str) -> Contestant:
    """Measure RenderCV on the same content, one edit each time; only the PDF is made."""
    edits: list[Edits] = []

    def once(number: int) -> float:
        command = rendercv_command(program)
        if number == 0:
            edits.append(Edits(rendercv_input(folder), text))
        shown = edits[0].make()
        ran = run(command, folder, dict(os.environ))
        demand(folder / "cv.pdf", shown)
        return ran.seconds

    return once


def rendercv_input(folder: Path, text: str | None = None) -> Path:
    """Write RenderCV's input, or a text in its place, into ``folder``; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "cv.yaml"
    source.write_text(text or RENDERCV_INPUT.read_text(encoding="utf-8"), encoding="utf-8")
    return source


def rendercv_command(program: str | None) -> list[str]:
    """Return RenderCV's command line for cv.yaml; raises NotMeasuredError if there is none."""
    found = shutil.which(program or "rendercv")
    if found is None:
        raise NotMeasuredError(f"{program or 'rendercv'} is not installed")
    return [found, "render", "cv.yaml", *ONLY_PDF, "--pdf-path", "cv.pdf"]
