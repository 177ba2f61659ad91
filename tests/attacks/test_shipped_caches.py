"""Nothing that a clone brings along is run, or loaded as code: caches are the user's own."""

from __future__ import annotations

import json
import marshal
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from types import CodeType, SimpleNamespace

import deep
import pytest
from texlive import demand_embedded

from cvbuild.common import sealed as seals
from cvbuild.common import user_cache
from cvbuild.outputs.pdf.latex import render
from cvbuild.outputs.pdf.tex import drivers
from cvbuild.outputs.styles.templates import Library

ATTACKS = "Poisoned and damaged caches"
PERSON = """\
name: Ada Example
template: academic
sections:
  - kind: bullets
    items: [{point} point]
"""
POSIX = pytest.mark.skipif(os.name == "nt", reason="files have no modes there")


class Project:
    """A project and a home, and builds in processes of their own that know no CVBUILD_CACHE."""

    def __init__(self, base: Path) -> None:
        self.folder, self.home, self.temporary = base / "project", base / "home", base / "tmp"
        for folder in (self.folder / "people", self.home, self.temporary):
            folder.mkdir(parents=True)
        self.write("One")

    def write(self, point: str) -> None:
        (self.folder / "people/ada.yaml").write_text(PERSON.format(point=point), encoding="utf-8")

    @property
    def cache(self) -> Path:
        return self.home / ".cache/cvbuild"

    @property
    def kept(self) -> Path:
        return self.folder / "out/.build/ada/academic"

    def build(
        self, engine: str = "embedded", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """``cvbuild build``; an empty variable is none."""
        mine = {"HOME": str(self.home), "TMPDIR": str(self.temporary)}
        gone = {"CVBUILD_CACHE": "", "XDG_CACHE_HOME": ""}
        whole = {**os.environ, **mine, **gone, **environment}
        command = [sys.executable, "-m", "cvbuild", "build", "--engine", engine]
        return subprocess.run(
            command,
            cwd=self.folder,
            env={name: value for name, value in whole.items() if value},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def built(self, engine: str = "embedded", **environment: str) -> str:
        """What it says on stderr where it must succeed."""
        done = self.build(engine, **environment)
        assert done.returncode == 0, done
        assert (self.folder / "out/ada/academic.pdf").is_file()
        return done.stderr


@pytest.fixture
def project(tmp_path: Path) -> Project:
    demand_embedded()
    return Project(tmp_path)


def poison(cache: Path, code: CodeType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill a cache of compiled templates with another program, each with the sum that fits."""
    evil = SimpleNamespace(dumps=lambda _: marshal.dumps(code), loads=marshal.loads)
    monkeypatch.setattr(render, "marshal", evil)
    template = Library.at().require("academic")
    environment = render._environment.__wrapped__(template.folders, cache)
    for name in environment.list_templates(extensions=["j2"]):
        environment.get_template(name)
    monkeypatch.undo()


def test_compiled_templates_that_came_with_a_clone(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign = project.folder / "ran"
    code = compile(f"open({str(sign)!r}, 'w')", "x", "exec")
    poison(project.folder / "out/.build/texmf-var", code, monkeypatch)
    assert len(list((project.folder / "out/.build/texmf-var/jinja").iterdir())) > 5
    assert "nothing is kept" not in project.built()
    assert not sign.exists()
    if os.name != "nt":
        assert stat.S_IMODE(project.cache.stat().st_mode) == 0o700
        assert stat.S_IMODE((project.cache / "key").stat().st_mode) == 0o600
    # That this would run it: the same in the user's own cache, which nobody else can write.
    shutil.rmtree(project.cache / "jinja")
    poison(project.cache, code, monkeypatch)
    project.write("Another")
    project.build()
    assert sign.exists()


@pytest.mark.deep
def test_the_project_holds_documents_records_and_logs_alone(project: Project) -> None:
    project.built()
    project.write("Another")
    project.built()
    out = project.folder / "out"
    found = {
        re.sub("[0-9a-f]{8}", "HASH", path.relative_to(out).as_posix())
        for path in out.rglob("*")
        if path.is_file()
    }
    assert found == {
        "ada/academic.pdf",
        ".build/ada/fresh-HASH.json",
        *(
            f".build/ada/academic/{name}"
            for name in ("cv.tex", "cv.log", "record.json", "start.json")
        ),
    }
    kept = {path.name for path in project.cache.iterdir()}
    assert {"formats", "jinja", "key", "probes"} <= kept
    assert list(project.temporary.iterdir()) == []
    assert {path.name for path in project.home.iterdir()} == {".cache"}


@pytest.mark.usefixtures("requires_embedded")
def test_auxiliary_files_that_came_with_a_clone(project: Project, tex_cache: Path) -> None:
    """TeX reads them as a program."""
    cache = str(tex_cache.resolve())
    evil = "\\errmessage{x}"
    for place in (project.kept / "warm", project.kept, project.folder):
        place.mkdir(parents=True, exist_ok=True)
        (place / "cv.aux").write_text(f"{evil}\n", encoding="utf-8")
    project.built("embedded", CVBUILD_CACHE=cache)
    project.write("Another")
    project.built("embedded", CVBUILD_CACHE=cache)


@pytest.mark.deep
def test_how_tex_was_started_on_another_machine(project: Project, tmp_path: Path) -> None:
    """The setup in start.json is a program for TeX, too."""
    project.built()
    place, cache = project.kept, project.cache
    assert drivers.load_start(place, 0, cache) is not None
    sealed = (place / "start.json").read_text("utf-8")
    data = json.loads(seals.unseal(sealed, user_cache.key(cache)))
    for text in (seals.seal(json.dumps(data)), seals.seal(json.dumps(data), b"x" * 32)):
        (place / "start.json").write_text(text, encoding="utf-8")
        assert drivers.load_start(place, 0, cache) is None
    (place / "start.json").write_text(sealed, encoding="utf-8")
    start = drivers.load_start(place, 0, cache) or pytest.fail("not remembered")
    assert ({job.cache for job in start[1]}, "cache" in data) == ({cache}, False)
    assert drivers.load_start(place, 0, tmp_path / "another") is None


@POSIX
@pytest.mark.parametrize("mode", deep.but([0o720], [0o755, 0o777, 0o720]))
def test_a_cache_that_others_may_open_is_not_used(project: Project, mode: int) -> None:
    project.cache.mkdir(parents=True)
    project.cache.chmod(mode)
    said = project.built()
    assert "nothing is kept for the next build" in said
    assert f"{project.cache}: it is open to others" in said
    assert "chmod 700" in said
    assert list(project.cache.iterdir()) == []
    assert list(project.temporary.iterdir()) == []


@pytest.mark.deep
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs another user")
def test_another_user_s_cache_is_not_used(project: Project) -> None:
    project.cache.mkdir(parents=True, mode=0o700)
    os.chown(project.cache, 12345, 12345)
    assert "belongs to another user" in project.built()
    assert list(project.cache.iterdir()) == []


@pytest.mark.deep
@pytest.mark.parametrize("how", ["in the way", "is a file", "no home"])
def test_where_there_is_no_cache(project: Project, how: str) -> None:
    none = project.home / "none"
    changed = {"HOME": str(none)} if how == "no home" else {}
    if how == "in the way":
        project.cache.parent.write_text("")
    elif how == "is a file":
        project.cache.parent.mkdir()
        project.cache.write_text("")
    assert "nothing is kept for the next build" in project.built(**changed)
    assert not none.exists()
    assert list(project.temporary.iterdir()) == []
    assert not (project.folder / "out/.build/texmf-var").exists()
    # Nobody can tell then whether the record is the user's own.
    assert "up to date" not in project.built(**changed)


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
    assert user_cache.folder() == tmp_path / place
    assert os.name == "nt" or stat.S_IMODE((tmp_path / place).stat().st_mode) == 0o700
    assert user_cache.note(user_cache.folder()) is None


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
