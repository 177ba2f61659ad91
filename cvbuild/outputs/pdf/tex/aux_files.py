"""What a document's last good build left for the next: with it, one pass of TeX is enough.

Auxiliary files are only where TeX starts from. It runs until they no longer change, so that those
of another text or style cost a further pass and no more; what is damaged is not used at all. Beside
them stands how that build's TeX was started, for an engine that is to wait for the next text.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from cvbuild.common import sealed
from cvbuild.outputs.pdf.tex.types import Engine, Job

#: The folder beside a document's record.
FOLDER = "warm"
#: The file that says how TeX was started.
START = "start.json"

Files = tuple[tuple[str, bytes], ...]


def keep(place: Path, files: Files) -> str:
    """Keep ``files`` (name, content) in ``place``/warm; the hash by which ``kept`` knows them.

    Empty if they can't be kept: the next build then begins from nothing.
    """
    folder, beside = place / FOLDER, place / f"{FOLDER}.new"
    # Why no lock: two builds that get in each other's way leave files that no hash fits.
    try:
        for old in (beside, folder):
            shutil.rmtree(old, ignore_errors=True)
        beside.mkdir(parents=True)
        for name, content in files:
            (beside / name).write_bytes(content)
        beside.rename(folder)
    except OSError:
        return ""
    return digest(files) if files else ""


def kept(place: Path, wanted: str) -> Files:
    """The files in ``place``/warm if they are those of the hash ``wanted``, else none."""
    try:
        paths = sorted((place / FOLDER).iterdir())
        files = tuple((path.name, path.read_bytes()) for path in paths)
    except OSError:
        return ()
    return files if digest(files) == wanted else ()


def digest(files: Iterable[tuple[str, bytes]]) -> str:
    """SHA-256 over names and contents, in hexadecimal."""
    total = hashlib.sha256()
    for name, content in sorted(files):
        total.update(f"{name}\0{len(content)}\0".encode("utf-8", "surrogateescape"))
        total.update(content)
    return total.hexdigest()


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
        "cache": str(job.cache),
        "inputs": [str(path) for path in job.inputs],
        "timeout": job.timeout,
        "epoch": None if daily else job.epoch,
        "aux": digest(job.aux) if job.aux else "",
    }
    beside = place / f"{START}.new"
    with contextlib.suppress(OSError):
        beside.write_text(sealed.seal(json.dumps(data)), encoding="utf-8")
        beside.replace(place / START)


def remembered(place: Path, folder: Path, today: int) -> tuple[Job, Engine] | None:
    """How to start TeX in ``folder`` for the next build; None if that isn't known.

    ``today`` is the date of a document that has none of its own, in seconds since 1970. Which
    program runs must not be read from a file: the caller compares it with one that was found.
    """
    try:
        data = json.loads(sealed.opened((place / START).read_text(encoding="utf-8")))
        plain = data["engine"]
        paths = {key: Path(plain[key]) for key in ("binary", "latexmk") if plain[key]}
        engine = Engine(**{**plain, **paths, "tree": tuple(map(Path, plain["tree"]))})
        job = Job(
            data["tex"],
            folder,
            Path(data["cache"]),
            today if data["epoch"] is None else int(data["epoch"]),
            inputs=tuple(map(Path, data["inputs"])),
            timeout=float(data["timeout"]),
            head=int(data["head"]),
            setup=int(data["setup"]),
        )
        return replace(job, aux=kept(place, data["aux"])), engine
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _plain(engine: dict[str, Any]) -> dict[str, Any]:
    """An engine's fields as JSON has them."""
    paths = {key: str(engine[key]) if engine[key] else None for key in ("binary", "latexmk")}
    return {**engine, **paths, "tree": [str(path) for path in engine["tree"]]}
