"""Nothing that a clone brings along is run or loaded as code; what is damaged is made again."""

from __future__ import annotations

import json
import marshal
import os
import random
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, SimpleNamespace

import deep
import forks
import pytest
from projects import COMMANDS, WORDS, Files, Project, put
from texlive import demand_embedded

from cvbuild.common.files import file_state, user_cache
from cvbuild.outputs.pdf import latex
from cvbuild.outputs.styles.templates import Library

POSIX = pytest.mark.skipif(os.name == "nt", reason="files have no modes there")
ONE = (*COMMANDS["build"], "-t", "academic")
PDFS = ("out/ada/academic.pdf", "out/ada/one-page.pdf")


class Clone(Project):
    """A project and a home beside it, whose processes know no CVBUILD_CACHE."""

    def __init__(self, base: Path, launch: forks.Run | None = None) -> None:
        self.base, self.home, self.temporary = base, base / "home", base / "tmp"
        for folder in (self.home, self.temporary):
            folder.mkdir(parents=True, exist_ok=True)
        own = {"HOME": str(self.home), "TMPDIR": str(self.temporary)}
        none = {"CVBUILD_CACHE": "", "XDG_CACHE_HOME": ""}
        super().__init__(base / "project", launch=launch, **own, **none)
        self.cache = self.home / ".cache/cvbuild"
        self.kept = self.root / "out/.build/ada/academic"

    def copy(self, base: Path) -> Clone:
        return Clone(shutil.copytree(self.base, base), self.launch)

    def left(self) -> list[Path]:
        """What is left for the next build; locks are empty anyway."""
        paths = sorted(path for top in (self.root / "out", self.cache) for path in top.rglob("*"))
        return [path for path in paths if path.is_file() and not path.name.endswith("lock")]


@pytest.fixture
def project(tmp_path: Path) -> Clone:
    demand_embedded()
    return Clone(tmp_path)


def poison(cache: Path, code: CodeType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill a cache of compiled templates with another program, each with the sum that fits."""
    evil = SimpleNamespace(dumps=lambda _: marshal.dumps(code), loads=marshal.loads)
    monkeypatch.setattr(latex, "marshal", evil)
    template = Library.at().require("academic")
    environment = latex._environment.__wrapped__(template.folders, cache)
    for name in environment.list_templates(extensions=["j2"]):
        environment.get_template(name)
    monkeypatch.undo()


def test_compiled_templates_that_came_with_a_clone(
    project: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign = project.root / "ran"
    code = compile(f"open({str(sign)!r}, 'w')", "x", "exec")
    poison(project.root / "out/.build/texmf-var", code, monkeypatch)
    assert len(list((project.root / "out/.build/texmf-var/jinja").iterdir())) > 5
    assert "nothing is kept" not in project.made(*ONE)
    assert not sign.exists()
    if os.name != "nt":
        assert stat.S_IMODE(project.cache.stat().st_mode) == 0o700
        assert stat.S_IMODE((project.cache / "key").stat().st_mode) == 0o600
    # That this would run it: the same in the user's own cache, which nobody else can write.
    shutil.rmtree(project.cache / "jinja")
    poison(project.cache, code, monkeypatch)
    project.write(WORDS[1])
    project.run(*ONE)
    assert sign.exists()


def test_auxiliary_files_that_came_with_a_clone(project: Clone, tex_cache: Path) -> None:
    """TeX reads them as a program; and formats and templates aren't kept in a project."""
    project.environment["CVBUILD_CACHE"] = str(tex_cache.resolve())
    for place in (project.kept / "warm", project.kept, project.root):
        place.mkdir(parents=True, exist_ok=True)
        (place / "cv.aux").write_text("\\errmessage{x}\n", "utf-8")
    project.made(*ONE)
    project.write(WORDS[1])
    project.made(*ONE)
    names = {path.name for path in (project.root / "out").rglob("*") if path.is_file()}
    mine = {"academic.pdf", "cv.tex", "cv.log", "cv.aux", "record.json"}
    assert {name for name in names if not name.startswith("fresh-")} == mine
    assert list(project.temporary.iterdir()) == []


@POSIX
@pytest.mark.parametrize(
    "how", [0o755, 0o777, 0o720, "is a file", "in the way", "no home", "another user's"]
)
def test_a_cache_that_can_t_be_used(
    how: int | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    cache = home / ".cache/cvbuild"
    for name, value in ((user_cache.VARIABLE, ""), ("XDG_CACHE_HOME", ""), ("HOME", str(home))):
        monkeypatch.setenv(name, value)
    if place := {"in the way": cache.parent, "is a file": cache}.get(str(how)):
        place.parent.mkdir(parents=True)
        place.write_text("")
    elif how != "no home":
        cache.mkdir(parents=True)
        cache.chmod(how if isinstance(how, int) else 0o700)
    if how == "another user's":
        if os.geteuid():
            pytest.skip("needs another user")
        os.chown(cache, 12345, 12345)
    assert not (used := user_cache.resolved()).is_relative_to(tmp_path)
    reason = "it is open to others.*chmod 700" if isinstance(how, int) else "nothing is kept"
    assert re.search(reason, str(user_cache.note(used)))
    assert home.exists() is (how != "no home")


@POSIX
@pytest.mark.deep
def test_a_build_without_a_cache(project: Clone) -> None:
    project.cache.parent.write_text("")
    assert "nothing is kept for the next build" in project.made(*ONE)
    assert [*project.temporary.iterdir()] == []
    # Nobody can tell then whether the record is the user's own.
    assert "up to date" not in project.made(*ONE)


@POSIX
@pytest.mark.parametrize("how", ["open", "short", "long", "link", "empty"])
def test_a_key_that_may_be_known_is_made_anew(tmp_path: Path, how: str) -> None:
    place = tmp_path / "key"
    content = {"short": b"x" * 31, "long": b"x" * 33, "empty": b""}.get(how, b"x" * 32)
    place.write_bytes(content)
    place.chmod(0o644 if how == "open" else 0o600)
    if how == "link":
        place.rename(tmp_path / "target")
        place.symlink_to(tmp_path / "target")
    found = user_cache.key(tmp_path)
    assert found != content
    assert place.read_bytes() == found
    assert not place.is_symlink()
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_a_key_that_can_t_be_kept_is_this_process_s(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = user_cache.key(tmp_path / "file/cache")
    assert len(found) == 32
    assert user_cache.key(tmp_path / "file/cache") == found


def foreign_key(path: Path) -> None:
    text = path.read_bytes().partition(b"\n")[2].decode(errors="replace")
    path.write_bytes(user_cache.seal(text, b"x" * 32))


def other_version(path: Path) -> None:
    try:
        data = {**json.loads(path.read_bytes().partition(b"\n")[2]), "version": "9", "form": 99}
    except (ValueError, TypeError):
        data = {"version": "9", "form": 99}
    path.write_bytes(user_cache.seal(json.dumps(data)))


Made = tuple[Clone, dict[str, Files]]
DAMAGES: dict[str, Callable[[Path], object]] = {
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "empty": lambda path: path.write_bytes(b""),
    "deep": lambda path: path.write_bytes(b"[" * 200_000),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(5000)),
    "a list": lambda path: path.write_bytes(user_cache.seal("[1]")),
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
        "PDF": r"out/ada/[\w-]+\.pdf", "record": r"record\.json",
        "log": r"cv\.log", "TeX": r"cv\.tex", "entry": r"/fresh-", "probe": r"/probes/",
        "key": r"cvbuild/key", "code": r"/jinja/", "format": r"/formats/.*json",
        "dump": r"/formats/.*fmt", "face": r"/faces/.*json", "outlines": r"/faces/.*pfb",
        "metrics": r"/faces/.*tfm",
    }.items()
}  # fmt: skip
CASES = [[(file, damage) for damage in (*DAMAGES, *REPLACED)] for file in FILES]
#: Each file once in a run, or with everything.
DRAWN = [case for cases in CASES for case in deep.sample(cases, 1, cases[0][0])]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """A project that was built twice, by forks, and the documents of both words."""
    demand_embedded()
    right = {}
    with forks.server() as run:
        work = Clone(tmp_path_factory.mktemp("work"), run)
        for word in reversed(WORDS):
            work.write(word)
            work.made()
            right[word] = work.published()
            assert {*right[word]} == {*PDFS}
        yield work, right


@pytest.mark.deep
@pytest.mark.parametrize("case", DRAWN, ids="-".join)
def test_a_file_that_is_damaged_or_replaced(
    case: tuple[str, str], made: Made, tmp_path: Path
) -> None:
    (file, damage), (work, right) = case, made
    kept = work.copy(tmp_path / "kept")
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "file").write_text("mine", "utf-8")
    paths = [path for path in kept.left() if FILES[file].search(path.as_posix())]
    assert paths
    assert all(any(it.search(str(path)) for it in FILES.values()) for path in kept.left())
    for path in paths:
        if damage in DAMAGES:
            DAMAGES[damage](path)
            continue
        path.unlink()
        put(damage, path, victim / "file")
    for word in WORDS:
        kept.write(word)
        done = kept.run()
        if done.returncode == 0:
            assert kept.published() == right[word]
            assert all(stat.S_ISREG((kept.root / name).lstat().st_mode) for name in PDFS)
        else:
            # What isn't cvbuild's own is not deleted; the message says what is in the way.
            assert damage == "folder", done
            assert any(path.name in done.stderr for path in paths), done
    assert (victim / "file").read_text("utf-8") == "mine"
    assert [path.name for path in victim.iterdir()] == ["file"]


@pytest.mark.deep
def test_what_came_with_a_clone_has_not_the_user_s_seal(made: Made, tmp_path: Path) -> None:
    """A record says of another PDF that it was built."""
    work, right = made
    clone = work.copy(tmp_path / "clone")
    record = clone.kept / "record.json"
    evil = right[WORDS[0]][PDFS[0]] + b"\n% not what the person wrote\n"
    code, _, text = record.read_text("utf-8").partition("\n")
    data = json.dumps({**json.loads(text), "file_hash": file_state.hash_of(evil)})
    forgeries: tuple[Callable[[str], bytes], ...] = (
        str.encode, user_cache.seal, partial(user_cache.seal, key=b"x" * 32),
        lambda text: f"{code}\n{text}".encode(),
    )  # fmt: skip
    for forged in forgeries:
        (clone.root / PDFS[0]).write_bytes(evil)
        record.write_bytes(forged(data))
        for entry in (clone.root / "out/.build").glob("*/fresh-*.json"):
            entry.unlink()
        clone.made()
        assert clone.published() == right[WORDS[0]]
