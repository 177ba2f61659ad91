"""LuaLaTeX's font database: made once per cache, by one process, outside any time limit.

luaotfload lists all fonts of the machine when it finds no database: 5 to 15 s on the machines
measured, minutes where there are many fonts. Made inside a document's run, it would use up that
document's time limit and be made again by every worker that runs at the same time.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from pathlib import Path

from cvbuild.common import processes
from cvbuild.common.files import work_folders
from cvbuild.outputs.pdf.tex import font_cache, job_folder, walls
from cvbuild.outputs.pdf.tex.types import Engine, Job

#: Seconds for making the database.
LIMIT = 900.0
_TINY = "\\documentclass{article}\\begin{document}x\\end{document}\n"


def make_ready(job: Job, engine: Engine) -> None:
    """Make the folders for LuaTeX's fonts, and the database unless it exists.

    A failure is not reported here: the document's own run fails in the same way and says so.
    """
    if engine.name != "lualatex":
        return
    version = hashlib.sha256(f"{engine.binary}\0{engine.version}".encode()).hexdigest()[:12]
    ready = font_cache.folder(job.cache) / f"fonts-{version}.ready"
    with job_folder.usable_cache():
        font_cache.make(job)
        if ready.exists():
            return
        with work_folders.held(job.cache / "fonts.lock"), tempfile.TemporaryDirectory() as folder:
            work = Path(folder).resolve() / "run"
            work.mkdir()
            if not ready.exists() and _make(Job(_TINY, work, job.cache, 0), engine):
                ready.touch()


def _make(job: Job, engine: Engine) -> bool:
    job_folder.prepare(job)
    with contextlib.suppress(processes.TimeLimitError):
        options = ("--nosocket", "-no-shell-escape", "-interaction=batchmode", "-draftmode")
        return walls.run([engine.binary, *options, "cv.tex"], job, engine, LIMIT).code == 0
    return False
