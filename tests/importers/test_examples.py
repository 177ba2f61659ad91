"""Every example of another tool's file goes in, passes ``check`` and comes out as documents.

A folder of ``examples/`` is named after its importer, or ``importer-what``, and holds

- ``given.*``, or the folder ``given``: what is imported, with invented facts;
- ``strings.txt``: a line for each text of it that a reader must find in every document;
- ``lost.txt``: the notes of what has no home, as ``cvbuild import`` prints them; may be empty;
- ``person.yaml``: the file that is written. ``CVBUILD_WRITE_EXPECTED=1`` writes it and lost.txt.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run
from told import rows
from word_files import packed

from cvbuild.importers import registry
from cvbuild.inputs.yaml.source import parse
from cvbuild.outputs import text_folding

EXAMPLES = Path(__file__).parent / "examples"
CASES = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())
IS_WRITING = bool(os.environ.get("CVBUILD_WRITE_EXPECTED"))


def imported(case: str, run: Run, folder: Path) -> Path:
    (given,) = (EXAMPLES / case).glob("given*")
    copy = folder / given.name
    if given.is_dir():
        shutil.copytree(given, copy)
    else:
        shutil.copy(given, copy)
    ran = run("import", given.name, "--as", "ada-example")
    assert ran.code == 0, ran.err
    before, wrote, _ = ran.err.partition("wrote people/ada-example.yaml")
    assert wrote, ran.err
    notes = before.splitlines()
    written = folder / "people" / "ada-example.yaml"
    if IS_WRITING:
        (EXAMPLES / case / "lost.txt").write_text("".join(f"{one}\n" for one in notes), "utf-8")
        (EXAMPLES / case / "person.yaml").write_text(written.read_text("utf-8"), "utf-8")
    assert notes == (EXAMPLES / case / "lost.txt").read_text("utf-8").splitlines()
    assert written.read_text("utf-8") == expected_of(case)
    return written


def expected_of(case: str) -> str:
    path = EXAMPLES / case / "person.yaml"
    return path.read_text("utf-8") if path.exists() else ""


def lacking(case: str, text: str) -> list[str]:
    whole = text_folding.fold(text.casefold())
    strings = (EXAMPLES / case / "strings.txt").read_text("utf-8").splitlines()
    assert len(strings) >= 5, "an example has to show something"
    folded = ((one, text_folding.fold(one.casefold())) for one in strings if one)
    return [one for one, part in folded if next(text_folding.occurrences(whole, part), -1) < 0]


@pytest.mark.parametrize(("source", "item"), rows("importers/small-sources.txt"))
def test_a_small_source(source: str, item: str, run: Run, here: Path) -> None:
    name, _, text = source.partition("\n")
    (here / name).write_text(text, "utf-8")
    assert run("import", name, "--as", "ada-example").code == 0
    written: Any = parse((here / "people/ada-example.yaml").read_text("utf-8"), "x.yaml").data
    assert written["sections"][-1]["items"][-1] == yaml.load(item, Loader=yaml.BaseLoader)


def test_a_box_is_read_in_that_of_its_forms_which_has_a_text(run: Run, here: Path) -> None:
    """Word writes each twice, and the first may be a shape alone."""
    names = "wordprocessingml/2006/main", "markup-compatibility/2006"
    w, mc = (f"http://schemas.openxmlformats.org/{name}" for name in names)
    box = "<w:txbxContent><w:p><w:r><w:t>Sold it</w:t></w:r></w:p></w:txbxContent>"
    told = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
    forms = f"<mc:Choice><w:shape/></mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    drawing = f"<w:p><w:r><mc:AlternateContent>{forms}</mc:AlternateContent></w:r></w:p>"
    body = told.format("Ada Example") + told.format("Experience") + drawing
    xml = f'<w:document xmlns:w="{w}" xmlns:mc="{mc}"><w:body>{body}</w:body></w:document>'
    packed(here / "cv.docx", xml)
    assert run("import", "cv.docx", "--as", "ada-example").code == 0
    assert "Sold it" in (here / "people/ada-example.yaml").read_text("utf-8")


def test_every_importer_has_an_example() -> None:
    assert {case.split("-of-")[0] for case in CASES} == set(registry.MODULES)


@pytest.mark.parametrize("case", CASES)
def test_an_example_comes_in(case: str, run: Run, here: Path) -> None:
    path = imported(case, run, here)
    ran = run("check", str(path))
    *warned, last = ran.err.splitlines()
    assert (ran.code, last) == (0, "1 of 1 files are fine")
    # Whether a phone number is for everybody is for the person to say: docs/how-to/privacy.md.
    # Guesses are told until somebody confirms them; a class's own template has "Institution".
    usual = (
        "is in every CV that is built", "no name is yours", "of the import, marked # ?", "is poor",
        "still what a new file has", "lacks its country", "probably wrong (no date)",
            "probably wrong (a date)",
    )  # fmt: skip
    assert [one for one in warned if not any(words in one for words in usual)] == []
    # Text alone shows whether one is lost; what each format does with it is asked of the format.
    ran = run("build", "ada-example", "-t", "academic", "--format", "txt")
    assert ran.code == 0, ran.err
    text = (here / "out/ada-example/academic.txt").read_text("utf-8")
    assert lacking(case, text.replace("n^2", "n2")) == []
