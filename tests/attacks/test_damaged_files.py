"""Each file below out/ and in the user's cache, damaged or replaced: the PDF is right."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import attack_counts
import forks
import pytest
from clones import put
from texlive import demand_embedded

from cvbuild.common import hashes, sealed

ATTACKS = "Poisoned and damaged caches"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no pipes, and links need rights")
PERSON = """\
name: Ada Example
template: [academic, one-page]
sections:
  - kind: bullets
    items: [One point, {edit} point]
"""
Ran = subprocess.CompletedProcess[str]
EDITS = ("Another", "Some other")
PDFS = ("out/ada/academic.pdf", "out/ada/one-page.pdf")


def foreign_key(path: Path) -> None:
    """As another user's cvbuild would have written it."""
    _, _, text = path.read_bytes().partition(b"\n")
    path.write_bytes(sealed.code(text, b"x" * 32).encode() + b"\n" + text)


def other_version(path: Path) -> None:
    try:
        data = {**json.loads(path.read_bytes().partition(b"\n")[2]), "version": "9", "form": 99}
    except (ValueError, TypeError):
        data = {"version": "9", "form": 99}
    path.write_text(sealed.seal(json.dumps(data)), encoding="utf-8")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "empty": lambda path: path.write_bytes(b""),
    "deep": lambda path: path.write_bytes(b"[" * 200_000),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(5000)),
    "a list": lambda path: path.write_text(sealed.seal("[1]")),
    "a number": lambda path: path.write_text("1" * 10_000),
    "other version": other_version,
    "another key": foreign_key,
    "closed": lambda path: path.chmod(0),
}
#: What stands in a file's place.
REPLACED = ("link", "link to zero", "link to itself", "pipe", "folder", "huge")
#: All that a build leaves for the next, by a folder and an end.
FILES = {
    name: re.compile(pattern)
    for name, pattern in {
        "PDF": r"out/ada/[\w-]+\.pdf", "record": r"record\.json", "start": r"start\.json",
        "log": r"cv\.log", "TeX": r"cv\.tex", "entry": r"/fresh-", "probe": r"/probes/",
        "key": r"cache/key", "code": r"/jinja/", "format": r"/formats/.*json",
        "dump": r"/formats/.*fmt", "face": r"/faces/.*json", "outlines": r"/faces/.*pfb",
        "metrics": r"/faces/.*tfm",
    }.items()
}  # fmt: skip
#: What is made again where it was damaged, and not only left alone.
MENDED = {"code", "outlines", "metrics"}
CASES = [[(file, damage) for damage in (*DAMAGES, *REPLACED)] for file in FILES]
#: Each file once in a run, or with everything.
DRAWN = [case for cases in CASES for case in attack_counts.sample(cases, 1, cases[0][0])]


def left(home: Path) -> list[Path]:
    """What is left for the next build; locks are empty anyway."""
    places = [path for top in ("out", "cache") for path in sorted((home / top).rglob("*"))]
    return [path for path in places if path.is_file() and not path.name.endswith("lock")]


def write(home: Path, edit: str) -> None:
    (home / "people").mkdir(parents=True, exist_ok=True)
    (home / "people/ada.yaml").write_text(PERSON.format(edit=edit), encoding="utf-8")


@pytest.fixture(scope="module")
def build() -> Iterator[Callable[[Path], Ran]]:
    with forks.server() as run:
        environment = {**os.environ, "CVBUILD_CACHE": "cache", "SOURCE_DATE_EPOCH": "1700000000"}
        yield lambda home: run(home, environment, "build", "--engine", "embedded")


def pdfs(home: Path) -> tuple[bytes, ...]:
    return tuple((home / name).read_bytes() for name in PDFS)


@pytest.fixture(scope="module")
def made(
    tmp_path_factory: pytest.TempPathFactory, build: Callable[[Path], Ran]
) -> tuple[Path, dict[str, tuple[bytes, ...]]]:
    """A workspace that was built twice, and the PDFs of both edits."""
    demand_embedded()
    home, right = tmp_path_factory.mktemp("work"), {}
    for edit in reversed(EDITS):
        write(home, edit)
        assert build(home).returncode == 0
        right[edit] = pdfs(home)
    return home, right


@pytest.mark.deep
def test_all_that_is_left_is_damaged(made: tuple[Path, dict[str, tuple[bytes, ...]]]) -> None:
    kinds = [[file for file, it in FILES.items() if it.search(str(path))] for path in left(made[0])]
    assert {len(found) for found in kinds} == {1}
    assert {file for found in kinds for file in found} == set(FILES)


@pytest.mark.deep
@pytest.mark.parametrize("case", DRAWN, ids="-".join)
def test_a_file_that_is_damaged_or_replaced(
    case: tuple[str, str],
    made: tuple[Path, dict[str, tuple[bytes, ...]]],
    build: Callable[[Path], Ran],
    tmp_path: Path,
    tried: Callable[[int], None],
) -> None:
    (file, damage), (home, right) = case, made
    kept = tmp_path / "kept"
    shutil.copytree(home, kept)
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").write_text("mine", encoding="utf-8")
    paths = [path for path in left(kept) if FILES[file].search(path.as_posix())]
    assert paths
    for path in paths:
        if damage in DAMAGES:
            DAMAGES[damage](path)
            continue
        path.unlink()
        put(damage, path, victim / "file")
        if damage == "folder":
            (path / "inner").write_text("mine", encoding="utf-8")
    harmed = {path: path.read_bytes() for path in paths if damage in {"half", "noise", "deep"}}
    for edit in EDITS:
        write(kept, edit)
        done = build(kept)
        assert "Traceback" not in done.stderr, done
        if done.returncode == 0:
            assert pdfs(kept) == right[edit]
            assert all(stat.S_ISREG((kept / name).lstat().st_mode) for name in PDFS)
        else:
            # What isn't cvbuild's own is not deleted; the message says what is in the way.
            assert damage == "folder", done
            assert any(path.name in done.stderr for path in paths), done
    assert (victim / "file").read_text(encoding="utf-8") == "mine"
    assert [path.name for path in victim.iterdir()] == ["file"]
    if damage == "folder":
        assert all((path / "inner").exists() for path in paths if path.is_dir())
    if file in MENDED:
        assert not [path for path, content in harmed.items() if path.read_bytes() == content]
    tried(len(EDITS))


@pytest.mark.deep
def test_a_cache_that_is_a_loop_of_links(build: Callable[[Path], Ran], tmp_path: Path) -> None:
    (tmp_path / "cache").symlink_to("cache")
    write(tmp_path, EDITS[0])
    done = build(tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "TeX's cache can't be used" in done.stderr


@pytest.mark.deep
def test_a_record_that_came_with_a_pdf(
    made: tuple[Path, dict[str, tuple[bytes, ...]]], build: Callable[[Path], Ran], tmp_path: Path
) -> None:
    """The reproduction: a record says of another PDF that it is what was built."""
    home, right = made
    clone = tmp_path / "clone"
    shutil.copytree(home, clone)
    evil = right[EDITS[0]][0] + b"\n% not what the person wrote\n"
    (clone / PDFS[0]).write_bytes(evil)
    place = clone / "out/.build/ada/academic/record.json"
    text = place.read_text(encoding="utf-8").partition("\n")[2]
    data = {**json.loads(text), "file_hash": hashes.digest(evil)}
    for forged in (
        json.dumps(data),
        sealed.seal(json.dumps(data)),
        sealed.seal(json.dumps(data), b"x" * 32),
        sealed.seal(json.dumps(data), b""),
        f"{place.read_text(encoding='utf-8').partition(chr(10))[0]}\n{json.dumps(data)}",
    ):
        (clone / PDFS[0]).write_bytes(evil)
        place.write_text(forged, encoding="utf-8")
        for entry in (clone / "out/.build").glob("*/fresh-*.json"):
            entry.unlink()
        assert build(clone).returncode == 0
        assert pdfs(clone) == right[EDITS[0]]
