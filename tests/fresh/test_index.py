"""The index of what was built: damaged, missing, written by two; whose stamps it trusts."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run
from fresh.asking import (
    LATER,
    build,
    entry,
    is_fresh,
)

from cvbuild.building.cache import index
from cvbuild.building.cache.index import Index
from cvbuild.common import sealed, user_cache
from cvbuild.common.files import file_state

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda data: data[: len(data) // 2],
    "cut at the end": lambda data: data[:-1],
    "binary": lambda _: os.urandom(1000),
    "deep": lambda _: b"[" * 100_000,
    "bytes that are no text": lambda data: data.replace(b"academic", b"\xff\xfe"),
    "a word": lambda data: data.replace(b"academic", b"industry"),
    "of an older form": lambda data: resealed(data.replace(b'"form":', b'"old":')),
    "of another form": lambda data: resealed(data.replace(b'"form":', b'"form":1')),
    "another world": lambda data: resealed(data.replace(b'"world":{', b'"world":{"x":1,')),
}


def resealed(data: bytes) -> bytes:
    """The same with the user's code, as another version of cvbuild would write it."""
    changed = data.partition(b"\n")[2]
    return (
        sealed.code(changed, user_cache.key(user_cache.resolved(None))).encode() + b"\n" + changed
    )


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.usefixtures("home")
def test_a_damaged_index_is_as_good_as_none(damage: str, run: Run) -> None:
    (path,) = Path("out/.build/index").iterdir()
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    assert not is_fresh()
    assert not build(run)
    assert is_fresh()
    assert not list(path.parent.glob("*.new"))


@pytest.mark.usefixtures("home")
def test_an_index_that_cant_be_written_is_no_fault(run: Run) -> None:
    shutil.rmtree("out/.build/index")
    Path("out/.build/index").write_text("in the way")
    assert not build(run)
    assert not build(run)
    assert not is_fresh()


def test_a_stamp_is_trusted_only_some_time_after_the_last_write(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("one")
    state = path.stat()
    last = max(state.st_mtime_ns, state.st_ctime_ns)
    for now, trusted in (
        (last, 0),
        (last + 1_900_000_000, 0),
        (last + 2_100_000_000, 1),
        (last - 10**15, 0),  # the clock went backwards since
    ):
        assert file_state.look(str(path), now)[1] == trusted
    future = last + 10**15
    os.utime(path, ns=(future, future))
    assert file_state.look(str(path), last + 10**10)[1] == 0


@pytest.mark.parametrize("trusted", [0, 1])
def test_what_was_replaced_in_the_same_moment_is_found_by_its_content(
    trusted: int, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_text("one")
    state = file_state.look(str(path), LATER)
    path.write_text("two")
    # As if the clock of the file system had not moved, and the size is the same.
    state[1:] = [trusted, *file_state.look(str(path), LATER)[2:]]
    assert file_state.same(str(path), state, LATER) is bool(trusted)


def test_a_stamp_becomes_trusted_when_it_is_old_enough(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("one")
    state = file_state.look(str(path), 0)
    assert state[1] == 0
    assert file_state.same(str(path), state, LATER)
    assert state[1] == 1
    assert not file_state.same(str(tmp_path / "none"), state, LATER)
    nothing = file_state.look(str(tmp_path / "none"), LATER)
    assert file_state.same(str(tmp_path / "none"), nothing, LATER)
    assert not file_state.same(str(path), nothing, LATER)


def test_two_that_write_lose_nothing_that_is_true(tmp_path: Path) -> None:
    """The last one wins; what rests on files that the other saw otherwise is dropped."""
    shared, other = tmp_path / "shared", tmp_path / "other"
    for file in (shared, other, tmp_path / "a", tmp_path / "b"):
        file.write_text("one")
    path = str(tmp_path / "index" / "x.json")

    def add(to: Index, name: str, group: str) -> None:
        to.add_files(group, [str(tmp_path / group)], LATER)
        file = file_state.look(str(tmp_path / name), LATER)
        person = to.person(str(tmp_path / name)) or entry(file)
        person["documents"][group] = document(group)
        to.put(str(tmp_path / name), person)

    def left() -> dict[str, list[str]]:
        last = Index(path, {}, b"")
        found = {name: last.person(str(tmp_path / name)) for name in ("a", "b")}
        return {name: sorted(one["documents"]) for name, one in found.items() if one}

    first, second = Index(path, {}, b""), Index(path, {}, b"")
    add(first, "a", "shared")
    add(second, "b", "other")
    first.write()
    second.write()
    assert left() == {"a": ["shared"], "b": ["other"]}
    both = Index(path, {}, b"")
    assert all(both.is_unchanged(group, LATER) for group in ("shared", "other"))
    shared.write_text("two")
    third = Index(path, {}, b"")
    assert not third.is_unchanged("shared", LATER)
    add(third, "b", "shared")
    third.write()
    assert left() == {"a": [], "b": ["other", "shared"]}


def document(group: str) -> index.Document:
    outcome: index.JsonObject = {
        "person": "p", "template": "t", "variant": None, "format": "pdf", "path": "p.pdf",
        "engine": "e", "fonts": "f", "pages": 1, "seconds": 0.0, "cached": True, "fill": None,
        "verified": {"texts": 1}, "left_out": [], "log": None, "diagnostics": [],
    }  # fmt: skip
    file = ("none", ["x", 0, 0, 0, 0, 0])
    return {
        "needs": [group],
        "files": [],
        "day": None,
        "output": file,
        "record": file,
        "outcome": outcome,
        "notes": [],
    }
