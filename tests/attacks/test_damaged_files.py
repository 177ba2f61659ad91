"""Each file below out/ and in the user's cache, damaged or replaced: the PDF is right."""

from __future__ import annotations

import json
import os
import random
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
template: academic
sections:
  - kind: bullets
    items: [One point, {edit} point]
"""
Ran = subprocess.CompletedProcess[str]
EDITS = ("Another", "Some other")
PDF = "out/ada/academic.pdf"


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
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(5000)),
    "a list": lambda path: path.write_text(sealed.seal("[1]")),
    "a number": lambda path: path.write_text("1" * 10_000),
    "other version": other_version,
    "another key": foreign_key,
    "closed": lambda path: path.chmod(0),
}
#: What stands in a file's place.
REPLACED = ("link", "link to zero", "link to itself", "pipe", "folder", "huge")
#: Files by a part of their place. TeX's own formats are behind the JSON next to them.
FILES = (
    "academic.pdf", "record.json", "start.json", "cv.log", "cv.tex", "/fresh-",
    "/probes/", "/key", "/jinja/", "/formats/json", "/formats/fmt",
)  # fmt: skip
CASES = [(file, damage) for file in FILES for damage in (*DAMAGES, *REPLACED)]


def found(home: Path, file: str) -> list[Path]:
    places = [path for top in ("out", "cache") for path in sorted((home / top).rglob("*"))]
    files = [path for path in places if path.is_file() and path.suffix != ".lock"]
    if file.startswith("/formats/"):
        end = file.rpartition("/")[2]
        return [
            path for path in files if path.parent.name == "formats" and path.suffix == f".{end}"
        ]
    return [path for path in files if file in path.as_posix().removeprefix(str(home))]


def write(home: Path, edit: str) -> None:
    (home / "people").mkdir(parents=True, exist_ok=True)
    (home / "people/ada.yaml").write_text(PERSON.format(edit=edit), encoding="utf-8")


@pytest.fixture(scope="module")
def build() -> Iterator[Callable[[Path], Ran]]:
    with forks.server() as run:
        environment = {**os.environ, "CVBUILD_CACHE": "cache", "SOURCE_DATE_EPOCH": "1700000000"}
        yield lambda home: run(home, environment, "build", "--engine", "embedded")


@pytest.fixture(scope="module")
def made(
    tmp_path_factory: pytest.TempPathFactory, build: Callable[[Path], Ran]
) -> tuple[Path, dict[str, bytes]]:
    """A workspace that was built twice, and the PDFs of both edits."""
    demand_embedded()
    home, pdfs = tmp_path_factory.mktemp("work"), {}
    for edit in reversed(EDITS):
        write(home, edit)
        assert build(home).returncode == 0
        pdfs[edit] = (home / PDF).read_bytes()
    return home, pdfs


@pytest.mark.deep
@pytest.mark.parametrize("case", attack_counts.sample(CASES, 4, "damage"), ids="-".join)
def test_a_file_that_is_damaged_or_replaced(
    case: tuple[str, str],
    made: tuple[Path, dict[str, bytes]],
    build: Callable[[Path], Ran],
    tmp_path: Path,
    tried: Callable[[int], None],
) -> None:
    (file, damage), (home, pdfs) = case, made
    kept = tmp_path / "kept"
    shutil.copytree(home, kept)
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").write_text("mine", encoding="utf-8")
    paths = found(kept, file)
    assert paths
    for path in paths:
        if damage in DAMAGES:
            DAMAGES[damage](path)
            continue
        path.unlink()
        put(damage, path, victim / "file")
        if damage == "folder":
            (path / "inner").write_text("mine", encoding="utf-8")
    for edit in EDITS:
        write(kept, edit)
        done = build(kept)
        assert "Traceback" not in done.stderr, done
        if done.returncode == 0:
            assert (kept / PDF).read_bytes() == pdfs[edit]
            assert stat.S_ISREG((kept / PDF).lstat().st_mode)
        else:
            # What isn't cvbuild's own is not deleted; the message says what is in the way.
            assert damage == "folder", done
            assert any(path.name in done.stderr for path in paths), done
    assert (victim / "file").read_text(encoding="utf-8") == "mine"
    assert [path.name for path in victim.iterdir()] == ["file"]
    if damage == "folder":
        assert all((path / "inner").exists() for path in paths if path.is_dir())
    tried(len(EDITS))


def test_a_record_that_came_with_a_pdf(
    made: tuple[Path, dict[str, bytes]], build: Callable[[Path], Ran], tmp_path: Path
) -> None:
    """The reproduction: a record says of another PDF that it is what was built."""
    home, pdfs = made
    clone = tmp_path / "clone"
    shutil.copytree(home, clone)
    evil = pdfs[EDITS[0]] + b"\n% not what the person wrote\n"
    (clone / PDF).write_bytes(evil)
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
        (clone / PDF).write_bytes(evil)
        place.write_text(forged, encoding="utf-8")
        for entry in (clone / "out/.build").glob("*/fresh-*.json"):
            entry.unlink()
        assert build(clone).returncode == 0
        assert (clone / PDF).read_bytes() == pdfs[EDITS[0]]


@pytest.mark.deep
def test_what_another_user_built_is_built_again(
    made: tuple[Path, dict[str, bytes]], build: Callable[[Path], Ran], tmp_path: Path
) -> None:
    """Whole, with its index, but the key is another."""
    home, pdfs = made
    clone = tmp_path / "clone"
    shutil.copytree(home, clone)
    (clone / "cache/key").unlink()
    (clone / PDF).write_bytes(b"%PDF-1.7 another")
    done = build(clone)
    assert "up to date" not in done.stderr
    assert (clone / PDF).read_bytes() == pdfs[EDITS[0]]
    assert "up to date" in build(clone).stderr
