"""Formats: TeX's state after a document's head, dumped once and loaded by every later run.

TeX takes longer to read the head (Job.head lines: class and style package) than to typeset most
documents. pdfTeX can dump its state after the head. A format's name is a hash of all
that it is made from, so a change to the head, a package or TeX gives another name. A document built
from a format and the same built from its whole head differ in the numbers of their PDF objects, so
every run goes through ``Tex``, and the first that needs a format makes it.
"""

from __future__ import annotations

import contextlib
import gzip
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from cvbuild.common import file_state, processes
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import CvbuildError
from cvbuild.common.user_cache import Store, name_of
from cvbuild.outputs.pdf.tex import job_folder
from cvbuild.outputs.pdf.tex.job_folder import JOBNAME, Engine, Job, TexFormat

#: Files of a template's folders that TeX doesn't read for a format: fonts, pictures, files of other
#: programs. Any other file may be one that a package looks for.
_FOREIGN = frozenset((
    ".j2", ".yaml", ".png", ".jpg", ".pdf", ".bak", ".orig", ".swp", ".tmp",
    ".ttf", ".otf", ".ttc", ".otc", ".pfb",
))  # fmt: skip
#: A format, and notes why there is none or why it isn't kept.
Answer = tuple[TexFormat | None, tuple[Diagnostic, ...]]
#: By key, why this process has no format; the next process tries again.
_given_up: dict[str, str] = {}


def find_or_make(job: Job, engine: Engine) -> Answer:
    """Return the format of the job's head.

    It is in the cache, or in a folder of this process if the cache can't be used.
    """
    if job.head == 0 or "MiKTeX" in engine.version:
        return None, ()
    name = key(job, engine)
    if name not in _given_up:
        try:
            return _form(Store.usable(job.cache, "formats"), name, job, engine), ()
        except (OSError, DumpError, processes.StartError, processes.TimeLimitError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            if processes.stopping.is_set():
                return None, (_without(reason),)
            _given_up[name] = reason
    return None, (_without(_given_up[name]),)


def give_up(form: TexFormat) -> Answer:
    """Return that there is none, as TeX can't load it; the next process makes it again."""
    with contextlib.suppress(OSError):
        Store(form.path.parent).drop(form.path.stem)
    _given_up[form.path.stem] = "TeX can't load it"
    return None, (_without(_given_up[form.path.stem]),)


def _form(store: Store, name: str, job: Job, engine: Engine) -> TexFormat:
    """Return the store's format, made if there is none; raises OSError and DumpError."""
    # TeX loads a format without checking it.
    store.require()
    if form := _stored(store, name):
        return form
    with store.lock(name):
        if form := _stored(store, name):
            return form
        with dumped(store.folder, f"new-{name[0]}-", job, engine) as (path, files):
            if key(job, engine) == name:
                return put(store, name, path, files)
    raise DumpError.because("no-format", "the template's packages changed while TeX read them")


def _stored(store: Store, name: str) -> TexFormat | None:
    """Return a format that is whole and up to date."""
    content = store.get(name)
    return None if content is None else TexFormat(store.folder / f"{name}.fmt", content)


def put(store: Store, name: str, form: Path, files: Iterable[Path]) -> TexFormat:
    """Store a format, which is moved here; ``files`` is what it was made from. Raises OSError."""
    path, content = store.folder / f"{name}.fmt", file_state.file_hash(form)
    store.put(name, content, own={path.name: form}, files=files)
    return TexFormat(path, content)


def key(job: Job, engine: Engine) -> str:
    """Return a hash of all that the head is made from: its lines, the template's packages, TeX.

    It depends on the content of the template's files, wherever they are.
    """
    code = [
        (str(path.relative_to(folder)), path.is_file() and file_state.file_hash(path))
        for folder in job.inputs
        for path in sorted(folder.rglob("*"))
        # A package may look for it; not for an editor's backup.
        if path.suffix[1:].isalnum() and path.suffix not in _FOREIGN and path.name[0] not in ".#"
    ]
    tex = engine.name, str(engine.binary), engine.version, file_state.stamps_hash(engine.tree)
    return name_of(job.tex.split("\n")[: job.head], tex, code)


def _without(reason: str) -> Diagnostic:
    message = (
        f"no format can be made of the template's packages ({reason}): TeX reads them again for "
        "every document, and the bytes of a PDF may differ from those of other builds"
    )
    hint = "cvbuild docs template-files says what a package may do while it is loaded"
    return Diagnostic("note", "no-format", message, hint=hint)


# -- making one ------------------------------------------------------------------------------------


#: What TeX reads before and after the head, which says why.
_BEFORE, _AFTER = (Path(__file__).with_name(f"{place}-head.tex") for place in ("before", "after"))


class DumpError(CvbuildError):
    """No format was made; the next process tries again."""


@contextlib.contextmanager
def dumped(folder: Path, name: str, job: Job, engine: Engine) -> Iterator[tuple[Path, list[Path]]]:
    """Yield a format of the job's head, and the files TeX read for it.

    It is made in a folder below ``folder`` that is removed afterwards, like all others there whose
    name begins with ``name``, so the caller must hold a lock. Raises OSError, StartError,
    TimeLimitError, and DumpError if the next attempt may succeed.
    """
    for old in folder.glob(f"{name}*"):
        # Its maker was killed, or else would still hold the lock.
        shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=name, dir=folder, ignore_cleanup_errors=True) as parent:
        work = Path(parent).resolve() / "run"
        work.mkdir()
        head = "\n".join([*job.tex.split("\n")[: job.head], ""])
        parts = (_BEFORE.read_text(encoding="utf-8"), head, _AFTER.read_text(encoding="utf-8"))
        inner = Job("".join(parts), work, job.cache, 0, job.inputs, timeout=job.timeout)
        job_folder.prepare(inner)
        command: list[str | Path] = [
            engine.binary, "-ini", "-recorder", "-no-shell-escape", "-interaction=nonstopmode",
            "-halt-on-error", "-file-line-error", f"-jobname={JOBNAME}", "-progname=pdflatex",
            "&pdflatex", f"{JOBNAME}.tex",
        ]  # fmt: skip
        finished = job_folder.run(command, inner, engine, inner.timeout)
        form = _outcome(work, finished)
        text = (work / f"{JOBNAME}.fls").read_bytes().decode(errors="surrogateescape")
        rows = (row.removeprefix("INPUT ") for row in text.splitlines() if row[:6] == "INPUT ")
        read = dict.fromkeys((work / row).resolve() for row in rows)
        yield form, [path for path in read if not path.is_relative_to(work)]


def _outcome(work: Path, finished: processes.Finished) -> Path:
    """Return the format; raises DumpError with what prevents one."""
    if finished.code != 0:
        from cvbuild.outputs.pdf.tex import log as texlog

        fatal = (item.message for item in texlog.parse(finished.output) if item.fatal)
        why = next(fatal, f"TeX ended with code {finished.code}")
        raise DumpError.because("no-format", why)
    known = {f"{JOBNAME}.{end}" for end in ("fmt", "fls", "log", "tex")} | {job_folder.HOME}
    for path in sorted(work.iterdir()):
        if path.name not in known and not path.is_symlink():
            raise DumpError.because("no-format", f"they write the file {path.name}")
    form = work / f"{JOBNAME}.fmt"
    if not form.is_file():
        raise DumpError.because("no-format", "they end TeX")
    # Without gzip compression: TeX loads that in half the time.
    whole = form.with_suffix(".unpacked")
    try:
        with gzip.open(form) as packed, whole.open("wb") as file:
            shutil.copyfileobj(packed, file)
    except gzip.BadGzipFile:
        return form
    return whole
