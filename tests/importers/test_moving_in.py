"""docs/how-to/moving-in.md: each of its commands is run on an example of that tool."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from conftest import Run

from cvbuild.importers import registry

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "moving-in.md"
EXAMPLES = Path(__file__).parent / "examples"
#: The examples that stand for the files that the page names.
FILES = {
    "resume.json": "jsonresume", "cvs/": "jsonresume", "Ada_Example_CV.yaml": "rendercv",
    "resume.yml": "yamlresume", "Complete_LinkedInDataExport.zip": "linkedin",
    "europass.pdf": "europass-of-pdf", "cv.tex": "latex-of-moderncv",
    "cv.yml": "alfolio", "reactive_resume.json": "reactive-resume",
    "cv.docx": "docx", "cv.md": "markdown", "orcid.json": "orcid", "papers.bib": "bibtex",
    "academic.pdf": "embedded", "cv.pdf": "pdf",
}  # fmt: skip
TEXT = PAGE.read_text("utf-8")
COMMANDS = [
    line.split()[1:]
    for line in [
        # What pandoc reads needs a package: test_odd_sources.
        *re.findall(r"(?m)^\|(?!.*cvbuild\[pandoc).*\| `(cvbuild import [^`]+)` \|$", TEXT),
        *"".join(re.findall(r"(?ms)^```sh\n(.*?)^```", TEXT)).splitlines(),
    ]
]


def test_the_table_has_every_importer() -> None:
    assert {name.split("-of-")[0] for name in FILES.values()} == set(registry.MODULES)
    named = {word for command in COMMANDS for word in command if word in FILES}
    assert named == set(FILES)


def test_the_table_leads_to_a_section_for_each_importer() -> None:
    sections = re.findall(r"(?m)^\| \[[^]]+\]\(#([\w-]+)\) \|", TEXT)
    assert len(sections) >= len(registry.MODULES) - 1


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.usefixtures("here")
def test_a_command(command: list[str], run: Run) -> None:
    for file in (word for word in command if word in FILES):
        (given,) = (EXAMPLES / FILES[file]).glob("given*")
        if file.endswith(".zip"):
            shutil.make_archive(file.removesuffix(".zip"), "zip", given)
        elif given.is_dir():
            shutil.copytree(given, file)
        else:
            if file.endswith("/"):
                Path(file).mkdir()
            shutil.copy(given, file)
    ran = run(*command)
    assert ran.code == 0, ran.err
    if "--dry-run" in command:
        assert "name:" in ran.out
        return
    (written,) = Path("people").glob("*.yaml")
    assert f"wrote {written}" in ran.err
    assert run("check").code == 0
