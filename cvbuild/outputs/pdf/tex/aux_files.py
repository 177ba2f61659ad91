"""The auxiliary files of a document's last good build: with them, one pass of TeX is enough.

They are only what TeX starts from. It runs until they no longer change, so files of another text or
style cost one more pass and nothing else; damaged files are not used at all. A file next to them
says how that build's TeX was started, for an engine that is preloaded for the next text.

They are kept in the project, and TeX executes what they contain, so they are used only with a code
(HMAC) that takes the user's key to make.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from cvbuild.common import sealed, user_cache
from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import safe_files, safe_folders
from cvbuild.outputs.pdf.tex.types import Engine, Job

#: The folder, next to a document's record.
FOLDER = "warm"
#: The file that says how TeX was started.
START = "start.json"
#: The size of each in bytes; an auxiliary file of a long CV has 200 kB.
_MOST = 64 << 20

Files = tuple[tuple[str, bytes], ...]


def save(place: Path, files: Files, cache: Path) -> str:
    """Save ``files`` (name, content) in ``place``/warm; return the code that ``load`` needs.

    ``cache`` is the folder with the user's key. The code is empty if the files can't be saved: the
    next build then starts without them.
    """
    new = f"{FOLDER}.new"
    # No lock is needed: two builds that interfere leave files that match no code.
    try:
        with safe_folders.stored(place, make=True) as kept:
            for old in (new, FOLDER):
                kept.remove(old)
            with kept.inner(new, make=True) as folder:
                for name, content in files:
                    folder.create(name, content)
            kept.rename(new, FOLDER)
    except OSError:
        return ""
    return _code_of(files, cache) if files else ""


def load(place: Path, code: str, cache: Path) -> Files:
    """Return the files in ``place``/warm if they match ``code``, else none."""
    try:
        with safe_folders.stored(place / FOLDER) as folder:
            files = tuple((name, folder.read(name, _MOST)) for name in sorted(folder.names()))
    except (OSError, CvbuildError):
        return ()
    return files if _code_of(files, cache) == code else ()


def _code_of(files: Iterable[tuple[str, bytes]], cache: Path) -> str:
    """Return the code of these names and contents."""
    whole = b"".join(
        f"{name}\0{len(content)}\0".encode("utf-8", "surrogateescape") + content
        for name, content in sorted(files)
    )
    return sealed.code(whole, user_cache.key(cache))


def save_start(place: Path, job: Job, engine: Engine, *, daily: bool) -> None:
    """Save how TeX was started for ``job``, without its text; ``daily``: its date is the day's.

    If it can't be written, the next build does without it.
    """
    setup = "\n".join(job.tex.split("\n")[: job.setup])
    data = {
        "engine": _plain(asdict(engine)),
        "tex": setup,
        "head": job.head,
        "setup": job.setup,
        "inputs": [str(path) for path in job.inputs],
        "timeout": job.timeout,
        "epoch": None if daily else job.epoch,
        "aux": _code_of(job.aux, job.cache) if job.aux else "",
    }
    with contextlib.suppress(OSError):
        text = sealed.seal(json.dumps(data), user_cache.key(job.cache))
        with safe_folders.stored(place, make=True) as kept:
            kept.write(START, text.encode("utf-8"))


def load_start(place: Path, folder: Path, today: int, cache: Path) -> tuple[Job, Engine] | None:
    """Return how to start TeX in ``folder`` for the next build; None if that isn't known.

    ``cache`` is where its formats and fonts are, and the user's key. ``today`` is the date of a
    document that has none of its own, in seconds since 1970. A file must not decide which program
    runs: the caller compares the engine with one that it found itself.
    """
    try:
        text = safe_files.read(place / START, _MOST, links=False).decode("utf-8")
        data = json.loads(sealed.unseal(text, user_cache.key(cache)))
        plain = data["engine"]
        paths = {key: Path(plain[key]) for key in ("binary", "latexmk") if plain[key]}
        engine = Engine(**{**plain, **paths, "tree": tuple(map(Path, plain["tree"]))})
        job = Job(
            data["tex"],
            folder,
            cache,
            today if data["epoch"] is None else int(data["epoch"]),
            inputs=tuple(map(Path, data["inputs"])),
            timeout=float(data["timeout"]),
            head=int(data["head"]),
            setup=int(data["setup"]),
        )
        return replace(job, aux=load(place, data["aux"], cache)), engine
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _plain(engine: dict[str, Any]) -> dict[str, Any]:
    """Return an engine's fields with paths as JSON has them."""
    paths = {key: str(engine[key]) if engine[key] else None for key in ("binary", "latexmk")}
    return {**engine, **paths, "tree": [str(path) for path in engine["tree"]]}
