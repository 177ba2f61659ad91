"""What a TeX run may reach inside the sandbox, and how it is run there.

It reads TeX's own files, fonts and the template's folders, and writes only to its job's folder and,
for LuaTeX, to a folder for parsed fonts (``font_cache``).
"""

from __future__ import annotations

import contextlib
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from cvbuild.common import processes, sandbox
from cvbuild.common.errors import CvbuildError, NoTexError, TemplateError
from cvbuild.common.sandbox import Walls
from cvbuild.outputs.pdf.fonts import face_cache, installed
from cvbuild.outputs.pdf.tex import embedded, font_cache, job_folder
from cvbuild.outputs.pdf.tex.memory import TexFormat
from cvbuild.outputs.pdf.tex.types import Engine, Job
from cvbuild.outputs.styles.file_names import builtin_folder

#: Where luaotfload reads which folders have fonts.
_FONT_SETTINGS = ("/etc/fonts", "/var/cache/fontconfig")
_ELSE = "or use a built-in template, or pdfLaTeX"


def run(
    command: Sequence[str | Path],
    job: Job,
    engine: Engine,
    timeout: float,
    form: TexFormat | None = None,
) -> processes.Finished:
    """Run TeX inside its walls, to its end; raises as ``processes.run`` and ``inside``."""
    env, walls = inside(job, engine, form)
    done = processes.run(command, cwd=job.folder, env=env, timeout=max(timeout, 0.0), walls=walls)
    drop_links(job)
    return done


def inside(job: Job, engine: Engine, form: TexFormat | None) -> tuple[dict[str, str], Walls]:
    """Return the environment of the job's TeX, and what it may reach.

    Raises NoTexError where LuaTeX would run code of a template that isn't built in without a
    sandbox, and TemplateError for a template in a folder that has private files in it.
    """
    inputs = [folder.resolve() for folder in job.inputs]
    if not font_cache.is_built_in(job):
        _check_folders(inputs, job)
        if engine.name == "lualatex" and sandbox.in_force() == sandbox.NONE:
            raise _refusal(inputs)
    env = job_folder.environment(job, engine) | (form.environment(job) if form else {})
    faces = face_cache.folder(job.cache)
    readable = [*_programs(engine), *inputs, *job_folder.links(job), faces]
    writable = [job.folder]
    if form:
        readable.append(form.path)
    if engine.name == "lualatex":
        fonts = (*installed.folders(), *map(Path, _FONT_SETTINGS))
        readable += [*fonts, font_cache.shared(job.cache)]
        writable.append(font_cache.own(job))
    return env, Walls(tuple(dict.fromkeys(readable)), tuple(writable))


def drop_links(job: Job) -> None:
    """Remove what TeX left that is neither a file nor a folder: cvbuild would follow it."""
    with contextlib.suppress(OSError):
        for path in job.folder.iterdir():
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                path.unlink()


def _programs(engine: Engine) -> Iterator[Path]:
    """Yield the folders of TeX's programs, trees and configuration, and of Perl for latexmk."""
    perl = shutil.which("perl") if engine.latexmk else None
    for program in (engine.binary, engine.latexmk, Path(perl) if perl else None):
        if program:
            for path in (program, program.resolve()):
                above = path.parents[1]
                yield from (path.parent, above / "lib", above / "share")
    for path in engine.tree:
        # A list of files stands in the root of its tree.
        is_list = path.name == "ls-R" and not _holds(path.parent, _home())
        yield path.parent if is_list else path
    root = embedded.root() if engine.origin == "embedded" else None
    if root:
        yield root


def _check_folders(inputs: Iterable[Path], job: Job) -> None:
    for folder in inputs:
        if any(_holds(folder, path) for path in (job.folder, job.cache, _home())):
            message = (
                f"{folder}: a template can't be in a folder that has other files of yours in it"
            )
            hint = "move it to a folder of its own, such as templates/NAME"
            raise TemplateError.because("template-place", message, hint)


def _home() -> Path:
    """Return the user's home folder; one that can't be if there is none."""
    try:
        return Path.home()
    except RuntimeError:
        return Path()


def _holds(folder: Path, path: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _refusal(inputs: Iterable[Path]) -> CvbuildError:
    home = builtin_folder().resolve()
    place = next(folder for folder in inputs if not folder.is_relative_to(home))
    message = (
        f"{place}: LuaLaTeX would run this template's code without a sandbox, and there is none"
    )
    return NoTexError.because("no-sandbox", message, f"{sandbox.how_to_get()}; {_ELSE}")
