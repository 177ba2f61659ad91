"""cvbuild.yaml: whose value counts, what is wrong with it, and that everything uses it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from lettered import request_on
from profiles import DAY
from texlive import demand_embedded
from told import messages, same
from waits import save
from workspaces import GOOD, write

import cvbuild
from cvbuild.applications import documents, load
from cvbuild.building import cluster, pipeline, profiles
from cvbuild.cli import main
from cvbuild.common import limits
from cvbuild.common.diagnostics import ProfileError
from cvbuild.inputs import people, saving
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.templates import Library
from tools.docs import DOCS

LIBRARY = Library.at()
SHARED = Path("cvbuild.yaml")
TEXT = ("--format", "txt")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    top = tmp_path / "work"
    (top / "people").mkdir(parents=True)
    monkeypatch.chdir(top)
    for name in ("ada", "bob", "eve"):
        person(name)
    return top


def person(name: str, more: str = "") -> Path:
    return write(name, GOOD.replace("Ada", name.title()) + more)


def settings(name: str = "ada") -> dict[str, Any]:
    checked = profiles.check(people.find([name])[0], LIBRARY)
    assert checked.profile is not None, checked.diagnostics
    assert checked.source is not None
    profile, source = checked.profile, checked.source
    found: dict[str, Any] = {}
    for key in ("template", "formats", "locale"):
        try:
            source.part((key,))
            span = source.span((key,))
            found[key] = (getattr(profile, key), f"{span.file}:{span.line}")
        except KeyError:
            continue
    template = LIBRARY.require(profile.template[0])
    for key, (value, path) in templates.origins(template, profile).items():
        if path is not None:
            span = source.span(path)
            found[key] = (value, f"{span.file}:{span.line}")
    return found


def test_a_private_overlay_and_python_go_before() -> None:
    SHARED.write_text("defaults: {template: plain, formats: [md], options: {accent: navy}}\n")
    Path("people/ada.private.yaml").write_text("options: {accent: plum}\nformats: [txt]\n")
    private = profiles.check(people.find(["ada"])[0], LIBRARY, private=True).profile
    assert private is not None
    assert (private.options["accent"], private.formats) == ("plum", ("txt",))
    for folder, expected in ((None, "out/ada/plain.txt"), ("mine", "mine/ada/plain.txt")):
        (outcome,) = cvbuild.build(["ada"], formats=["txt"], out=folder)
        assert str(outcome.path) == expected


def test_what_is_required_goes_before_a_persons_own(run: Run) -> None:
    SHARED.write_text(
        "defaults:\n  require: {template: plain, options: {accent: navy, plain: {paper: letter}}}\n"
        "groups: {guests: {people: eve, require: {template: [grid, plain]}}}\n"
    )
    person("bob", "template: bold\noptions: {accent: plum, size: 11, plain: {paper: a4}}\n")
    person("eve", "template: bold\n")
    Path("people/bob.private.yaml").write_text("options: {accent: plum}\n")
    private = profiles.check(people.find(["bob"])[0], LIBRARY, private=True).profile
    assert private is not None
    assert private.options["accent"] == "navy"
    assert settings("ada")["template"] == (("plain",), "cvbuild.yaml:2")
    own = settings("bob")
    assert own["accent"] == ("1F3A5F", "cvbuild.yaml:2")
    assert own["paper"] == ("letter", "cvbuild.yaml:2")
    assert own["size"] == ("11", "people/bob.yaml:4")
    assert settings("eve")["template"] == (("grid", "plain"), "cvbuild.yaml:3")
    said = "people/bob.yaml:3:11: note: cvbuild.yaml requires another template, which counts"
    assert said in run("check", "bob").err
    SHARED.write_text("defaults: {require: {template: plian, options: {plain: {papers: a4}}}}\n")
    assert 'unknown template "plian"' in run("check").err


def test_a_private_value_stays_private() -> None:
    SHARED.write_text("defaults: {options: {footer: {value: A secret, private: true}}}\n")
    public = profiles.check(people.find(["ada"])[0], LIBRARY)
    assert "secret" not in repr(public.profile)
    assert public.source is not None
    assert [one.texts for one in public.source.private] == [("A secret",)]


def test_the_file_beside_the_people_counts_wherever_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SHARED.write_text("defaults: {locale: de}\n")
    Path("eve.yaml").write_text(GOOD)
    Path("other").mkdir()
    Path("other/bob.yaml").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    names = ("people/ada", "eve", "other/bob")
    found = [cvbuild.load_profile(f"work/{name}.yaml").locale for name in names]
    assert found == ["de", "de", "en"]


@pytest.mark.parametrize(("text", "told"), messages("bad/workspace.txt"))
def test_errors_name_the_place_and_what_to_do(run: Run, text: str, told: list[str]) -> None:
    SHARED.write_text(text)
    ran = run("check")
    of_it = [line for line in ran.err.splitlines() if line.startswith("cvbuild.yaml:")]
    assert same([line.removeprefix("cvbuild.yaml:") for line in of_it], told), ran.err
    assert (ran.code, ran.out) == (0 if "include: new" in text else 1, "")


def test_a_file_that_cannot_be_read(run: Run) -> None:
    large = b"defaults: {template: a" + b"#" * (1 << 20)
    for data in (b"locale: \xff", b"\0" * 100, large, b"[" * 5000):
        SHARED.write_bytes(data)
        ran = run("build", "ada", *TEXT)
        assert (ran.code, "Traceback" in ran.err, "cvbuild.yaml" in ran.err) == (1, False, True)


# The limit ends a thread wherever it is; a list of a folder may be open then.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_takes_long_is_refused_or_ends(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    group = "{people: ada, options: {accent: '112233'}}"
    SHARED.write_text("groups:\n" + "".join(f"  g{n}: {group}\n" for n in range(501)))
    ran = run("check", "ada")
    assert ran.err.splitlines()[0] == "cvbuild.yaml:2:3: 501 groups are too many: there may be 500"
    SHARED.write_text("groups:\n" + "".join(f"  g{n}: {group}\n" for n in range(20)))
    monkeypatch.setattr(limits, "SECONDS", 0.01)
    told = profiles.check_workspace(SHARED, people.everyone(), Library.of_workspace())
    assert [one.code for one in told] == ["time-limit"]


def test_applications_match_and_clusters_use_it(run: Run) -> None:
    SHARED.write_text("defaults: {template: industry, locale: de}\n")
    Path("applications").mkdir()
    Path("applications/lab.yaml").write_text("person: ada\nemployer: Lab\nposition: Clerk\n")
    cv = documents.of(load.load("lab", DAY), request_on(DAY), DAY).cv
    assert (cv.style, cv.profile.locale) == ("industry", "de")
    Path("job.txt").write_text("A clerk in Berlin, Berlin, Berlin.\n")
    assert run("match", "lab", "--job", "job.txt", "--json").json["language"] == "de"
    content = cluster.pack(cv)
    data = content["source"].data
    assert isinstance(data, dict)
    assert data["locale"] == "de"
    assert pipeline.choose(cv).options["accent"]


def test_what_was_sent_has_the_file(run: Run) -> None:
    demand_embedded()
    SHARED.write_text("defaults: {template: industry, options: {accent: plum}}\n")
    Path("applications").mkdir()
    Path("applications/lab.yaml").write_text("person: ada\nemployer: Lab\nposition: Clerk\n")
    assert run("apply", "lab", "--sent", "--engine", "embedded").code == 0
    (kept,) = Path("applications/sent").glob("*/")
    assert (kept / "inputs/cvbuild.yaml").read_text() == SHARED.read_text()


@pytest.mark.deep
def test_watch_builds_what_an_edit_of_it_changes() -> None:
    SHARED.write_text("defaults: {formats: txt}\n")
    command = [sys.executable, "-m", "cvbuild", "watch", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdout is not None
        said = (json.loads(line) for line in watch.stdout)
        try:
            _documents(said, 3)
            text = "defaults: {formats: txt}\ngroups: {a: {people: eve, locale: de}}\n"
            save(SHARED, text)
            built = _documents(said, 3)
            assert {one["person"]: one["cached"] for one in built} == {
                "ada": True, "bob": True, "eve": False,
            }  # fmt: skip
        finally:
            watch.terminate()


def _documents(said: Iterator[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while len(found) < count:
        one = next(said)
        found += [one] if "template" in one else []
    return found


def test_the_starter_and_its_comments_are_valid() -> None:
    """Each example in a comment is one that works."""
    rows = saving.workspace_files("ada-example")["cvbuild.yaml"].splitlines()
    plain = [row.removeprefix("# ") for row in rows[4:]]
    SHARED.write_text("\n".join(plain))
    person("ada-example")
    assert settings("ada-example")["template"] == (("academic",), "cvbuild.yaml:12")
    SHARED.write_text(saving.workspace_files("ada-example")["cvbuild.yaml"])
    assert settings("ada-example") == {}
    page = (DOCS / "how-to" / "workspace.md").read_text("utf-8")
    with pytest.raises(ProfileError):
        cvbuild.load_profile("people/none.yaml")
    assert all(f"`{key}`" in page for key in ("template", "formats", "options", "locale"))


SOMEBODY = "name: {}\nsections: [{{kind: bullets, items: [One point]}}]\n"
ROOT = Path(__file__).parents[1]


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "home" / "work"
    for folder in ("people", "applications", "deep/er"):
        (made / folder).mkdir(parents=True)
    for stem, name in (("ada", "Ada Example"), ("zoe", "{given: Zoë, family: Example}")):
        (made / f"people/{stem}.yaml").write_text(SOMEBODY.format(name), "utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(made)
    return made


def test_the_search_ends_where_others_could_put_a_workspace(top: Path) -> None:
    inner, home = top / "deep/er", top.parent
    assert main.top(inner) == top
    (top / "deep/cvbuild.yaml").touch()
    assert main.top(inner) == top / "deep"
    (top / "deep/cvbuild.yaml").unlink()
    shutil.rmtree(top / "people")
    assert main.top(inner) == inner
    (home / "cvbuild.yaml").touch()
    assert main.top(inner) == home
    top.chmod(0o777)
    assert main.top(inner) == inner
    top.chmod(0o755)
    if hasattr(os, "getuid") and os.getuid() == 0:
        os.chown(top, 65534, -1)
        assert main.top(inner) == inner
        assert main.top(top) == home
        os.chown(top, 0, -1)
    (home / "cvbuild.yaml").unlink()
    (home.parent / "cvbuild.yaml").touch()
    assert main.top(inner) == inner
    assert not main._is_ours(top, top.stat().st_dev + 1)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="only where folders have owners")
def test_a_workspace_that_others_may_write_to_is_named(
    run: Run, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (top / "cvbuild.yaml").touch()
    (top / "deep").mkdir(exist_ok=True)
    top.chmod(0o777)
    monkeypatch.chdir(top / "deep")
    ran = run("build")
    assert ran.code == 2
    assert ran.err.endswith(f"not yours alone; if you trust it: cvbuild -C {top}\n")


@pytest.mark.skipif(os.name == "nt", reason="a folder is made unreadable by its mode")
def test_a_folder_of_people_that_cannot_be_read(run: Run, top: Path) -> None:
    folder = top / "people"
    folder.chmod(0)
    try:
        if os.access(folder, os.R_OK):
            pytest.skip("this user may read everything")
        ran = run("build")
    finally:
        folder.chmod(0o755)
    assert (ran.code, ran.out) == (2, "")
    assert "people/ can't be read: permission denied; check its permissions" in ran.err


def test_of_many_people_a_few_are_named(run: Run, top: Path) -> None:
    for number in range(60):
        (top / f"people/p{number}.yaml").touch()
    assert run("check", "Xxxx").err.endswith(", …\n")


#: The name in the file, the stem that it gets, and one that a file may have.
LETTERS = {
    "Oskar Yılmaz": ("oskar-yilmaz", "oskar-yılmaz"),
    "Søren Rossi": ("soren-rossi", "søren-rossi"),
    "Łucja Weiß": ("lucja-weiss", "łucja-weiß"),
    "Prof. Jürgen van Müller": ("prof-jurgen-van-muller", "jm"),
    "Ünal, Ayşe": ("unal-ayse", "a"),
    "何佳慧": ("何佳慧", "何佳慧"),
}


@pytest.mark.usefixtures("top")
@pytest.mark.parametrize("name", LETTERS)
def test_letters_beyond_ascii(run: Run, name: str) -> None:
    new, old = LETTERS[name]
    ran = run("new", name)
    assert ran.err.startswith(f"wrote people/{new}.yaml;"), ran.err
    Path(f"people/{new}.yaml").rename(f"people/{old}.yaml")
    assert run("check", old).err.endswith("1 of 1 files are fine\n")
    if len(old) > 2:
        assert f"people/{old}.yaml exists already" in run("new", name).err


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make: apt-get install make")
def test_make_takes_names_as_they_are(top: Path) -> None:
    programs = top / "bin"
    programs.mkdir()
    for program, first in (("cvbuild", 1), ("python", 3)):
        (programs / program).write_text(
            f"#!{sys.executable}\nimport sys\nprint(sys.argv[{first}:])\n"
        )
        (programs / program).chmod(0o755)
    (top / "Makefile").write_text(saving.workspace_files("ada-example")["Makefile"])
    shutil.copy(ROOT / "Makefile", top / "ours.mk")
    evil = "x\"; touch a; \"$(touch b)`touch c`$(shell touch d)$$(touch e) '%s' ${HOME}"
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    ours = ("make", "-f", "ours.mk", f"PY={programs / 'python'}", "-o", ".venv/.installed")
    for line in (("make",), ours):
        for name in ("Zoe Example", evil, "-j", "--force"):
            words = [f"PERSON={name}", f"TEMPLATE={name}", f"LOCALE={name}"]
            done = subprocess.run(
                [*line, *words], cwd=top, env=environment, capture_output=True, check=False
            )
            expected = ["build", f"--template={name}", f"--locale={name}", "--", name]
            assert str(expected) in done.stdout.decode(), done
    assert {path.name for path in top.iterdir()}.isdisjoint("abcde")
