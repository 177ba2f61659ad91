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
from conftest import Run
from word_files import packed

from cvbuild.importers import registry
from cvbuild.inputs.yaml.source import parse
from cvbuild.outputs import html as html_output
from cvbuild.outputs import text_folding
from cvbuild.outputs.docx import package
from cvbuild.outputs.pdf.verify import pdf_facts

EXAMPLES = Path(__file__).parent / "examples"
CASES = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())
IS_WRITING = bool(os.environ.get("CVBUILD_WRITE_EXPECTED"))


def given_of(case: str) -> Path:
    """The file or folder to import."""
    (found,) = (path for path in (EXAMPLES / case).iterdir() if path.stem == "given")
    return found


def imported(case: str, run: Run, folder: Path) -> Path:
    """The person's file of a case, in a fresh working folder."""
    given = given_of(case)
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
    """The file that is written."""
    path = EXAMPLES / case / "person.yaml"
    return path.read_text("utf-8") if path.exists() else ""


def lacking(case: str, text: str) -> list[str]:
    """Which of the case's texts are not in a document."""
    whole = text_folding.fold_caseless(text)
    strings = (EXAMPLES / case / "strings.txt").read_text("utf-8").splitlines()
    assert len(strings) >= 5, "an example has to show something"
    folded = ((one, text_folding.fold_caseless(one)) for one in strings if one)
    return [one for one, part in folded if next(text_folding.occurrences(whole, part), -1) < 0]


#: Small sources by the name of their file, and the last item of the last section.
SMALL: dict[str, tuple[str, dict[str, Any]]] = {
    "address-that-the-doi-says.json": (
        """{"basics": {"name": "Ada"}, "publications": [
        {"name": "A", "doi": "10.5555/x", "url": "https://doi.org/10.5555/x"}]}""",
        {"title": "A", "doi": "10.5555/x"},
    ),
    "yamlresume.json": (
        """{"content": {"basics": {"name": "Ada"}, "work": [
        {"name": "A", "startDate": "2020-03-01", "endDate": "2021-05-15"}]}}""",
        {"employer": "A", "date": "2020-03-01 to 2021-05-15"},
    ),
    "two-lines-after-a-sign.md": (
        "# Ada Example\n## Experience\n### Clerk, Example Works\n2019\n\n• Sold it\nCut it\n",
        {
            "employer": "Example Works",
            "title": "Clerk",
            "date": "2019",
            "summary": "• Sold it Cut it",
        },
    ),
    "title-in-portuguese.md": (
        "# Ada Example\n## Formação\n**Mestrado em Física**, Universidade Exemplo, 2014\n",
        {"institution": "Universidade Exemplo", "degree": "Mestrado em Física", "date": "2014"},
    ),
    "resume.yml": (
        'basics:\n  name: Ada\nwork:\n  - name: A\n    startDate: "2019-04"\n',
        {"employer": "A", "date": "2019-04 to present"},
    ),
    "authors-in-one-text.json": (
        """{"basics": {"name": "Ada"}, "publications": [
        {"name": "T", "authors": "A. Example, B. Sample"}]}""",
        {"title": "T", "authors": ["A. Example", "B. Sample"]},
    ),
    "degree-as-a-post.yaml": (
        """cv:
  name: Ada
  sections:
    Educación:
      - {company: A, position: Physics, summary: 2015 - 2020}
""",
        {"institution": "A", "area": "Physics", "date": "2015 - 2020"},
    ),
    "dates-as-code.md": (
        "# Ada Example\n## Experience\n`2016-present`\n__Lecturer__, *Example University*\n",
        {"employer": "Example University", "title": "Lecturer", "date": "2016 – present"},
    ),
    "divisions-and-comments.md": (
        """# Ada Example
<!-- Your Name -->
## Employment
::: {.x date="2019–2022"}
**Clerk**, Initech
:::
""",
        {"employer": "Initech", "title": "Clerk", "date": "2019–2022"},
    ),
    "own-order-of-arguments.tex": (
        r"""\documentclass{article}\newcommand{\cventry}[4]{\textbf{#1}\hfill #2\\#3\hfill #4\par}
        \begin{document}{\Large Ada Example}\section{Employment}
        \cventry{Initech, London}{09/2019--06/2022}{Data Engineer}{}\end{document}""",
        {"employer": "Initech, London", "title": "Data Engineer", "date": "09/2019–06/2022"},
    ),
    "group-open-at-the-end.tex": (
        r"""\documentclass{article}\begin{document}{\Large Ada Example}\fontfamily{phv}
        \section{Experience}
{\setlength\parindent{2in}\textbf{Initech} \hfill June 2024-Present\\
        Clerk\end{document}""",
        {"employer": "Initech", "title": "Clerk", "date": "June 2024 – Present"},
    ),
    "left-out.tex": (
        r"""\documentclass{moderncv}\name{Ada}{Example}\begin{document}\section{Experience}
\cventry{02/23/2019 - Present}{Clerk}{Works}{}{}{}
\iffalse % up to \fi
\cventry{YEAR}{Job title}{Organization}{}{}{}
\fi
\end{document}""",
        {"employer": "Works", "title": "Clerk", "date": "2019-02-23 - Present"},
    ),
    "more-before-the-date.tex": (
        r"""\documentclass{resume}\begin{document}\name{Ada Example}\section{Experience}
        \datedsubsection{Initech}{Engineer}{2016--2021}\end{document}""",
        {"employer": "Initech", "title": "Engineer", "date": "2016–2021"},
    ),
    "title-above-a-dated-line.tex": (
        r"""\documentclass{moderncv}\name{Ada}{Example}\begin{document}\section{Experience}
        \subsection{Engineer}\cvline{2019 -- 2020}{Hooli GmbH}
        \subsection{Data Engineer}
        \cvline{2016 -- 2018}{Initech Ltd\begin{itemize}\item Wove.\end{itemize}}\end{document}""",
        {"employer": "Initech Ltd", "title": "Data Engineer", "date": "2016 – 2018",
         "bullets": ["Wove."]},
    ),
    "date-on-two-lines.tex": (
        r"""\documentclass{altacv}\name{Ada Example}\begin{document}\section{Experience}
        \cvevent{Engineer}{Initech}{Nov 2017\\ Jun 2019}{Leeds}\end{document}""",
        {"employer": "Initech", "title": "Engineer", "location": "Leeds",
         "date": "Nov 2017 – Jun 2019"},
    ),
    "phone-in-a-sentence.tex": (
        r"""\documentclass{moderncv}\name{Ada}{Example}\begin{document}\section{Experience}
        \cventry{2019}{Clerk}{Works}{}{}{} See \mobile{12345} there. \end{document}""",
        {"employer": "Works", "title": "Clerk", "date": "2019", "summary": "See 12345 there."},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_a_small_source(name: str, run: Run, here: Path) -> None:
    source, expected = SMALL[name]
    (here / name).write_text(source, "utf-8")
    assert run("import", name, "--as", "ada-example").code == 0
    written: Any = parse((here / "people/ada-example.yaml").read_text("utf-8"), "x.yaml").data
    assert written["sections"][-1]["items"][-1] == expected


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
    """None is built in without one."""
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
        "is in every CV that is built", "no name is yours", "of the import, marked # ?",
        "still what a new file has",
    )  # fmt: skip
    assert [one for one in warned if not any(words in one for words in usual)] == []
    # Text alone shows whether one is lost; what each format does with it is asked of the format.
    ran = run("build", "ada-example", "-t", "academic", "--format", "txt")
    assert ran.code == 0, ran.err
    text = (here / "out/ada-example/academic.txt").read_text("utf-8")
    assert lacking(case, text.replace("n^2", "n2")) == []


@pytest.mark.usefixtures("requires_embedded")
def test_an_example_comes_out(run: Run, here: Path) -> None:
    """The longest of them in all formats: other people are set by the tests of the styles."""
    case = max(CASES, key=lambda name: len(expected_of(name)))
    (here / "people").mkdir()
    (here / "people/ada-example.yaml").write_text(expected_of(case), "utf-8")
    formats = ("--format", "pdf,html,docx,md", "--engine", "embedded")
    ran = run("build", "ada-example", "-t", "academic", *formats)
    assert ran.code == 0, ran.err
    made = here / "out" / "ada-example"
    texts = {
        "pdf": "\n".join(page.text for page in pdf_facts.read(made / "academic.pdf").pages),
        "html": html_output.text_of((made / "academic.html").read_text("utf-8")),
        "docx": package.text_of((made / "academic.docx").read_bytes()),
    }
    lost = {name: lacking(case, text) for name, text in texts.items()}
    assert {name: found for name, found in lost.items() if found} == {}
