"""Ask the programs of a TeX which version they are, and where files are; remember what they said.

Asking takes 0.1 s. An answer holds until a file of the tree changes (``memory``).
"""

from __future__ import annotations

import functools
import os
import shutil
import tempfile
from pathlib import Path

from cvbuild.common import processes
from cvbuild.outputs.pdf.tex import memory
from cvbuild.outputs.pdf.tex.job_folder import base_environment
from cvbuild.outputs.pdf.tex.types import Engine, EngineName

_SECONDS = 20.0
#: What each program is to kpsewhich: its engine, and the format that it loads.
_FORMATS = {"pdflatex": ("pdftex", "pdflatex.fmt"), "lualatex": ("luahbtex", "lualatex.fmt")}
#: Of the files that a whole tree goes by, every one that is found counts.
_ALL_OF = ("texmf.cnf", "ls-R")


@functools.cache
def locate(
    engine: Engine, names: tuple[str, ...], cache: Path | None = None
) -> tuple[Path | None, ...]:
    """Return where the engine's TeX has files of these names, such as fonts; None for missing ones.

    If all are found, the answer is kept in ``cache`` until the TeX tree changes.
    """
    lookup = shutil.which("kpsewhich", path=str(engine.binary.parent)) if names else None
    if lookup is None:
        return (None,) * len(names)
    question = memory.key(lookup, engine.name, names)
    if answer := memory.recall_probe(cache, question):
        return tuple(map(Path, answer["places"]))
    found, _ = files(Path(lookup), engine.name, names)
    if all(name in found for name in names):
        places = [str(found[name]) for name in names]
        memory.keep_probe(cache, question, engine.tree, {"places": places})
    return tuple(found.get(name) for name in names)


def files(
    program: Path, name: EngineName, names: tuple[str, ...]
) -> tuple[dict[str, Path], tuple[Path, ...]]:
    """Return {file name: place} of what kpsewhich finds, and the tree's own files, by one call."""
    engine, form = _FORMATS[name]
    own = ("latex.ltx", form, "pdftex.map", *_ALL_OF)
    trees = f"trees{os.pathsep}"
    with tempfile.TemporaryDirectory(prefix="cvbuild-") as home:
        finished = processes.run(
            [program, f"-progname={name}", f"-engine={engine}", "-all",
             f"-expand-braces={trees}$TEXMFDBS", *own, *names],
            cwd=Path(home),
            env={**base_environment(program), "HOME": home},
            timeout=_SECONDS,
        )  # fmt: skip
    found: dict[str, Path] = {}
    tree: dict[Path, None] = {}
    for line in filter(None, finished.output.splitlines()):
        if line.startswith(trees):
            # A list that isn't there yet is the sign of a tree that somebody adds.
            listed = line.removeprefix(trees).split(os.pathsep)
            tree |= {Path(folder.removeprefix("!!"), "ls-R"): None for folder in listed if folder}
            continue
        place = Path(line)
        if place.name in own and (place.name in _ALL_OF or place.name not in found):
            tree[place] = None
        found.setdefault(place.name, place)
    return found, tuple(tree)


def first_line(command: list[str | Path]) -> str:
    """Return the first line that a command prints; raises StartError if it fails."""
    env = base_environment(Path(command[0]))
    finished = processes.run(command, cwd=None, env=env, timeout=_SECONDS)
    lines = finished.output.splitlines()
    if finished.code != 0 or not lines:
        said = f": {lines[0]}" if lines else ""
        raise processes.StartError.because("no-engine", f"{command[0]} does not work{said}")
    return lines[0]
