"""What is known about the installed TeX, kept in the cache: asking its programs takes 0.1 s.

An answer is valid while the question (programs, environment, names, this version) and the stamps
of the tree's own files are the same. Which program runs is never read from here.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cvbuild.common import sealed, versions
from cvbuild.common.files import file_state, safe_files
from cvbuild.outputs.pdf.tex import embedded
from cvbuild.outputs.pdf.tex.types import Engine

#: How many bytes of a file are read.
_LARGEST = 64 << 20
FILE = "probe.json"
#: Set to 1, this variable hides the system's TeX: for tests of machines that have none.
HIDE_SYSTEM = "CVBUILD_NO_SYSTEM_TEX"
#: How many answers are kept; a machine has one or two for each template.
_MOST = 64
#: A tree must be unchanged for so long (ns) before answers about it are kept.
_UNCHANGED = file_state.TICK


def recall(cache: Path | None, question: object) -> dict[str, Any] | None:
    """Return the answer to an earlier question; None if there is none or its tree has changed."""
    entry = _read(cache).get(_name(question)) if cache else None
    if entry is None or entry["stamps"] != file_state.digest(entry["tree"]):
        return None
    answer: dict[str, Any] = entry["answer"]
    return answer


def keep(cache: Path | None, question: object, tree: Iterable[Path], answer: object) -> None:
    """Keep an answer that depends on the files of ``tree``; do nothing if that can't be written."""
    if cache is None:
        return
    places = [str(path) for path in tree]
    entry = {"tree": places, "stamps": file_state.digest(places), "answer": answer}
    entries = {key: value for key, value in _read(cache).items() if key != _name(question)}
    text = json.dumps(dict([*entries.items(), (_name(question), entry)][-_MOST:]))
    with contextlib.suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        # What its file system takes for the present.
        os.utime(cache)
        if _is_fresh(places, cache.stat().st_mtime_ns):
            return
        safe_files.replace(cache / FILE, sealed.seal(text).encode())


def _is_fresh(places: Iterable[str], now: int) -> bool:
    """Return whether a file changed so recently that its stamp might miss another change."""
    return any(stamp and now - stamp[1] < _UNCHANGED for stamp in map(file_state.of, places))


def recall_engine(
    cache: Path | None, question: object, binary: Path | None, latexmk: Path | None
) -> Engine | None:
    """Return the engine that was kept, with the programs that were found now."""
    answer = recall(cache, question) if binary else None
    if answer is None:
        return None
    tree = tuple(map(Path, answer["tree"]))
    return Engine(**{**answer, "binary": binary, "latexmk": latexmk, "tree": tree})


def keep_engine(cache: Path | None, question: object, engine: Engine) -> None:
    """Keep an engine that can be used."""
    tree = [str(path) for path in engine.tree]
    answer = {**asdict(engine), "binary": None, "latexmk": None, "tree": tree}
    keep(cache, question, engine.tree, answer)


def is_installed(engine: Engine) -> bool:
    """Return whether an engine that was read from a file is one that would be found now."""
    if engine.origin == "embedded":
        root, place = embedded.root(), embedded.place()
        return bool(root and place and engine.binary == root / "bin" / place) and not engine.latexmk
    programs = {engine.name: engine.binary, "latexmk": engine.latexmk}
    return os.environ.get(HIDE_SYSTEM) != "1" and all(
        path is None or str(path) == shutil.which(name) for name, path in programs.items()
    )


def _name(question: object) -> str:
    return hashlib.sha256(f"{versions.VERSION}\0{question!r}".encode()).hexdigest()


def _read(cache: Path) -> dict[str, Any]:
    """Return all entries; none if the file is damaged."""
    try:
        entries = json.loads(
            sealed.unseal(safe_files.read(cache / FILE, _LARGEST, links=False).decode())
        )
    except (OSError, ValueError):
        return {}
    return entries if isinstance(entries, dict) else {}
