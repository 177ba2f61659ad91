"""The GitHub Action: its schema, and its scripts, which run here as a runner would run them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import checkouts
import pytest
import yaml
from texlive import demand_embedded

ACTION: dict[str, Any] = yaml.safe_load((checkouts.ROOT / "action.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
HOSTILE = "x\"; touch hacked; $(touch hacked) `touch hacked` ' # ${{ github.token }}"


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Path]:
    checkouts.copy(tmp_path / "action")
    restored = checkouts.environment(tmp_path / "temp" / "cvbuild", with_pip=True)
    (restored / ".complete").touch()
    (tmp_path / "work").mkdir()
    yield tmp_path
    assert not [*tmp_path.rglob("hacked")]


def outputs(runner: Path) -> dict[str, str]:
    lines = (runner / "output").read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


def run(step: Mapping[str, Any], runner: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    given = {name: one["default"] for name, one in ACTION["inputs"].items()} | inputs

    def filled(text: str) -> str:
        return re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda found: given[found[1]], text)

    script = runner / "script"
    script.write_text(step["run"])
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
        cwd=runner / "work" / filled(step.get("working-directory", ".")),
        env={
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(runner),
            "CVBUILD_NO_SYSTEM_TEX": "1",
            "GITHUB_ACTION_PATH": str(runner / "action"),
            "GITHUB_OUTPUT": str(runner / "output"),
            "GITHUB_WORKSPACE": str(runner / "work"),
            "RUNNER_TEMP": str(runner / "temp"),
            **{name: filled(value) for name, value in step.get("env", {}).items()},
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_schema_of_actions_accepts_it() -> None:
    command = ("-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", "action.yml")
    done = checkouts.run(sys.executable, *command, cwd=checkouts.ROOT)
    assert done.returncode == 0, done.stdout


def test_no_script_has_an_expression_in_it() -> None:
    scripts = [step["run"] for step in STEPS if "run" in step]
    assert len(scripts) == 4
    for script in scripts:
        assert "${{" not in script
    for step in STEPS:
        assert "shell" in step or "uses" in step


def test_every_action_is_named_by_its_commit() -> None:
    """A tag may be moved to other code; a commit can't."""
    texts = [checkouts.ROOT / "action.yml", *(checkouts.ROOT / "docs").rglob("*.md")]
    texts += (checkouts.ROOT / ".github/workflows").glob("*.yml")
    texts += (checkouts.ROOT / "workspace-template").rglob("*.jinja")
    used = [one for path in texts for one in re.findall(r"uses: (.+)", path.read_text("utf-8"))]
    theirs = [one for one in used if not re.search(r"/cvbuild@|\{", one)]
    assert len(theirs) >= 20
    for one in theirs:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+", one), one
    # The same action is the same everywhere.
    assert len({*theirs}) == len({one.split("@")[0] for one in theirs})


def test_every_input_is_used_and_explained() -> None:
    text = (checkouts.ROOT / "action.yml").read_text("utf-8")
    used = set(re.findall(r"inputs\.([a-z-]+)", text))
    assert used == set(ACTION["inputs"])
    page = (checkouts.ROOT / "docs" / "how-to" / "install.md").read_text("utf-8")
    for name in (*ACTION["inputs"], *ACTION["outputs"]):
        assert f"`{name}`" in page, name


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_its_scripts_build_in_a_bare_folder(runner: Path) -> None:
    demand_embedded()
    packages, install, _, build = (step for step in STEPS if "run" in step)
    done = run(packages, runner)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"[0-9a-f]{64}", outputs(runner)["lock"])
    assert outputs(runner)["path"] == str(runner / "temp" / "cvbuild")
    done = run(install, runner)
    assert done.returncode == 0, done.stderr
    program = runner / "temp" / "cvbuild" / "bin" / "cvbuild"
    for command in (("init", "my cvs"), ("new", "Zoe Example")):
        made = checkouts.run(program, *command, cwd=runner / "work")
        assert made.returncode == 0, made.stderr
    people = runner / "work" / "people"
    shutil.move(people / "zoe-example.yaml", runner / "work" / "my cvs" / "people")
    done = run(build, runner, folder="my cvs", report="", templates="plain, industry")
    assert done.returncode == 0, done.stderr
    out = Path(outputs(runner)["path"])
    assert runner / "temp" in out.parents
    assert not (runner / "work" / "my cvs" / "out").exists()
    built = {path.relative_to(out).as_posix() for path in out.glob("*/*.pdf")}
    names = ("ada-example", "zoe-example")
    assert built == {f"{name}/{style}.pdf" for name in names for style in ("plain", "industry")}
    few = {"people": "\n zoe-example\n\n", "formats": "txt,json", "report": ""}
    done = run(build, runner, folder="my cvs", **few)
    assert done.returncode == 0, done.stderr
    out = Path(outputs(runner)["path"])
    assert {path.name for path in out.glob("zoe-example/*")} == {"academic.txt", "academic.json"}
    # What it is given is nothing but data; what is wrong with it fails the step.
    for name in ("people", "templates", "formats"):
        done = run(build, runner, folder="my cvs", report="", **{name: HOSTILE})
        assert done.returncode in (1, 2), name
        assert "hacked" in done.stderr
    bad = runner / "work" / "my cvs" / "people" / "ada-example.yaml"
    bad.write_text("name: A\ntittle: B\n")
    done = run(build, runner, folder="my cvs")
    assert done.returncode == 1
    told = done.stdout + done.stderr
    assert "::error file=my cvs/people/ada-example.yaml,line=2,col=1," in told


HOSTILE_SETTINGS = """\
defaults: {template: plain, formats: [txt, png]}
"""


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_it_keeps_what_it_built_and_nothing_that_was_sent(runner: Path) -> None:
    """Links in the folders for documents; names with any sign."""
    demand_embedded()
    _, install, _, build = (step for step in STEPS if "run" in step)
    assert run(install, runner).returncode == 0
    work = runner / "work"
    (work / ".git").mkdir()
    (work / ".git" / "config").write_text("token")
    (work / "cvbuild.yaml").write_text(HOSTILE_SETTINGS)
    (work / "people").mkdir()
    for name in ("a b", "new\nline", "a:b"):
        (work / "people" / f"{name}.yaml").write_text("name: Ada Example\nheadline: Engineer\n")
    for folder in ("out", "public"):
        (work / folder / "a b").mkdir(parents=True)
        (work / folder / "config").symlink_to(work / ".git" / "config")
        (work / folder / "environ").symlink_to("/proc/self/environ")
        (work / folder / "a b" / "plain.txt").symlink_to(work / ".git" / "config")
        (work / folder / "a b" / "sent.pdf").write_text("sent")
    done = run(build, runner)
    assert done.returncode == 0, done.stderr
    kept = Path(outputs(runner)["path"])
    found = sorted(path.relative_to(kept).as_posix() for path in kept.rglob("*"))
    assert found == ["a b", "a b/plain.pages", "a b/plain.pages/page-1.png", "a b/plain.txt"]
    assert not any(path.is_symlink() for path in kept.rglob("*"))
    assert "Engineer" in (kept / "a b" / "plain.txt").read_text()
    assert r"as no artifact may have such a name: 'new\nline/plain.txt'" in done.stdout
    assert "as no artifact may have such a name: 'a:b/plain.txt'" in done.stdout
    # Where a list names something else, or a link was put there meanwhile, that stays out.
    (kept.parent / "out" / "link").symlink_to(work)
    listed = [work / ".git" / "config", "/proc/self/environ", kept.parent / "out/link/.git/config"]
    (kept.parent / "list.json").write_text(
        json.dumps({"documents": [{"path": str(one)} for one in listed] + [{"path": None}]})
    )
    tool = checkouts.ROOT / "tools" / "artifact.py"
    done = checkouts.run(sys.executable, "-I", tool, kept.parent, cwd=runner)
    assert (done.returncode, done.stdout.count("it is no file of the build")) == (0, 3)
    assert sorted(path.relative_to(kept).as_posix() for path in kept.rglob("*")) == found


HOOKS = checkouts.ROOT / ".pre-commit-hooks.yaml"
GIT = ("git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")


def pre_commit(*arguments: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return checkouts.run(sys.executable, "-m", "pre_commit", *arguments, cwd=cwd, env=env)


def committed(folder: Path) -> Path:
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x")):
        done = checkouts.run(*GIT, *command, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


def test_the_manifest_is_valid() -> None:
    done = pre_commit("validate-manifest", str(HOOKS), cwd=checkouts.ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("path", "is_checked"),
    [
        ("people/ada.yaml", True),
        ("people/何-国梁.yaml", True),
        ("applications/lab.yaml", True),
        ("cvbuild.yaml", True),
        ("people/ada.private.yaml", False),
        ("people/Ada.PRIVATE.yaml", False),
        ("applications/sent/2026/application.yaml", False),
        ("a/people/ada.yaml", False),
        ("notes/cvbuild.yaml", False),
        ("people/papers.bib", False),
    ],
)
def test_which_files_it_checks(path: str, *, is_checked: bool) -> None:
    (hook,) = yaml.safe_load(HOOKS.read_text("utf-8"))
    found = re.search(hook["files"], path) and not re.search(hook["exclude"], path)
    assert bool(found) is is_checked


@pytest.mark.deep
def test_pre_commit_installs_and_runs_it(tmp_path: Path) -> None:
    """Without the network: what it depends on is that of these tests."""
    source = committed(checkouts.copy(tmp_path / "cvbuild"))
    work = tmp_path / "work"
    made = checkouts.run(sys.executable, "-m", "cvbuild", "init", work, cwd=checkouts.ROOT)
    assert made.returncode == 0, made.stderr
    (work / "people" / "bad.yaml").write_text("name: Bad Example\ntittle: x\n")
    committed(work)
    offline = {
        "PRE_COMMIT_HOME": str(tmp_path / "home"),
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip's way to say yes
        "PIP_NO_INDEX": "1",
    }

    def tried(*files: str) -> subprocess.CompletedProcess[str]:
        hook = ("try-repo", str(source), "cvbuild-check", "--files", *files)
        return pre_commit(*hook, cwd=work, **offline)

    good = tried("people/ada-example.yaml", "applications/example-lab.yaml", "README.md")
    assert good.returncode == 0, good.stdout + good.stderr
    assert "Passed" in good.stdout
    bad = tried("people/bad.yaml")
    assert bad.returncode == 1
    assert 'people/bad.yaml:2:1: unknown key "tittle"' in bad.stdout
    assert "0 of 1 files are fine" in bad.stdout
