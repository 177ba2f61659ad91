"""Commands: each file of tests/commands has files, the commands that run among them, their output.

    -- people/ada.yaml --        writes a file, up to the next line that begins a step;
                                 several with the same text: -- people/ada.yaml, people/ben.yaml --
    $ cvbuild check              runs a command; below stands all that it prints, and
    ! 1 of 1 files are fine      what it prints to stderr has ! before each line;
    [2]                          last comes the exit code, where it isn't 0

``{*}`` stands for anything within a line, ``{top}`` for the folder of the case. After a command
with --json, ``| documents path cached`` prints these keys of each of ``documents``; ``| grep
PATTERN`` prints the lines that match, ``| sort`` what documents print that are built at once. The
other commands are those of ``Case``. Above the first step stands what the case shows.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import deep
import pytest
from conftest import Run
from texlive import demand_embedded

FOLDER = Path(__file__).parent / "commands"
CASES = sorted(path.stem for path in FOLDER.glob("*.txt"))
#: Those that build with templates of their own.
SLOW = {
    "build-fails", "new-of-three", "new-template", "own-templates", "status-failed",
    "summary-one-error",
}  # fmt: skip
_STEP = re.compile(r"^(?=\$ |-- \S.* --$)", re.MULTILINE)


@pytest.mark.parametrize("case", deep.but({*CASES} - SLOW, CASES))
@pytest.mark.usefixtures("not_apart")
def test_a_case(case: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (FOLDER / f"{case}.txt").read_text("utf-8")
    head, *steps = _STEP.split(text)
    assert re.match(r"[A-Z].*\.$", head, re.DOTALL | re.MULTILINE), "it says what it shows"
    played = Case(run, tmp_path.resolve(), monkeypatch)
    for step in steps:
        line, _, expected = step.partition("\n")
        actual = played.step(line, expected)
        if line.startswith("$ "):
            # As it is written, if it matches: so that a failure shows the difference.
            expected = expected.rstrip("\n")
            assert line + "\n" + (expected if is_like(actual, expected) else actual) == (
                line + "\n" + expected
            )
    assert any(step.startswith("$ cvbuild ") for step in steps)


def is_like(actual: str, expected: str) -> bool:
    return bool(re.fullmatch(".*".join(map(re.escape, expected.split("{*}"))), actual))


class Case:
    """A folder in which steps are played; each returns what it prints."""

    def __init__(self, run: Run, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._run, self._top, self._patch = run, top, monkeypatch
        self._here = top
        monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)

    def step(self, line: str, below: str) -> str:
        # A command goes to the top of its workspace.
        self._patch.chdir(self._here)
        if line.startswith("-- "):
            for path in map(Path, line[3:-3].split(", ")):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(below.rstrip("\n") + "\n", "utf-8")
            return ""
        command, *filters = line[2:].split(" | ")
        name, *arguments = shlex.split(command.replace("{top}", str(self._top)))
        printed = str(getattr(self, name)(*arguments))
        for keys in filters:
            printed = "\n".join(_filtered(printed, *shlex.split(keys)))
        return printed.replace(str(self._top), "{top}")

    def cvbuild(self, *arguments: str) -> str:
        ran = self._run(*arguments)
        assert "Traceback" not in ran.err
        err = "".join(f"! {line}\n" for line in ran.err.splitlines())
        code = f"[{ran.code}]" if ran.code else ""
        return (ran.out + err + code).rstrip("\n")

    def replace(self, name: str, old: str, new: str) -> str:
        text = Path(name).read_text("utf-8")
        assert text.count(old) == 1
        Path(name).write_text(text.replace(old, new), "utf-8")
        return ""

    def ls(self, name: str) -> str:
        files = [path for path in Path(name).rglob("*") if path.is_file()]
        hidden = [path for path in files if "/." in f"/{path.relative_to(name).as_posix()}"]
        return "\n".join(sorted(path.as_posix() for path in files if path not in hidden))

    def cat(self, name: str) -> str:
        return Path(name).read_text("utf-8").rstrip("\n")

    def rm(self, name: str) -> str:
        is_folder = Path(name).is_dir() and not Path(name).is_symlink()
        shutil.rmtree(name) if is_folder else Path(name).unlink()
        return ""

    def mv(self, old: str, new: str) -> str:
        Path(new).parent.mkdir(exist_ok=True)
        Path(old).rename(new)
        return ""

    def ln(self, target: str, name: str) -> str:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).symlink_to(target)
        return ""

    def mkdir(self, name: str) -> str:
        Path(name).mkdir(parents=True)
        return ""

    def cd(self, name: str) -> str:
        self._here = self._here / name
        return ""

    def export(self, assignment: str) -> str:
        self._patch.setenv(*assignment.split("=", 1))
        return ""

    def needs(self, what: str) -> str:
        """Skip the case where there is no embedded TeX; hide other ones."""
        assert what == "tex"
        demand_embedded()
        return self.export("CVBUILD_NO_SYSTEM_TEX=1")


def _filtered(printed: str, name: str, *keys: str) -> list[str]:
    lines = printed.split("\n")
    if name == "sort":
        return sorted(lines)
    if name == "grep":
        return [line for line in lines if re.search(keys[0], line)]
    value, end = json.JSONDecoder().raw_decode(printed)
    return [*_values(value, name, *keys), *printed[end:].split()]


def _values(value: Any, path: str, *keys: str) -> Iterator[str]:
    for name in path.split("."):
        value = value[int(name) if name.isdecimal() else name]
    for item in value if isinstance(value, list) else [value]:
        yield "  ".join(map(_text, [item[key] for key in keys] if keys else [item]))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
