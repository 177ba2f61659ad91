"""The programs that cvbuild is compared with: the engine itself, latexmk, RenderCV."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml

from tools.bench import rendercv
from tools.bench.edits import Edits
from tools.bench.times import Contestant, NotMeasuredError
from tools.bench.workspace import Workspace, demand, run

ROOT = Path(__file__).resolve().parent.parent.parent
STABLE = Path(__file__).with_name("stable.sh")


@dataclass(frozen=True)
class Peers:
    """TeX by hand on the .tex that cvbuild stores of one document.

    ``tex`` is that file; ``folder`` is made for the runs, which share ``cache`` with cvbuild so
    that both have the same font databases.
    """

    tex: Path
    folder: Path
    cache: Path
    template: str
    engine: str = "pdflatex"

    def environment(self) -> dict[str, str]:
        """Return the caller's environment, with the template's folders for TeX to search."""
        return tex_environment(self.template, self.cache)

    def raw(self, number: int) -> float:
        """Measure one pass with the full preamble; auxiliary files of earlier ones are there."""
        place = self.folder / f"raw-{self.engine}"
        if number == 0:
            self._fresh(place)
            run(["sh", STABLE, self.engine, place], place, self.environment())
        self._copy(place)
        argv = [self.engine, "-interaction=batchmode", "-halt-on-error", "cv.tex"]
        return run(argv, place, self.environment()).seconds

    def stable(self, number: int) -> float:
        """Measure from nothing until no auxiliary file changes."""
        del number
        return self.passes()[0]

    def passes(self) -> tuple[float, int]:
        """Do the same, and return how many passes it took."""
        place = self._fresh(self.folder / f"stable-{self.engine}")
        ran = run(["sh", STABLE, self.engine, place], place, self.environment())
        return ran.seconds, int(ran.out)

    def latexmk(self, number: int) -> float:
        """Measure latexmk from nothing."""
        del number
        return self._latexmk(self._fresh(self.folder / f"latexmk-{self.engine}"))

    def latexmk_again(self, number: int) -> float:
        """Measure latexmk after an edit of the .tex: its files of the last time are there."""
        place = self.folder / f"latexmk-again-{self.engine}"
        if number == 0:
            self._fresh(place)
        self._copy(place)
        return self._latexmk(place)

    def _latexmk(self, place: Path) -> float:
        mode = "-pdf" if self.engine == "pdflatex" else "-pdflua"
        argv = ["latexmk", "-norc", mode, "-silent", "-halt-on-error", "cv.tex"]
        return run(argv, place, self.environment()).seconds

    def _copy(self, place: Path) -> None:
        try:
            shutil.copyfile(self.tex, place / "cv.tex")
        except OSError as error:
            raise NotMeasuredError(f"there is no .tex of it: {error.strerror}") from error

    def _fresh(self, place: Path) -> Path:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        self._copy(place)
        return place


def tex_environment(template: str, cache: Path) -> dict[str, str]:
    """Return the environment for TeX by hand on a document of a built-in template."""
    folders = (ROOT / "templates" / name for name in (template, "_core"))
    return {
        **os.environ,
        "TEXINPUTS": os.pathsep.join([".", *map(str, folders), ""]),
        "TEXMFVAR": str(cache),
        "TEXMFCACHE": os.pathsep.join([str(cache), "$TEXMFSYSVAR"]),
    }


def cold(workspace: Workspace, person: str, template: str) -> Contestant:
    """Measure cvbuild's first build of a person: out/ is empty."""

    def once(number: int) -> float:
        del number
        shutil.rmtree(workspace.out, ignore_errors=True)
        return workspace.cvbuild("build", person, "-t", template).seconds

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


def rendercv_of(program: str | None, person: Path, folder: Path, text: str) -> Contestant:
    """Measure RenderCV on the same content, one edit each time; only the PDF is made."""
    found = shutil.which(program or "rendercv")
    edits: list[Edits] = []

    def once(number: int) -> float:
        if found is None:
            raise NotMeasuredError(f"{program or 'rendercv'} is not installed")
        source, pdf = folder / "cv.yaml", folder / "cv.pdf"
        if number == 0:
            folder.mkdir(parents=True, exist_ok=True)
            data = rendercv.translated(person.read_text(encoding="utf-8"))
            dumped = yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=10_000)
            source.write_text(dumped, encoding="utf-8")
            edits.append(Edits(source, text))
        shown = edits[0].make()
        argv = [found, "render", "cv.yaml", *rendercv.ONLY_PDF, "--pdf-path", "cv.pdf"]
        ran = run(argv, folder, dict(os.environ))
        demand(pdf, shown)
        return ran.seconds

    return once
