"""Each file that a build leaves for the next, damaged in turn: the PDF is right all the same."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

import forks
import pytest
from texlive import demand_embedded

PERSON = """\
name: Ada Example
template: [academic, one-page]
sections:
  - kind: bullets
    items: [One point, {edit} point]
"""
EDITS = ("Another", "Some other")
DOCUMENTS = ("academic", "one-page")
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "half": lambda content: content[: len(content) // 2],
    "noise": lambda content: random.Random(1).randbytes(max(len(content), 1)),
    "nothing": lambda _: b"",
    "deep": lambda _: b"[" * 200_000,
}


def write(home: Path, edit: str) -> None:
    (home / "people").mkdir(parents=True, exist_ok=True)
    (home / "people/ada.yaml").write_text(PERSON.format(edit=edit), encoding="utf-8")


BUILD = ("build", "--engine", "embedded", "-j2")


def environment() -> dict[str, str]:
    return {**os.environ, "CVBUILD_CACHE": "cache", "SOURCE_DATE_EPOCH": "1700000000"}


@pytest.fixture(scope="module")
def build() -> Iterator[Callable[[Path], None]]:
    """Build, in a process that has nothing in its memory."""
    with forks.server() as run:

        def once(home: Path) -> None:
            ran = run(home, environment(), *BUILD)
            assert ran.returncode == 0, ran
            assert "Traceback" not in ran.stderr, ran

        yield once


def pdfs(home: Path) -> tuple[bytes, ...]:
    return tuple((home / f"out/ada/{name}.pdf").read_bytes() for name in DOCUMENTS)


def left(home: Path) -> list[Path]:
    """What was left for the next build, by its place; locks are empty anyway."""
    found = [path for place in ("out", "cache") for path in sorted((home / place).rglob("*"))]
    files = [path for path in found if path.is_file() and path.suffix != ".lock"]
    # Of files with a hash for a name, which one code reads, as many as there are damages.
    files.sort(key=_kind)
    return [path for _, group in groupby(files, _kind) for path in list(group)[: len(DAMAGES)]]


def _kind(path: Path) -> str:
    return re.sub(r"(?<=cache/faces/)\w+(?=\.)|(?<=cache/jinja/)\w+", "", str(path))


def alike(path: Path) -> str:
    """The same for files that are damaged at once: each is read, and made again, by itself.

    They do the same for one document and the other, or for one face or Jinja template and another.
    """
    return re.sub(r"academic|one-page|(?<=cache/formats/)\w+", "", _kind(path))


@pytest.fixture(scope="module")
def right(
    tmp_path_factory: pytest.TempPathFactory, build: Callable[[Path], None]
) -> dict[str, tuple[bytes, ...]]:
    """The PDFs of each edit, built from nothing."""
    demand_embedded()
    found = {}
    for edit in EDITS:
        home = tmp_path_factory.mktemp("nothing")
        write(home, edit)
        build(home)
        found[edit] = pdfs(home)
    return found


@pytest.mark.deep
def test_each_file_that_is_damaged(
    right: dict[str, tuple[bytes, ...]], build: Callable[[Path], None], tmp_path: Path
) -> None:
    """Those that do the same at a time, each with another damage."""
    write(tmp_path, EDITS[0])
    build(tmp_path)
    kinds = list(DAMAGES)
    seen: set[Path] = set()
    edit = EDITS[0]
    files = left(tmp_path)
    damages = {path: kinds[number % len(kinds)] for number, path in enumerate(files)}
    rounds = [list(group) for _, group in groupby(sorted(files, key=alike), alike)]
    assert max(map(len, rounds)) == len(DAMAGES)
    for paths in rounds:
        edit = EDITS[(EDITS.index(edit) + 1) % len(EDITS)]
        # Where nothing changed, only the document's folder is looked at.
        for edited in (False, True) if paths[0].is_relative_to(tmp_path / "out") else (True,):
            # What another damage took may be there no more, or under another name.
            there = [path for path in paths if path.exists()]
            if not there:
                continue
            harmed = {path: DAMAGES[damages[path]](path.read_bytes()) for path in there}
            for path, content in harmed.items():
                path.write_bytes(content)
            seen.update(there)
            if edited:
                write(tmp_path, edit)
            build(tmp_path)
            now = edit if edited else EDITS[EDITS.index(edit) - 1]
            assert pdfs(tmp_path) == right[now], (there, edited)
            if there[0].suffix in (".pfb", ".tfm") or there[0].parent.name == "jinja":
                assert not [path for path in there if path.read_bytes() == harmed[path]]
    # None of what there is to damage has been left out for another reason.
    assert len(seen) == len(files)
    assert {path.name for path in seen} >= {"record.json", "start.json"}
    assert any(path.parent.name == "probes" for path in seen)


@pytest.mark.deep
def test_a_cache_that_is_a_loop_of_links(tmp_path: Path) -> None:
    (tmp_path / "cache").symlink_to("cache")
    write(tmp_path, EDITS[0])
    ran = subprocess.run(
        [sys.executable, "-m", "cvbuild", *BUILD],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    assert "TeX's cache can't be used" in ran.stderr
