"""The programs that cvbuild is compared with: the engine itself, and RenderCV."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cvbuild.building import plan
from cvbuild.building.check import profiles
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs import people
from cvbuild.outputs.pdf.output import as_pdf
from cvbuild.outputs.pdf.tex import job_folder
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, Task
from tools.bench.edits import Edits
from tools.bench.times import Contestant, NotMeasuredError
from tools.bench.workspace import Workspace, demand, run

ROOT = Path(__file__).resolve().parent.parent.parent
#: The measured CV as RenderCV's input, text for text.
RENDERCV_INPUT = Path(__file__).with_name("rendercv.yaml")
ONLY_PDF = ("--dont-generate-markdown", "--dont-generate-html", "--dont-generate-png", "--quiet")


@dataclass
class Raw:
    """TeX by hand on one document: one pass that reads the whole head.

    It gets the .tex, the fonts and the environment that cvbuild gives TeX, and leaves what TeX
    makes of it: no structure, no metadata, nothing checked.
    """

    person: Path
    template: str
    folder: Path
    cache: Path
    engine: str = "auto"
    _command: list[str | Path] = field(default_factory=list)
    environment: Mapping[str, str] = field(default_factory=dict)

    def once(self, number: int) -> float:
        """Measure a pass."""
        del number
        return run(self.command(), self.folder, self.environment).seconds

    def command(self) -> list[str | Path]:
        """Return the command line of a pass; the first call makes the folder for it.

        Raises NotMeasuredError if the document can't be prepared.
        """
        if not self._command:
            try:
                self._prepare()
            except CvbuildError as error:
                raise NotMeasuredError(f"there is no .tex of it: {error}") from error
        return self._command

    def _prepare(self) -> None:
        library = Library.at()
        checked = profiles.check(people.Person(self.person.stem, self.person), library)
        if checked.profile is None or checked.source is None:
            raise CvbuildError(checked.diagnostics)
        task = Task(checked.person, checked.profile, checked.source, self.template)
        settings = Settings(
            self.folder / "out", library, 0, engine=self.engine, driver="direct", cache=self.cache
        )
        prepared = as_pdf(plan.prepare(task, settings).prepared)
        self.folder.mkdir(parents=True, exist_ok=True)
        job = prepared.setter.job(prepared.rendered, self.folder.resolve())
        job_folder.prepare(job)
        engine = prepared.setter.engine
        self.environment = job_folder.environment(job, engine)
        self._command = [
            engine.binary, "-interaction=batchmode", "-halt-on-error", "-no-shell-escape", "cv.tex",
        ]  # fmt: skip


def cold(workspace: Workspace, person: str, template: str, *options: str) -> Contestant:
    """Measure cvbuild's first build of a person: out/ is empty."""

    def once(number: int) -> float:
        del number
        shutil.rmtree(workspace.out, ignore_errors=True)
        return workspace.cvbuild("build", person, "-t", template, *options).seconds

    return once


def coldest(workspace: Workspace, person: str, template: str) -> Contestant:
    """Measure the first build after installing: no format, no font and no answer is cached."""
    build = cold(workspace, person, template)

    def once(number: int) -> float:
        shutil.rmtree(workspace.cache, ignore_errors=True)
        return build(number)

    return once


def edited(
    workspace: Workspace, person: str, template: str, edits: Edits, options: Iterable[str] = ()
) -> Contestant:
    """Measure cvbuild after an edit; the new PDF must show it."""

    def once(number: int) -> float:
        del number
        text = edits.make()
        ran = workspace.cvbuild("build", person, "-t", template, *options)
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


def rendercv_command(program: str | None) -> list[str | Path]:
    """Return RenderCV's command line for cv.yaml; raises NotMeasuredError if there is none."""
    found = shutil.which(program or "rendercv")
    if found is None:
        raise NotMeasuredError(f"{program or 'rendercv'} is not installed")
    return [found, "render", "cv.yaml", *ONLY_PDF, "--pdf-path", "cv.pdf"]
