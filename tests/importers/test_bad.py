"""Bad input: each folder of ``bad`` has a file to import, and the exact words that it gets.

``given.*`` (or the folder ``given``) is imported with ``--as ada``; further arguments are in
``arguments.txt``. ``expected.txt`` has the exit code, then what is written to stderr, then, if a
file is written, its text after a line ``-- people/ada.yaml``. ``CVBUILD_WRITE_EXPECTED=1`` writes
it anew: read the difference.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from conftest import Run

BAD = Path(__file__).parent / "bad"
CASES = sorted(path.name for path in BAD.iterdir() if path.is_dir())
IS_WRITING = bool(os.environ.get("CVBUILD_WRITE_EXPECTED"))
#: Words of Python and its libraries, which say nothing to the author of a CV.
JARGON = ("Traceback", "Error:", "NoneType", "dict", "tuple", "Expecting ", "codec", "pydantic")


def said(case: str, run: Run) -> str:
    arguments = Path("arguments.txt")
    more = arguments.read_text("utf-8").split() if arguments.exists() else []
    (given,) = sorted(path.name for path in Path().iterdir() if path.stem == "given")
    ran = run("import", given, "--as", "ada", *more)
    written = Path("people/ada.yaml")
    # The table of counts is asked elsewhere: it would change with each new section.
    said = [line for line in ran.err.splitlines() if not line.startswith("  ")]
    found = "\n".join([f"exit {ran.code}", *said, ""])
    if written.exists():
        assert ran.code == 0, "a file was written, and is not valid"
        found += f"-- {written}\n{written.read_text('utf-8')}"
    # Nothing half written, no leftovers.
    made = {path.name for path in Path().iterdir()} - {path.name for path in (BAD / case).iterdir()}
    assert made <= {"people"}
    assert [path.name for path in Path("people").glob("*")] == ["ada.yaml"] * written.exists()
    return found


@pytest.mark.parametrize("case", CASES)
def test_what_is_said(case: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shutil.copytree(BAD / case, tmp_path / case, symlinks=True))
    found = said(case, run)
    if IS_WRITING:
        (BAD / case / "expected.txt").write_text(found, "utf-8")
    assert found == (BAD / case / "expected.txt").read_text("utf-8")
    messages = found.partition("\n-- people/")[0]
    assert [word for word in JARGON if word in messages] == []
    assert "please report it" not in messages
    first, *_ = messages.splitlines()
    assert first in ("exit 0", "exit 1", "exit 2")
    assert first == "exit 0" or "; " in messages, "no hint"
