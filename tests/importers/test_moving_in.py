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
    "europass.pdf": "europass-of-pdf", "europass.xml": "europass", "cv.tex": "latex-of-moderncv",
    "cv.docx": "docx", "cv.md": "markdown", "ada-example.github.io": "academicpages",
    "starter-hugo-academic": "hugo", "orcid.json": "orcid", "00_1234.xml": "dblp",
    "papers.bib": "bibtex", "export.ris": "ris", "library.json": "csl-json",
    "academic.pdf": "embedded", "cv.pdf": "pdf",
}  # fmt: skip
COMMANDS = [
    line.partition("#")[0].split()[1:]
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
]


def test_the_page_has_every_importer_and_each_has_a_section() -> None:
    assert {name.split("-of-")[0] for name in FILES.values()} == set(registry.BUILT_IN)
    named = {word for command in COMMANDS for word in command if word in FILES}
    assert named == set(FILES)
    for section in re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        assert "cvbuild import" in section, section.partition("\n")[0]


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
    (written,) = Path("people").glob("*.yaml")
    assert f"wrote {written}" in ran.err
    assert run("check").code == 0
