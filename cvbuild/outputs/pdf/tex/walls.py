"""How TeX is run, and what a template that isn't built in may reach.

pdfTeX obeys ``openin_any``, ``openout_any`` and ``-no-shell-escape`` (``job_folder``): it reads
what it finds in TeX's trees and the template's folders, writes to its job's folder, and runs
nothing. But it asks nobody when ``\\pdfobj`` puts a file into the PDF: so the kernel holds a
template that isn't built in, where it can.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from cvbuild.common import processes
from cvbuild.common.errors import TemplateError
from cvbuild.common.landlock import Walls
from cvbuild.outputs.pdf.fonts import face_cache
from cvbuild.outputs.pdf.tex import embedded, job_folder
from cvbuild.outputs.pdf.tex.types import Engine, Job, TexFormat
from cvbuild.outputs.styles.file_names import builtin_folder


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


def inside(job: Job, engine: Engine, form: TexFormat | None) -> tuple[dict[str, str], Walls | None]:
    """Return the environment of the job's TeX, and what it may reach if it runs foreign code.

    Raises TemplateError for a template in a folder that has private files in it. Links in its
    folder are refused before (``styles.package_files``).
    """
    env = job_folder.environment(job, engine)
    if form:
        # TeX finds it there, and doesn't try to make one itself.
        place = job_folder.searchable(form.path.parent, job.folder)
        env |= {"TEXFORMATS": place + os.pathsep, "MKTEXFMT": "0"}
    if is_built_in(job):
        return env, None
    inputs = [folder.resolve() for folder in job.inputs]
    _check_folders(inputs, job)
    faces = face_cache.folder(job.cache)
    readable = [*_programs(engine), *inputs, *job_folder.links(job), faces]
    if form:
        readable.append(form.path)
    return env, Walls(tuple(dict.fromkeys(readable)), (job.folder,))


def is_built_in(job: Job) -> bool:
    """Return whether all code that the job may load came with cvbuild, or with TeX."""
    home = builtin_folder().resolve()
    return all(folder.resolve().is_relative_to(home) for folder in job.inputs)


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
