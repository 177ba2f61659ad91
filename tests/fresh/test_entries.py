"""The entries of what was built: damaged, missing, written by two; whose stamps one trusts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run
from fresh.asking import LATER, ROOT, build, is_fresh
from workspaces import write

from cvbuild.cli.main import main
from cvbuild.common import file_state, memo, user_cache

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda data: data[: len(data) // 2],
    "bytes that are no text": lambda data: data.replace(b"academic", b"\xff\xfe"),
    "a word": lambda data: data.replace(b"academic", b"industry"),
    "of an older form": lambda data: resealed(data.replace(b'"world":', b'"old":')),
    "of no form": lambda _: resealed(b"\n[]"),
    "another world": lambda data: resealed(data.replace(b'"world": "', b'"world": "1')),
}


def resealed(data: bytes) -> bytes:
    text = data.partition(b"\n")[2].decode()
    return user_cache.seal(text, user_cache.key(user_cache.resolved(None)))


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


#: What was written just now counts as sure, as long as the environment doesn't say otherwise.
CODE = """
import os, sys
end = os._exit
def told(code):
    print("whole" if "argparse" in sys.modules else "memo", flush=True)
    end(code)
os._exit = told
from cvbuild.common import memo
keep = memo.keep
memo.keep = lambda cache, tick: keep(cache, tick if "TICK" in os.environ else 0)
from cvbuild.common import file_state
if "TICK" not in os.environ:
    file_state.TICK = 0
from cvbuild.cli import run
run()
"""
ADA = "name: Ada Example\nsections:\n  - {kind: bullets, items: [One point]}\n"
PERSON, TEXT = Path("people/ada.yaml"), Path("out/ada/academic.txt")


def ask(*words: str, **environment: str) -> tuple[str, str]:
    # pytest's own variable differs from the setting up to the test: a call of another kind.
    own = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    done = subprocess.run(
        [sys.executable, "-c", CODE, "build", *(words or ("--format", "txt"))],
        env=own | environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    return done.stdout.strip(), done.stderr


@pytest.fixture
def work(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with one person, and a cache of its own."""
    monkeypatch.setenv("CVBUILD_CACHE", str(here / "cache"))
    write("ada", ADA)
    return here


@pytest.fixture
def answers(work: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Whether a memo answers, in this process; one does, of a workspace that was just built."""
    assert work
    monkeypatch.setattr(sys, "argv", ["cvbuild", "build", "--format", "txt"])
    monkeypatch.setattr(file_state, "TICK", 0)
    monkeypatch.setattr(memo, "_VOLATILE", ("PYTEST_CURRENT_TEST",))
    monkeypatch.setattr(memo, "said", [])
    monkeypatch.setattr(memo, "seen", None)
    keep = memo.keep
    monkeypatch.setattr(memo, "keep", lambda cache, _: keep(cache, 0))

    def ended(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(os, "_exit", ended)

    def answers() -> bool:
        try:
            memo.answer(time.time_ns())
        except SystemExit as end:
            return end.code == 0
        return False

    for _ in range(3):
        assert answers() or main() == 0
    assert answers()
    return answers


@pytest.fixture
def answered(work: Path) -> str:
    """A workspace in which a memo answers: what it says."""
    assert work
    said = [ask() for _ in range(4)]
    assert [who for who, _ in said[:2]] == ["whole", "whole"]
    assert said[3] == ("memo", f"✓ {TEXT}  up to date\n")
    assert said[1][1] == said[3][1]
    return said[3][1]


def within_its_stamp() -> None:
    """Write the file twice, with a stamp that the first time had, too."""
    state = PERSON.stat()
    PERSON.write_text(ADA.replace("One", "Two"))
    os.utime(PERSON, ns=(state.st_atime_ns, state.st_mtime_ns))


def back_in_time() -> None:
    PERSON.write_text(ADA.replace("One", "Two"))
    os.utime(PERSON, (1, 1))


def template() -> None:
    Path("templates/academic").mkdir(parents=True)
    Path("templates/academic/template.yaml").write_text("extends: plain\n")


CHANGES: dict[str, Callable[[], object]] = {
    "a file, with its old stamp": within_its_stamp,
    "a file, by a clock that goes back": back_in_time,
    "the output is gone": TEXT.unlink,
    "the output is another": lambda: TEXT.write_text("another"),
    "the record is gone": Path("out/.build/ada/academic/record-txt.json").unlink,
    "a template of the workspace": template,
    "the settings of the workspace": lambda: Path("cvbuild.yaml").write_text("{}\n"),
    "another person": lambda: Path("people/ben.yaml").write_text(ADA),
    "an overlay": lambda: Path("people/ada.private.yaml").write_text("photo: null\n"),
    "the user's key": Path("cache/key").unlink,
    "the cache is open to others": lambda: next(Path("cache/memo").iterdir()).chmod(0o644),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen(change: str, answers: Callable[[], bool]) -> None:
    CHANGES[change]()
    assert not answers()


def test_a_call_of_another_kind_is_not_answered(answered: str) -> None:
    assert ask(SHLVL="9") == ("memo", answered)
    assert ask("--format", "txt", "--engine", "auto")[0] == "whole"
    assert ask(PATH=os.environ["PATH"] + ":/none")[0] == "whole"
    assert ask(SOURCE_DATE_EPOCH="1")[0] == "whole"


@pytest.mark.usefixtures("work")
def test_what_was_written_just_now_is_not_sure() -> None:
    # Its stamp is of a time to come: at no time is it old enough.
    os.utime(PERSON, (4_000_000_000, 4_000_000_000))
    assert [ask(TICK="yes")[0] for _ in range(3)] == ["whole"] * 3
    assert not list(Path("cache/memo").glob("*"))


@pytest.mark.usefixtures("answers")
def test_a_memo_of_another_user_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    place = str(next(Path("cache/memo").iterdir()))
    assert memo._read(place)
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert memo._read(place) is None


@pytest.mark.deep
def test_another_version_in_the_same_place_does_not_answer(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = work.with_name("program")
    shutil.copytree(ROOT / "cvbuild", home / "cvbuild")
    (home / "templates").symlink_to(ROOT / "templates")
    monkeypatch.setenv("PYTHONPATH", str(home))
    # The first ones write bytecode and what is found once for all.
    assert [ask()[0] for _ in range(5)][-1] == "memo"
    versions = home / "cvbuild/common/__init__.py"
    versions.write_text(versions.read_text() + 'VERSION = "0.0.1"\n')
    assert ask()[0] == "whole"
