"""What is kept of builds: damaged, missing, written by two; whose stamps count; what it costs."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run
from fresh.asking import LATER, PDF, PERSON, ROOT, build, entries, entry, is_fresh
from workspaces import write

from cvbuild.cli.main import main
from cvbuild.common import memo
from cvbuild.common.files import file_state, safe_folders, user_cache
from cvbuild.common.files.user_cache import Store
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml import source

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
from cvbuild.common.files import file_state
if "TICK" not in os.environ:
    file_state.TICK = 0
from cvbuild.cli import run
run()
"""
ADA = "name: Ada Example\nsections:\n  - {kind: bullets, items: [One point]}\n"
TEXT = Path("out/ada/academic.txt")


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


#: Prints what a run of the command imported and started.
SPY = """
import json, sys
began = []
def hook(event, arguments):
    if event in {starts!r}:
        began.append(event)
sys.addaudithook(hook)
sys.path.append({extra!r})
from pathlib import Path
from cvbuild.building import fresh
from cvbuild.cli.main import main
from cvbuild.common.files import file_state
fresh.builtin_folder, file_state.TICK = Path("templates").resolve, 0
code = main({arguments!r})
try:
    # Not getrusage, which knows the parent's peak as well.
    status = open("/proc/self/status").read()
    memory = int(status.partition("VmHWM:")[2].split()[0])
except OSError:
    memory = 0
print(json.dumps([code, began, sorted(sys.modules), memory]))
"""
STARTS = ("subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system")
HEAVY = {
    "pydantic", "jinja2", "yaml", "PIL", "markdown_it", "fontTools", "pikepdf",
    "subprocess", "multiprocessing", "concurrent", "threading", "shutil", "tempfile", "asyncio",
    "dataclasses", "inspect", "logging",
}  # fmt: skip


def spied(*arguments: str) -> tuple[int, list[str], set[str], int, str]:
    code = SPY.format(arguments=list(arguments), extra=str(ROOT), starts=STARTS)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    exit_code, began, modules, memory = json.loads(done.stdout.splitlines()[-1])
    return exit_code, began, set(modules), memory, done.stderr


@pytest.mark.usefixtures("home")
def test_that_nothing_changed_is_found_without_a_process_or_a_library(run: Run) -> None:
    # Nothing to say of the document either, which would load what makes messages.
    Path("people/ada.yaml").write_text("name: Ada\n")
    assert build(run)
    known, person = entries(), Person("ada", PERSON)
    ada = known.person(person)
    assert ada is not None
    ada["documents"]["academic"]["notes"] = []
    known.put(person, ada)
    code, began, modules, _, said = spied("build", "--engine", "embedded")
    assert (code, began) == (0, [])
    assert said.startswith(
        f"✓ {PDF}  1 page, up to date, XCharter, pdflatex (embedded, TeX Live 20"
    )
    assert len(said.splitlines()) == 1
    assert HEAVY & modules == set()
    # The spy sees what it looks for. The built-in templates are elsewhere for it.
    shutil.rmtree("templates")
    Path("people/ada.yaml").write_text("name: Bob\n")
    code, began, modules, _, _ = spied("build", "--engine", "embedded")
    assert code == 0
    assert "subprocess.Popen" in began
    assert {"pydantic", "jinja2", "subprocess"} <= modules


@pytest.mark.deep
@pytest.mark.usefixtures("home")
def test_a_thousand_people_are_looked_at_within_little_memory() -> None:
    """Their documents are made up: nothing reads them."""
    templates = ("academic", "industry", "one-page")
    known = entries()
    ada = known.person(Person("ada", PERSON))
    assert ada is not None
    whole = ada["documents"]["academic"]
    for number in range(1000):
        name = f"p{number}"
        file = Path(f"people/{name}.yaml")
        file.write_text(f"name: {name}\n")
        person = entry(file_state.look(str(file), LATER))
        person["picked"], person["formats"] = list(templates), ["pdf"]
        for template in templates:
            pdf, record = Path(f"out/{name}/{template}.pdf"), Path(f"out/{name}/{template}.json")
            pdf.parent.mkdir(exist_ok=True)
            pdf.write_text(f"{name} {template}")
            record.write_text(f"{name} {template}")
            person["documents"][template] = {
                **whole,
                "files": [(str(one), file_state.look(str(one), LATER)) for one in (pdf, record)],
                "outcome": {**whole["outcome"], "person": name, "path": str(pdf)},
            }
        known.put(Person(name, file), person)
    code, began, modules, memory, said = spied("build", "--engine", "embedded")
    assert (code, began) == (0, [])
    assert "\n3001 up to date in " in said
    assert "1001 notes on 1001 people; " in said
    assert len(said.splitlines()) == 2
    assert not {"pydantic", "jinja2", "yaml", "subprocess"} & modules
    assert memory < 60 * 1024


@pytest.mark.usefixtures("home")
def test_status_of_what_was_never_built_reads_no_persons_file(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree("out")
    assert run("build", "--format", "txt").code == 0
    monkeypatch.setattr(source, "load", lambda *_, **__: pytest.fail("a person's file is read"))
    assert "never built" in run("status").out


def fill(kept: Store, name: str, age: float = 0, own: str = "") -> None:
    """An entry with a file of 1,000 bytes that was written so many seconds ago."""
    kept.put(name, "answer", own=dict.fromkeys([own or f"{name}.tfm"], bytes(1000)))
    then = time.time() - age
    for file in (f"{name}.json", own or f"{name}.tfm"):
        os.utime(kept.folder / file, (then, then))


def test_beyond_the_limit_only_what_is_in_use_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Store(tmp_path)
    for name, age in (("a", 4000), ("b", 2000), ("c", 3000), ("d", 10)):
        fill(kept, name, age)
    (tmp_path / "0.lock").write_text("")
    (tmp_path / "left.new").write_text("")
    (tmp_path / "new-0-killed/inner").mkdir(parents=True)
    for name in ("0.lock", "left.new", "new-0-killed"):
        os.utime(tmp_path / name, (1, 1))
    assert kept.get("c") == "answer", "using it makes it young"
    fill(kept, "e")
    assert {path.stem for path in tmp_path.iterdir()} > {"a", "b", "left", "new-0-killed"}
    monkeypatch.setattr(user_cache, "LIMIT", 2200)
    fill(kept, "e")
    names = {path.stem for path in tmp_path.iterdir()}
    assert names == {"0", "c", "d", "e"}, "what may be in use stays, whatever the limit"


def test_a_file_of_two_entries_goes_with_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Store(tmp_path)
    fill(kept, "a", 4000, "font.pfb")
    fill(kept, "b", 0, "font.pfb")
    monkeypatch.setattr(user_cache, "LIMIT", 1)
    fill(kept, "c")
    assert {path.name for path in tmp_path.iterdir()} == {"b.json", "font.pfb", "c.json", "c.tfm"}
    assert kept.get("b") == "answer"


def test_a_clock_that_goes_backwards(tmp_path: Path) -> None:
    """A file from the future may change without getting another time: its hash tells."""
    read, kept = tmp_path / "read.sty", Store(tmp_path)
    read.write_text("one")
    then = read.stat().st_mtime + 1000
    os.utime(read, (then, then))
    kept.put("a", "answer", files=[read])
    assert user_cache.load(tmp_path / "a.json")["files"][str(read)][1] == 0, "its stamp is trusted"
    assert kept.get("a") == "answer"
    read.write_text("two")
    os.utime(read, (then, then))
    assert kept.get("a") is None


def test_another_file_of_the_same_time_and_size_has_another_stamp(tmp_path: Path) -> None:
    path, beside = tmp_path / "file", tmp_path / "beside"
    path.write_bytes(b"one")
    first = file_state.of(path)
    assert first is not None
    beside.write_bytes(b"two")
    os.utime(beside, ns=(first[0], first[0]))
    beside.replace(path)
    second = file_state.of(path)
    assert second is not None
    assert (second[0], second[2]) == (first[0], first[2])
    assert second != first


def test_what_a_killed_build_left_goes_a_day_later(tmp_path: Path) -> None:
    parent = tmp_path.joinpath(*safe_folders.PLACE)
    names = ("cvbuild-01234567", "cvbuild-89abcdef", "cvbuild-mine", "photos")
    for name in names:
        (parent / name / "run").mkdir(parents=True)
    (parent / "cvbuild-76543210").symlink_to(parent / "photos")
    for name in (*names[1:], "cvbuild-76543210"):
        os.utime(parent / name / "run", (0, 0))
    with safe_folders.folder(parent) as used:
        safe_folders.sweep(parent, time.time() - 86_400)
        left = {path.name for path in parent.iterdir()}
        assert left == {"cvbuild-01234567", "cvbuild-mine", "photos", used.parent.name}
    assert (parent / "photos" / "run").is_dir()
    safe_folders.sweep(tmp_path / "none", time.time())


@pytest.mark.parametrize(
    ("platform", "variables", "place"),
    [
        ("linux", {}, ".cache/cvbuild"),
        ("linux", {"XDG_CACHE_HOME": "HOME/xdg"}, "xdg/cvbuild"),
        ("linux", {"XDG_CACHE_HOME": "HOME/xdg", "CVBUILD_CACHE": "HOME/named"}, "named"),
        # A relative one would lie in the project.
        ("linux", {"XDG_CACHE_HOME": "xdg"}, ".cache/cvbuild"),
        ("darwin", {"XDG_CACHE_HOME": "/nowhere"}, "Library/Caches/cvbuild"),
        ("win32", {}, "AppData/Local/cvbuild"),
    ],
)
def test_each_system_has_its_place(
    platform: str,
    variables: dict[str, str],
    place: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (user_cache.VARIABLE, "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": str(tmp_path), **variables}.items():
        monkeypatch.setenv(name, value.replace("HOME", str(tmp_path)))
    monkeypatch.setattr(sys, "platform", platform)
    assert user_cache.resolved() == tmp_path / place
    assert os.name == "nt" or stat.S_IMODE((tmp_path / place).stat().st_mode) == 0o700
    assert user_cache.note(user_cache.resolved()) is None
