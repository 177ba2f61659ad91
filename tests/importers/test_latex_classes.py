"""The tables of LaTeX classes: each line says something that the importer knows."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from conftest import Run

from cvbuild.importers.documents.latex import tables

FOLDER = Path(tables.__file__).parent / "classes"
EXAMPLES = Path(__file__).parent / "examples"
FILES = sorted(path.stem for path in FOLDER.glob("*.toml"))
#: What a command can make, and what its arguments can be: docs/internals/importing.md.
MAKES = frozenset((
    "section", "group", "entry", "more", "row", "role", "keyed", "point", "keyword", "reference",
    "head", "inside", "dated", "letter", "lost", "bars", "hidden", "plain", "lines", "list",
    "table",
))  # fmt: skip
SLOTS = frozenset((
    "title", "organization", "date", "location", "grade", "body", "text", "right",
    "note", "skip", "label", "level", "years", "comment", "mother", "listening",
    "reading", "interaction", "production", "writing", "name", "institution", "email",
    "address", "shown", "network", "slices", "given", "family", "full", "headline", "mobile",
    "phone", "fax", "end",
    "website", "account", "birth", "nationality", "photo", "quote", "info", "contacts",
    "summary", "gender", "linkedin", "github", "gitlab", "orcid", "stackoverflow",
    "googlescholar", "information", "communication", "content", "safety", "problems",
))  # fmt: skip


def own(name: str) -> dict[str, tables.Command]:
    table = tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8"))
    lines = {**table.get("commands", {}), **table.get("environments", {})}
    return tables.meanings(lines)


@pytest.mark.parametrize("name", FILES)
def test_a_table_says_what_is_known(name: str) -> None:
    assert own(name), "a table has to say something"
    for command, meaning in own(name).items():
        assert meaning.makes in MAKES, command
        strange = [slot for slot in meaning.slots if slot not in SLOTS and not slot.isdigit()]
        assert strange == [], command


def test_every_table_has_an_example() -> None:
    """Some example's source is read by it: a name in it means what this table says."""
    sources = [path.read_text("utf-8") for path in EXAMPLES.glob("latex-of-*/given.tex")]
    used = [tables.of_source(source) for source in sources]
    assert len(used) > 40
    for name in FILES:
        assert name == "usual" or any(
            own(name).items() <= {**table.commands, **table.environments}.items() for table in used
        ), name


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\job{2015 -- 2018}{Engineer}{Initech Ltd}", "employer: Initech Ltd"),
        (r"\job[2015]{Engineer}{Initech}{London}", "location: London"),
        (r"\hobby{Programming}{Python, C++, SQL}", "Programming: Python, C++, SQL"),
    ],
)
def test_arguments_of_an_unknown_command_are_cells_of_a_row(
    source: str, expected: str, run: Run, here: Path
) -> None:
    text = r"\documentclass{x}\name{Ada}{Example}\begin{document}\section{Experience}" + "\n"
    text += r"\job{2019 -- 2020}{Clerk}{Hooli Ltd}{}" + f"\n{source}\n" + r"\end{document}"
    (here / "cv.tex").write_text(text, "utf-8")
    ran = run("import", "cv.tex", "--as", "ada-example")
    assert ran.code == 0, ran.err
    assert expected in (here / "people/ada-example.yaml").read_text("utf-8")
    assert r"this file's own commands aren't known: \job" in ran.err
    assert "import its PDF instead: cvbuild import cv.pdf" in ran.err
