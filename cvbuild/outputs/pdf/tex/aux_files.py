"""What a document's last good build left for the next: with it, one pass of TeX is enough.

Auxiliary files are only where TeX starts from. It runs until they no longer change, so that those
of another text or style cost a further pass and no more; what is damaged is not used at all. Beside
them stands how that build's TeX was started, for an engine that is to wait for the next text.

They lie in the project, and TeX runs what they say: all of it counts only with a code that takes
the user's key.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from cvbuild.common import safe_files, user_cache
from cvbuild.common import sealed as seals
from cvbuild.outputs.pdf.tex.types import Engine, Job

#: The folder beside a document's record.
FOLDER = "warm"
#: The file that says how TeX was started.
START = "start.json"

Files = tuple[tuple[str, bytes], ...]


def keep(place: Path, files: Files, cache: Path) -> str:
    """Keep ``files`` (name, content) in ``place``/warm; the code by which ``kept`` knows them.

    ``cache`` is the folder with the user's key.

    Empty if they can't be kept: the next build then begins from nothing.
    """
    folder, beside = place / FOLDER, place / f"{FOLDER}.new"
    # Why no lock: two builds that get in each other's way leave files that no code fits.
    try:
        for old in (beside, folder):
            shutil.rmtree(old, ignore_errors=True)
        beside.mkdir(parents=True)
        for name, content in files:
            (beside / name).write_bytes(content)
        beside.rename(folder)
    except OSError:
        return ""
    return _code(files, cache) if files else ""


def kept(place: Path, wanted: str, cache: Path) -> Files:
    """Return the files in ``place``/warm if they are those of the code ``wanted``, else none."""
    try:
        paths = sorted((place / FOLDER).iterdir())
        files = tuple((path.name, path.read_bytes()) for path in paths)
    except OSError:
        return ()
    return files if _code(files, cache) == wanted else ()


def _code(files: Iterable[tuple[str, bytes]], cache: Path) -> str:
    """Return the code over names and contents."""
    whole = b"".join(
        f"{name}\0{len(content)}\0".encode("utf-8", "surrogateescape") + content
        for name, content in sorted(files)
    )
    return seals.code(whole, user_cache.key(cache))


def remember(place: Path, job: Job, engine: Engine, *, daily: bool) -> None:
    """Keep how TeX was started for ``job``, without its text; ``daily``: its date is the day's.

    The next build does without where that can't be written.
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
        "aux": _code(job.aux, job.cache) if job.aux else "",
    }
    with contextlib.suppress(OSError):
        sealed = seals.seal(json.dumps(data), user_cache.key(job.cache))
        safe_files.replace(place / START, sealed.encode("utf-8"))


def remembered(place: Path, folder: Path, today: int, cache: Path) -> tuple[Job, Engine] | None:
    """How to start TeX in ``folder`` for the next build; None if that isn't known.

    ``cache`` is where its formats and fonts are, and the user's key.

    ``today`` is the date of a document that has none of its own, in seconds since 1970. Which
    program runs must not be read from a file: the caller compares it with one that was found.
    """
    try:
        sealed = (place / START).read_text(encoding="utf-8")
        data = json.loads(seals.opened(sealed, user_cache.key(cache)))
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
        return replace(job, aux=kept(place, data["aux"], cache)), engine
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _plain(engine: dict[str, Any]) -> dict[str, Any]:
    """Return an engine's fields as JSON has them."""
    paths = {key: str(engine[key]) if engine[key] else None for key in ("binary", "latexmk")}
    return {**engine, **paths, "tree": [str(path) for path in engine["tree"]]}
