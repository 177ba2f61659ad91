"""Dumped heads that are damaged, don't load or have no place: no reason for a failure."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import deep
import pytest
from engines.dumps import (
    Compile,
    MakeWork,
    after_dumps,
    built,
    cut,
    kept,
)

from cvbuild.common import sealed
from cvbuild.common.store import Store
from cvbuild.outputs.pdf.tex import drivers, formats
from cvbuild.outputs.pdf.tex.types import Engine, Job


def killed(lock: Path) -> None:
    """What a dump that was killed leaves."""
    (lock.parent / f"new-{lock.stem}-left").mkdir()
    for path in lock.parent.glob("*.json"):
        path.unlink()


#: What is cut, empty, noise or of another form: tests/attacks/test_damaged_files.
DAMAGES: dict[str, tuple[str, Callable[[Path], object]]] = {
    "the end is missing": ("*.fmt", cut(0.999)),
    "another answer": ("*.json", lambda path: sealed.save(path, {"files": {}})),
    "a lock is left": ("*.lock", lambda path: path.write_text("somebody was here")),
    "a dump was killed": ("*.lock", killed),
    "all is gone": ("*.lock", lambda path: shutil.rmtree(path.parent)),
}


@pytest.fixture(scope="module")
def whole_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("whole")


@pytest.mark.parametrize("damage", deep.but(["the end is missing", "a dump was killed"], DAMAGES))
def test_what_is_damaged_is_made_again(
    damage: str, embedded: Engine, work: MakeWork, whole_cache: Path, tmp_path: Path
) -> None:
    if not whole_cache.joinpath("pdf").exists():
        built(drivers.direct, first := work(cache=whole_cache), embedded)
        (first.folder / "cv.pdf").replace(whole_cache / "pdf")
    shutil.copytree(whole_cache, tmp_path / "cache")
    pattern, harm = DAMAGES[damage]
    for place in list((tmp_path / "cache" / "formats").glob(pattern)):
        harm(place)
    assert built(drivers.direct, work(), embedded) == (whole_cache / "pdf").read_bytes()
    assert not list((tmp_path / "cache" / "formats").glob("new-*"))


def passed_off(job: Job, engine: Engine, content: bytes) -> None:
    """Put something in the place of the job's format that nothing but TeX finds out."""
    form = formats.find_or_make(job, engine)[0]
    assert form is not None
    other = form.path.with_name("other")
    other.write_bytes(content)
    formats.put(Store(form.path.parent), form.path.stem, "slot", other, [])


@pytest.mark.parametrize(
    ("run", "content"),
    [
        *((drivers.direct, content) for content in ("another engine's", "half", "nonsense")),
        pytest.param(drivers.by_latexmk, "half", marks=pytest.mark.deep),
    ],
)
def test_what_does_not_load_is_made_again(
    run: Compile, content: str, request: pytest.FixtureRequest, work: MakeWork, made: list[str]
) -> None:
    pdflatex = request.getfixturevalue("pdflatex")
    own = formats.find_or_make(work(), pdflatex)[0]
    other = formats.find_or_make(work(), request.getfixturevalue("embedded"))[0]
    assert own is not None
    assert other is not None
    data = {
        "another engine's": other.path.read_bytes(),
        "half": own.path.read_bytes()[: own.path.stat().st_size // 2],
        "nonsense": b"nonsense",
    }[content]
    expected = built(run, work(), pdflatex)
    passed_off(work(), pdflatex, data)
    assert built(run, work(), pdflatex) == expected
    assert len(made) == 3


def test_what_never_loads_is_done_without(
    embedded: Engine, work: MakeWork, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    after_dumps(lambda found: cut(0.5)(found[0]), monkeypatch)
    for _ in range(2):
        done = drivers.direct(work(), embedded)
        assert done.pdf is not None, done.log
        assert [note.code for note in done.notes] == ["no-format"]
        assert "can't load it" in done.notes[0].message
        assert "may differ" in done.notes[0].message
        assert done.notes[0].severity == "note"
    assert len(made) == 2, "it is tried again for every document"


@pytest.mark.parametrize("what", deep.but(["open to all"], ["a file", "read-only", "open to all"]))
def test_a_folder_that_can_t_be_used(
    what: str, embedded: Engine, work: MakeWork, made: list[str], tmp_path: Path
) -> None:
    expected = built(drivers.direct, work(cache=tmp_path / "other"), embedded)
    place = tmp_path / "cache" / "formats"
    place.parent.mkdir()
    if what == "a file":
        place.write_text("")
    elif what == "open to all":
        place.mkdir()
        place.chmod(0o777)
    else:
        place.mkdir(mode=0o500)
        if os.access(place, os.W_OK):
            pytest.skip("this user may write everywhere")
    for _ in range(2):
        done = drivers.direct(work(), embedded)
        assert done.pdf is not None, done.log
        assert done.pdf.read_bytes() == expected
        assert [note.code for note in done.notes] == ["unkept-formats"]
        assert str(tmp_path / "cache") in done.notes[0].message
        assert "CVBUILD_CACHE" in (done.notes[0].hint or "")
    assert len(made) == 2, "this process makes its own, once"


def test_no_room_for_a_format(
    embedded: Engine, work: MakeWork, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit on files is the same to TeX as a full disk."""
    with monkeypatch.context() as patch:
        patch.setattr("cvbuild.common.processes.MAX_FILE", 1 << 20)
        for _ in range(2):
            done = drivers.direct(work(), embedded)
            assert done.pdf is not None, done.log
            assert [note.code for note in done.notes] == ["no-format"]
            assert "it ended with code" in done.notes[0].message
    assert len(made) == 2, "in the cache and beside it, and not for every document"
    assert not kept(work())
    formats._given_up.clear()
    assert built(drivers.direct, work(), embedded)
