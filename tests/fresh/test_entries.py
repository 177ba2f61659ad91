"""The entries of what was built: damaged, missing, written by two; whose stamps it trusts."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run
from fresh.asking import (
    LATER,
    build,
    is_fresh,
)

from cvbuild.common import sealed, user_cache
from cvbuild.common.files import file_state

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[: len(data) // 2],
    "bytes that are no text": lambda data: data.replace(b"academic", b"\xff\xfe"),
    "a word": lambda data: data.replace(b"academic", b"industry"),
    "of an older form": lambda data: resealed(data.replace(b'"world":', b'"old":')),
    "of no form": lambda _: resealed(b"\n[]"),
    "another world": lambda data: resealed(data.replace(b'"world": "', b'"world": "1')),
}


def resealed(data: bytes) -> bytes:
    """The same with the user's code, as another version of cvbuild would write it."""
    changed = data.partition(b"\n")[2]
    return (
        sealed.code(changed, user_cache.key(user_cache.resolved(None))).encode() + b"\n" + changed
    )


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.usefixtures("home")
def test_a_damaged_entry_is_as_good_as_none(damage: str, run: Run) -> None:
    (path,) = Path("out/.build/ada").glob("fresh-*.json")
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    assert not is_fresh()
    assert not build(run)
    assert is_fresh()
    assert not list(path.parent.glob("*.new"))


@pytest.mark.usefixtures("home")
def test_an_entry_that_cant_be_written_is_no_fault(run: Run) -> None:
    (path,) = Path("out/.build/ada").glob("fresh-*.json")
    path.unlink()
    (path / "in the way").mkdir(parents=True)
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
