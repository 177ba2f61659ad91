"""New workspaces: `cvbuild init`, and the same files by copier."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import checkouts
import copier
import pytest
import yaml
from conftest import Run
from texlive import demand_embedded
from workspaces import files_of

from cvbuild.cli import main
from cvbuild.outputs.pdf.tex.find import APT_TEXLIVE, BREW_TEXLIVE

SCHEMAS = {f"docs/{name}.schema.json" for name in ("profile", "application", "workspace")}
FILES = {
    ".gitignore", "Makefile", "README.md", "applications/example-lab.yaml", "cvbuild.yaml",
    "people/ada-example.yaml",
}  # fmt: skip
#: What `--agents` adds.
AGENTS = ("AGENTS.md", ".agents/skills/cvbuild/SKILL.md")
PROGRAM = Path(sys.executable).parent / "cvbuild"


@pytest.fixture(autouse=True)
def embedded_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CVBUILD_NO_SYSTEM_TEX", "1")


def test_init_follows_no_link(here: Path, run: Run) -> None:
    for name in ("elsewhere", "links"):
        (here / name).mkdir()
    (here / "links/people").symlink_to(here / "elsewhere")
    run("init", "links")
    assert not [*(here / "elsewhere").iterdir()]


def commands(text: str) -> list[str]:
    return re.findall(r"`cvbuild ([a-z][^`]*)`", text)


@pytest.mark.usefixtures("here")
def test_whatever_the_files_name_is_there(run: Run) -> None:
    assert run("init", "w").code == 0
    root = Path("w").resolve()
    named = 0
    for name, content in files_of(root).items():
        if name in SCHEMAS:
            continue
        text = content.decode()
        if schema := text.splitlines()[0].partition("$schema=")[2]:
            target = ((root / name).parent / schema).resolve()
            assert target.relative_to(root).as_posix() in SCHEMAS
        # No page of documentation comes along.
        assert {*re.findall(r"docs/[\w.-]+", text)} <= SCHEMAS, name
        for command in commands(text):
            words = re.findall(r'"[^"]*"|\S+', command)
            main.parser().parse_args([word.strip('"') for word in words])
            named += 1
        hosts = set(re.findall(r"https?://([^/\s)\]]+)", text))
        assert hosts <= {"example.org", "example.com"}, name
    assert named > 12


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make: apt-get install make")
def test_the_makefile_of_a_workspace(here: Path, run: Run) -> None:
    assert run("init", ".").code == 0
    text = (here / "Makefile").read_text("utf-8").replace("\\\n", " ")
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony
    listed = checkouts.run("make", "help", cwd=here).stdout
    targets = re.findall(r"^  make ([a-z-]+) +\S", listed, re.MULTILINE)
    assert sorted(targets) == sorted({*phony[1].split()} - {"program"})
    apt = re.search(r"^APT_TEXLIVE := (.*)$", text, re.MULTILINE)
    assert apt
    assert apt[1].split() == APT_TEXLIVE.split()
    assert BREW_TEXLIVE in text
    lost = checkouts.run("make", "CVBUILD=./no-such", cwd=here)
    assert "./no-such is not on PATH: activate its environment" in lost.stderr
    program = f"CVBUILD={PROGRAM}"
    new = checkouts.run("make", program, "new", "NAME=Zoe 'Q' Example", cwd=here)
    assert new.returncode == 0, new.stderr
    checked = checkouts.run("make", program, "check", "PERSON=zoe-q-example", cwd=here)
    assert "1 of 1 files are fine" in checked.stderr


def made(to: Path, **answers: str) -> Mapping[str, bytes]:
    source = checkouts.copy(to.with_name(f"{to.name}-source"))
    copier.run_copy(str(source), to, data=answers, defaults=True, quiet=True)
    return files_of(to)


def test_copier_makes_what_init_makes(here: Path, run: Run) -> None:
    assert run("init", "init", "--agents").code == 0
    by_init = files_of(here / "init")
    by_copier = made(here / "copier")
    assert by_copier == {
        ".copier-answers.yml": by_copier[".copier-answers.yml"],
        **{name: by_init[name] for name in (*FILES, *AGENTS)},
    }


@pytest.mark.deep
def test_a_workspace_with_ci(here: Path) -> None:
    demand_embedded()
    root = here / "cvs"
    answers = {"name": 'Zoë "Z" Example', "person": "zoe", "repository": "example/cvbuild"}
    found = made(root, **answers)
    assert found.keys() == {
        ".copier-answers.yml",
        ".github/workflows/build.yml",
        ".pre-commit-config.yaml",
        *AGENTS,
        "people/zoe.yaml",
        *FILES,
    } - {"people/ada-example.yaml"}
    workflow = yaml.safe_load(found[".github/workflows/build.yml"])
    (job,) = workflow["jobs"].values()
    assert job["steps"][-1]["uses"].startswith("example/cvbuild@")
    assert workflow["permissions"] == {"contents": "read"}
    schema = ("check_jsonschema", "--builtin-schema", "vendor.github-workflows")
    for command in (
        (*schema, ".github/workflows/build.yml"),
        ("pre_commit", "validate-config", ".pre-commit-config.yaml"),
    ):
        done = checkouts.run(sys.executable, "-m", *command, cwd=root)
        assert done.returncode == 0, done.stdout
    checked = checkouts.run(PROGRAM, "check", cwd=root)
    assert checked.returncode == 0, checked.stderr
    for target in ("all", "applications"):
        done = checkouts.run("make", target, f"CVBUILD={PROGRAM}", cwd=root)
        assert done.returncode == 0, done.stderr
    assert (root / "out" / "zoe" / "academic.pdf").read_bytes().startswith(b"%PDF-")
    assert [*(root / "out" / "applications" / "example-lab").glob("*.eml")]


@pytest.mark.parametrize(
    "answers",
    [
        {"name": "---"},
        {"person": "../zoe"},
        {"person": "applications"},
        {"repository": "example/cvbuild@main\n      - run: touch hacked"},
    ],
)
def test_copier_refuses_bad_answers(here: Path, answers: Mapping[str, str]) -> None:
    with pytest.raises(ValueError, match="Validation error"):
        made(here / "cvs", **answers)
