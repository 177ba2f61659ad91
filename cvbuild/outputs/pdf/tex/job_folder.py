"""The private folder of a job: its input files, TeX's environment, its results."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import DocumentError, foreign
from cvbuild.common.files import safe_files
from cvbuild.common.processes import tail
from cvbuild.outputs.pdf.fonts import face_cache
from cvbuild.outputs.pdf.tex import embedded
from cvbuild.outputs.pdf.tex.types import JOBNAME, Engine, Job, Result, Run

#: The file that a preloaded engine reads before it waits for cv.tex.
WAIT_FILE = "wait.tex"
#: Names that belong to the job itself; an asset may not take them.
RESERVED = frozenset((*(f"{JOBNAME}.{end}" for end in ("tex", "log", "pdf")), WAIT_FILE))
#: The code of the error for a document that did not finish in time.
OUT_OF_TIME = "tex-timeout"
#: Folder for HOME: TeX can't write to a name with a dot in front (openout_any=p).
HOME = ".home"
#: The beginning of the names of links for TeX, next to its folder.
_LINK = "link-"
_ASSET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
#: Characters with a meaning for kpathsea inside a path list, besides the separator of lists.
_SEARCH_SYNTAX = re.compile(r"[${},;:~]|//|^!!")
#: Variables that programs on Windows need to start.
_WINDOWS_KEEP = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "TEMP", "TMP", "WINDIR")


def prepare(job: Job) -> None:
    """Write cv.tex and the assets; raises CvbuildError, and ValueError for a bad name of one."""
    with usable_cache():
        job.cache.mkdir(parents=True, exist_ok=True)
        face_cache.put_space_font(job.cache)
    with foreign("workspace", f"can't write to a working folder in {job.folder.parent.parent}"):
        (job.folder / HOME).mkdir(exist_ok=True)
        write(job)
        for name, content in job.assets:
            if not _ASSET_NAME.fullmatch(name) or name in RESERVED:
                raise ValueError(f"not a name for an asset: {name!r}")
            (job.folder / name).write_bytes(content)


def write(job: Job, read: int = 0) -> None:
    """Write cv.tex, its first ``read`` lines blank: all keep their numbers; raises OSError."""
    lines = job.tex.split("\n")
    main = job.folder / f"{JOBNAME}.tex"
    text = "\n".join(["%"] * read + lines[read:])
    main.write_text(text, encoding="utf-8", newline="\n")


@contextlib.contextmanager
def without_lines(job: Job, lines: int) -> Iterator[None]:
    """Blank the first ``lines`` of cv.tex, which TeX has read already; restore them afterwards."""
    with foreign("workspace", f"can't write the document into {job.folder}"):
        write(job, lines)
    try:
        yield
    finally:
        with foreign("workspace", f"can't write the document into {job.folder}"):
            write(job)


def clear(job: Job) -> None:
    """Remove what TeX wrote, but for the log; raises OSError."""
    kept = RESERVED | {name for name, _ in job.assets}
    for path in job.folder.iterdir():
        if path.name not in kept and not path.is_dir():
            path.unlink(missing_ok=True)


def usable_cache() -> AbstractContextManager[None]:
    """Turn an OSError about the folder of TeX's font databases into a CvbuildError."""
    hint = "make the folder writable, or name another in CVBUILD_CACHE"
    return foreign("tex-cache", "TeX's cache can't be used", hint)


def environment(job: Job, engine: Engine) -> dict[str, str]:
    """Return the whole environment of TeX and latexmk; nothing of the caller's is passed on."""
    inputs = [searchable(path, job.folder) for path in job.inputs]
    faces = searchable(face_cache.folder(job.cache), job.folder) + os.pathsep
    return base_environment(engine.binary, engine.latexmk) | {
        # Fonts made from OpenType fonts.
        "TFMFONTS": faces,
        "T1FONTS": faces,
        "HOME": str(job.folder / HOME),
        # The empty last element stands for TeX's own default path.
        "TEXINPUTS": os.pathsep.join([".", *inputs, ""]),
        "TEXMFVAR": f"./{HOME}",
        "TEXMFCONFIG": f"./{HOME}",
        # By default below HOME, whose path TeX may be unable to search.
        "TEXMFHOME": f"./{HOME}",
        "TEXMFOUTPUT": ".",
        "openin_any": "p",
        "openout_any": "p",
        "shell_escape": "f",
        "SOURCE_DATE_EPOCH": str(job.epoch),
        "FORCE_SOURCE_DATE": "1",
        # TeX must not wrap lines of the log: ``tex.log`` reads it line by line.
        "max_print_line": "1000",
        "error_line": "254",
        "half_error_line": "238",
    }


def base_environment(*programs: Path | None) -> dict[str, str]:
    """Return PATH (folders of ``programs``, then the system's), locale, no making of fonts."""
    perl = shutil.which("perl")
    folders = [str(path.parent) for path in (*programs, Path(perl) if perl else None) if path]
    found = {
        "PATH": os.pathsep.join(dict.fromkeys([*folders, *os.defpath.split(os.pathsep)])),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        # Bitmap fonts are no substitute for missing fonts, and making them starts shells.
        **dict.fromkeys(("MKTEXPK", "MKTEXTFM", "MKTEXMF", "MKTEXTEX"), "0"),
    }
    for program in programs:
        found |= embedded.environment(program)
    if sys.platform == "win32":
        found |= {key: os.environ[key] for key in _WINDOWS_KEEP if key in os.environ}
    return found


def result(job: Job, run: Run) -> Result:
    """Return what is in the folder after TeX has run."""
    from cvbuild.outputs.pdf.tex import log as texlog

    log = run.output
    place = job.folder / f"{JOBNAME}.log"
    with contextlib.suppress(OSError), safe_files.regular(place, links=False) as file:
        log = tail(file) or run.output
    pdf = job.folder / f"{JOBNAME}.pdf"
    pages = texlog.pages(log) if run.code == 0 else None
    # TeX's own code can make links.
    done = bool(pages) and pdf.is_file() and not pdf.is_symlink()
    return Result(pdf if done else None, log, pages, run.passes, run.seconds, run.notes)


def out_of_time(job: Job) -> DocumentError:
    """Return the error for a document that did not finish within its time limit."""
    fact = f"TeX did not finish within {job.timeout:.3g} s and was stopped"
    hint = "does the template loop forever? if the machine is just slow, give it more time"
    problem = Diagnostic("error", OUT_OF_TIME, fact, hint=hint)
    return DocumentError([problem], job.folder / f"{JOBNAME}.log")


def searchable(path: Path, folder: Path) -> str:
    """Return ``path`` in a form for TeX's path lists: absolute, or through a link.

    The link is not in the job's folder but next to it: TeX writes to every name below its folder,
    but not to names with ``..`` (openout_any=p).
    """
    absolute = path.resolve()
    plain = str(absolute)
    tested = plain.removeprefix(absolute.drive) if sys.platform == "win32" else plain
    if not _SEARCH_SYNTAX.search(tested):
        return plain
    name = f"{_LINK}{hashlib.sha256(os.fsencode(absolute)).hexdigest()[:16]}"
    with foreign("workspace", f"TeX can't search {plain}, and no link to it can be made"):
        place = folder.parent / name
        if not place.is_symlink():
            place.symlink_to(absolute, target_is_directory=True)
    return f"../{name}"


def links(job: Job) -> list[Path]:
    """Return the links that ``searchable`` has made for the job."""
    return [path for path in job.folder.parent.glob(f"{_LINK}*") if path.is_symlink()]
