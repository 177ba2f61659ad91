"""A kind, an option of all styles and a command, each made in a copy of cvbuild: few files each.

Styles, outputs and importers, which need no file of cvbuild's to be changed but a registry's line,
are in test_seams.py.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pikepdf
import pytest

ROOT = Path(__file__).parents[1]
#: What is run in the copy, and what it prints.
Sh = Callable[..., str]


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the program and its templates, with a workspace in it."""
    for folder in ("cvbuild", "templates"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.pyc"))
    (tmp_path / "people").mkdir()
    return tmp_path


@pytest.fixture
def sh(copied: Path) -> Sh:
    """Run the copy's command line there."""

    def run(*words: str) -> str:
        env = os.environ | {"PYTHONPATH": str(copied)}
        done = subprocess.run(
            [sys.executable, "-m", "cvbuild", *words],
            cwd=copied, env=env, capture_output=True, text=True, check=False, timeout=200,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def write(folder: Path, files: dict[str, str]) -> None:
    """Write each file; one whose text begins with a line and "…" is changed after that line."""
    for name, text in files.items():
        path = folder / name
        after, mark, more = text.partition("…\n")
        if not mark:
            path.write_text(text, encoding="utf-8")
            continue
        before = path.read_text(encoding="utf-8")
        assert before.count(after) == 1, (name, after)
        path.write_text(before.replace(after, after + more), encoding="utf-8")


KIND = {
    "cvbuild/model/kinds/hobby.py": '''\
"""What people do when they don't work."""

from cvbuild.model.base import Prose
from cvbuild.model.kinds.describe import Head, Kind, Listed
from cvbuild.model.sections import Item


class Hobby(Item):
    """Something that is done for its own sake."""

    name: Prose
    """What it is."""
    years: Prose | None = None
    """For how long."""


HOBBY = Kind(
    "hobby",
    Hobby,
    about="Hobbies.",
    weight=10,
    text=(Head("name", "years"),),
    json=Listed("interests"),
)
''',
    "cvbuild/model/locales/tables/en.toml": 'reference = "References"\n…\nhobby = "Hobbies"\n',
    "templates/_core/sections/hobby.tex.j2": """\
<% import "macros.tex.j2" as cvb with context %>
<< cvb.head(section) >>
<% for group in section.groups %>
<< cvb.group_head(group) >>
<% for item in group.items %>
\\CvbFact{id=<< item.id >>, title={<< item.name >>}, org={<< cvb.commas([item.years]) >>}}
<% endfor %>
<% endfor %>
""",
}


@pytest.mark.usefixtures("requires_embedded")
def test_a_new_kind(copied: Path, sh: Sh) -> None:
    write(copied, KIND)
    (copied / "people/ada.yaml").write_text(
        "name: Ada Example\nsections: [{kind: hobby, items: [{name: Chess, years: 9 years}]}]\n"
    )
    sh("build", "ada", "--engine", "embedded", "--format", "pdf,html,docx,txt,md,json")
    text = (copied / "out/ada/academic.txt").read_text(encoding="utf-8")
    assert "Chess, 9 years" in text
    assert "hobbies" in text.lower()
    assert "Hobbies" in (copied / "out/ada/academic.html").read_text(encoding="utf-8")


OPTION = {
    "templates/_core/template.yaml": """\
options:
…
  text-colour:
    type: colour
    default: "000000"
    doc: "colour of the text: a name or RRGGBB"
    package: textcolour
""",
    "templates/_core/cvb-core-options.sty": """\
\\bool_new:N \\l__cvb_letter_bool
…
\\keys_define:nn { cvb / option }
  {
    textcolour .code:n =
      { \\AddToHook { begindocument/end } { \\definecolor { x } { HTML } {#1} \\color { x } } } ,
  }
""",
}


@pytest.mark.usefixtures("requires_embedded")
def test_a_new_option_of_all_styles(copied: Path, sh: Sh) -> None:
    write(copied, OPTION)
    (copied / "people/ada.yaml").write_text(
        "name: Ada Example\noptions: {text-colour: '800080'}\nsummary: Engines and proofs.\n"
    )
    assert "text-colour" in sh("templates", "one-page")
    sh("build", "ada", "-t", "one-page", "-t", "academic", "--engine", "embedded")
    for style in ("one-page", "academic"):
        with pikepdf.open(copied / f"out/ada/{style}.pdf") as pdf:
            colours = {
                tuple(round(float(part), 2) for part in one.operands)
                for one in pikepdf.parse_content_stream(pdf.pages[0])
                if str(one.operator) == "rg"
            }
        assert (0.5, 0.0, 0.5) in colours


COMMAND = {
    "cvbuild/cli/commands/names.py": '''\
"""``cvbuild names``: whose files are in people/."""

from __future__ import annotations

import argparse

from cvbuild.cli import console
from cvbuild.inputs import people


def run(given: argparse.Namespace) -> int:
    """Print a name a line; with --upper in capitals."""
    for person in people.everyone(people.FOLDER):
        console.answer(person.name.upper() if given.upper else person.name)
    return 0
''',
    "cvbuild/cli/command_table.py": """\
COMMANDS: dict[str, Command] = {
…
    "names": Command("print whose files are in people/", flag("--upper", "in capitals")),
""",
}


def test_a_new_command(copied: Path, sh: Sh) -> None:
    write(copied, COMMAND)
    (copied / "people/ada.yaml").write_text("name: Ada Example\n")
    path = copied / "cvbuild/cli/arguments.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"look": ("status", ', '"look": ("names", "status", '))
    assert sh("names", "--upper") == "ADA\n"
    assert "print whose files are in people/" in sh("--help")
    assert "--upper" in sh("names", "--help")
