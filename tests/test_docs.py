"""Commands of the documentation do what their pages say, from a fresh checkout."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import checkouts
import pytest
from profiles import whole
from texlive import demand_embedded

from cvbuild.applications.packets.history import STATUSES
from cvbuild.applications.packets.mail import FIELDS
from cvbuild.cli.main import main, parser
from cvbuild.cli.report import HANDFUL
from cvbuild.model.application import Application
from cvbuild.outputs.pdf.verify import pdf_facts
from cvbuild.outputs.styles.templates import Library
from cvbuild.selection import fit
from tools import docs

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SHELL = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
#: A file that a page shows: its name in backquotes, then its text.
SHOWN = re.compile(r"^`([^`\n]+)`:\n\n```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)
#: Not run here: they take long or need the network; `make -n` shows that make knows them.
KNOWN = ("make test", "make serve", "make watch PERSON=ada-example")
#: Nor this, which goes on for ever.
NOT_RUN = {"make watch PERSON=ada-example": "make -n watch PERSON=ada-example"}
#: Set up an environment, which the tests have: see test_install for the installation.
SET_UP = (". .venv/bin/activate", 'pip install ".[all]"', 'pip install "cvbuild[match]"')
needs_make = pytest.mark.skipif(
    shutil.which("make") is None, reason="needs make: apt-get install make"
)


def commands(page: Path) -> list[str]:
    blocks = SHELL.findall(page.read_text("utf-8"))
    return [line for block in blocks for line in block.splitlines() if line.strip()]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with nobody in people/, whose .venv is the environment of the tests."""
    copy = checkouts.copy(tmp_path / "checkout")
    for path in ROOT.glob("requirements*.lock"):
        shutil.copy(path, copy)
    programs = copy / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name, words in (("python", ""), ("cvbuild", " -m cvbuild")):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}"{words} "$@"\n')
        program.chmod(0o755)
    for stamp in (".installed", ".installed-test", ".installed-dev"):
        (copy / ".venv" / stamp).touch()
    return copy


@pytest.fixture
def sh(checkout: Path) -> Callable[[str], str]:
    def run(line: str) -> str:
        path = f"{checkout / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=checkout,
            env={**os.environ, "PATH": path, "CVBUILD_NO_SYSTEM_TEX": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    return run


@pytest.mark.deep
@needs_make
def test_the_commands_of_the_readme(checkout: Path, sh: Callable[[str], str]) -> None:
    demand_embedded()
    lines = commands(ROOT / "README.md")
    assert len(lines) >= 9
    assert lines[0] == "make serve"
    resume = ROOT / "tests/importers/examples/jsonresume/given.json"
    shutil.copy(resume, checkout / "resume.json")
    for line in lines:
        if line in KNOWN:
            sh(line.replace("make", "make -n", 1))
        elif line not in SET_UP:
            sh(line)
    made = {path.name for path in (checkout / "out" / "ada-example").iterdir()}
    pdfs = {f"{name}.pdf" for name in Library.at().names()}
    assert made == {*pdfs, "academic.html", "academic.docx", "academic.txt"}


@pytest.mark.deep
def test_the_steps_to_a_template_of_ones_own(checkout: Path, sh: Callable[[str], str]) -> None:
    demand_embedded()
    page = DOCS / "how-to" / "own-template.md"
    shown = SHOWN.findall(page.read_text("utf-8"))
    assert len(shown) == 4
    sh("cvbuild init . && rm -r templates")
    for name, text in shown:
        path = checkout / name
        assert path.parts[len(checkout.parts) :][:2] == ("templates", "plum")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    shutil.copytree(ROOT / "templates", checkout / "cvbuild" / "templates")
    lines = commands(page)
    assert len(lines) == 3
    for line in [*commands(DOCS / "reference" / "templates.md"), *dict.fromkeys(lines)]:
        sh(line)
    assert (checkout / "out" / "ada-example" / "plum.pdf").is_file()
    assert "3px double" in (checkout / "out" / "ada-example" / "plum.html").read_text("utf-8")
    tex = (checkout / "out" / ".build" / "ada-example" / "plum" / "cv.tex").read_text("utf-8")
    assert r"\CvbSkill{id=sections.4.items.0, label={A language}, text={How" in tex
    assert "margin=25" in tex


Walk = Callable[..., list[str]]


@pytest.fixture
def walk(checkout: Path, sh: Callable[[str], str]) -> Walk:
    def run(name: str, count: int, before: str = "") -> list[str]:
        page = DOCS / name
        if before:
            sh(before)
        for file, text in SHOWN.findall(page.read_text("utf-8")):
            (checkout / file).parent.mkdir(exist_ok=True)
            (checkout / file).write_text(text, "utf-8")
        lines = commands(page)
        assert len(lines) == count
        return ["" if line in SET_UP else sh(NOT_RUN.get(line, line)) for line in lines]

    return run


#: Templates are those of the package; with one of her own, Ada would have that.
OWN_WORKSPACE = (
    "mv templates cvbuild/ && mv Makefile kept && cvbuild init . && mv kept Makefile"
    " && rm cvbuild.yaml && sed -i 's/^template: /# template: /' people/ada-example.yaml"
)
#: These are deep, as the readme and the tutorial are: their commands have tests.
#: Pages: how many commands, what is run before, what the last but so many said, files and a text.
WALKS: dict[str, tuple[int, str, dict[int, str], dict[str, str]]] = {
    "how-to/match.md": (
        5, "",
        {2: r"  ✗ distributed systems \(2×, line 3\)", 3: r'"term": "C\+\+"',
         4: "ada-example industry has"},
        {},
    ),
    "reference/formats.md": (
        4, "", {2: r"up to date(.|\n)*up to date"},
        {f"out/ada-example/academic.{end}": "" for end in ("json", "md", "pdf", "txt")},
    ),
    "how-to/site.md": (
        5, "", {},
        {"out/site/index.html": r'<title>People, Example Group</title>(.|\n)*'
                                r'href="people/ada-example/index.html"'},
    ),
    "how-to/status-and-reports.md": (
        6, "cvbuild init .", {0: "ada-example  academic  pdf     never built\n",
                              5: "ada-example,academic,pdf,never built,"}, {},
    ),
    "how-to/variants.md": (
        7, "", {3: "First prize", 6: r"short\.pdf((?!up to date)(.|\n))*\Z"},
        {f"out/ada-example/{name}.pdf": "" for name in ("academic", "recent", "short")},
    ),
    "explanation/one-page.md": (
        1, "", {0: r"one-page\.pdf"}, {},
    ),
    "how-to/workspace.md": (
        5, OWN_WORKSPACE, {1: "working in ", 2: "up to date", 4: r"\A\Z"},
        {f"out/ada-example/{name}": ""
         for name in ("academic.html", "academic.txt", "industry.html", "industry.txt")},
    ),
    "how-to/building.md": (
        3, 'cvbuild new "Ada Example"', {0: "academic.pdf", 1: "academic.pdf"}, {}
    ),
}  # fmt: skip


@pytest.mark.deep
@needs_make
@pytest.mark.parametrize("page", WALKS)
def test_the_commands_of_a_page(page: str, checkout: Path, walk: Walk) -> None:
    demand_embedded()
    count, before, said, files = WALKS[page]
    printed = walk(page, count, before)
    for number, words in said.items():
        assert re.search(words, printed[number]), printed[number]
    for name, words in files.items():
        assert not words or re.search(words, (checkout / name).read_text("utf-8")), name
    whole = [checkout / name for name, words in files.items() if not words]
    for folder in {path.parent for path in whole}:
        assert {*folder.iterdir()} == {path for path in whole if path.parent == folder}


def test_the_words_of_pages_are_what_the_code_does() -> None:
    page = (DOCS / "reference" / "applications.md").read_text("utf-8")
    keys = [field.alias or name for name, field in Application.model_fields.items()]
    assert len(keys) > 15
    for key in keys:
        assert re.search(rf"^\| .*`{key}`.* \|", page, re.MULTILINE), key
    assert [word for word in (*STATUSES, *FIELDS) if f"`{word}`" not in page] == []
    assert HANDFUL == 5
    page = (DOCS / "explanation" / "one-page.md").read_text("utf-8")
    assert (fit.STEP, fit.PRIORITY, fit.FIRST) == (5, 10, 100)
    assert (fit.TAIL, fit.BULLET_TAIL) == (30, 25)
    assert fit.BULLET + fit.STEP == 15
    for number in ("5 less", "10 more or less", "100 more", "below 30", "15 less", "down to 25"):
        assert number in page


@pytest.mark.deep
@needs_make
def test_the_walk_through_an_application(
    checkout: Path, sh: Callable[[str], str], walk: Walk
) -> None:
    demand_embedded()
    name = "how-to/applications.md"
    printed = walk(name, 6)
    told = re.findall(r"^\| `([\w-]+\.\w+)` \|", (DOCS / name).read_text("utf-8"), re.MULTILINE)
    packet = checkout / "out" / "applications" / "example-lab"
    assert sorted(told) == sorted(path.name for path in packet.iterdir())
    for line in ("make applications", "make apply SLUG=example-lab"):
        assert "out/applications/example-lab/, up to date" in sh(line)
    (sent,) = (checkout / "applications" / "sent").glob("*/")
    assert {path.name for path in sent.iterdir()} == {*told, "inputs", "SHA256SUMS"}
    assert re.search(r"^example-lab  interview .* sent \d", printed[-1])


@pytest.mark.deep
def test_the_commands_on_privacy(checkout: Path, walk: Walk) -> None:
    demand_embedded()
    name = "how-to/privacy.md"
    _, overlay = re.findall(
        r"^```yaml\n(.*?)^```", (DOCS / name).read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    (checkout / "people").mkdir()
    (checkout / "people" / "ada-example.private.yaml").write_text(overlay, "utf-8")
    walk(name, 5)
    made = checkout / "out" / "ada-example"
    text = {
        name: " ".join(one.text for one in pdf_facts.read(made / f"{name}.pdf").pages)
        for name in ("academic", "academic.private")
    }
    for word in ("202 555 0123", "May 17, 1990", "Ruritanian", "Work permit", "A. Referee"):
        assert word in text["academic.private"]
        assert word not in text["academic"]


@pytest.mark.deep
def test_the_tutorial(checkout: Path, sh: Callable[[str], str]) -> None:
    demand_embedded()
    text = (DOCS / "tutorial.md").read_text("utf-8")
    blocks = re.findall(
        r"(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE
    )
    assert [language for _, language, _ in blocks].count("sh") == 6
    here, said = ".", ""
    person = checkout / "my-cvs/people/ada-example.yaml"
    for name, language, content in blocks:
        if name:
            assert (checkout / here / name).is_file()  # the workspace brings a starter
            (checkout / here / name).write_text(content, "utf-8")
        elif language == "sh":
            said = ""
            for line in content.splitlines():
                if line.startswith("cd "):
                    here = line.removeprefix("cd ")
                elif line not in SET_UP:
                    said += sh(f"cd {here}; {line}")
        elif language == "yaml":
            person.write_text(person.read_text("utf-8") + content, "utf-8")
            assert "industry.pdf" in sh(f"cd {here}; cvbuild build")
        else:
            if "tittle" in content:
                good = person.read_text("utf-8")
                person.write_text(good.replace("title:", "tittle:", 1), "utf-8")
                said = sh(f"cd {here}; cvbuild check || true")
                person.write_text(good, "utf-8")
            for line in content.splitlines():
                pattern = ".*".join(map(re.escape, line.split("…")))
                assert re.search(f"^{pattern}$", said, re.MULTILINE), f"{line}\n{said}"
    (sent,) = (checkout / "my-cvs/applications/sent").glob("*/")
    assert (sent / "message.eml").is_file()


#: For whoever works on cvbuild.
INTERNALS = tuple(sorted((DOCS / "internals").glob("*.md")))
PAGES = (ROOT / "README.md", *sorted({*DOCS.rglob("*.md")} - {*INTERNALS}))
#: A file of the repository in backquotes: below one of these folders, or source by its name alone.
FILE = re.compile(
    r"`((?:(?:cvbuild|building|cli|common|importers|inputs|model|outputs|selection|serve|templates|"
    r"tests|tools|view)/[\w./-]+)|[\w-]+\.(?:css|html|py|sty|toml|ts))`"
)


def test_what_is_made_from_the_code_is_fresh() -> None:
    pages = docs.pages()
    assert len(pages) == 10
    for path, text in pages.items():
        assert path.read_text("utf-8") == text, f"{path.name}: run make docs"
    assert len(re.findall(r"^\| `", docs.options(), re.MULTILINE)) >= 10


def test_shown_yaml_is_valid() -> None:
    found = 0
    for page in PAGES:
        for text in re.findall(
            r"^```yaml\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
        ):
            if not text.startswith(
                ("api:", "person:", "title:", "# yaml-language-server: $schema=docs/workspace")
            ):
                whole(text)
                found += 1
    assert found > 20


def test_files_and_names_that_pages_name_exist() -> None:
    folders = ("cvbuild", "docs", "templates", "tests", "tools")
    paths = {path.relative_to(ROOT).as_posix() for name in folders for path in own(ROOT / name)}
    ends = {"/" + "/".join(path.split("/")[-n:]) for path in paths for n in range(1, 7)}
    named = [
        (page.name, name)
        for page in (*INTERNALS, ROOT / "CONTRIBUTING.md")
        for name in FILE.findall(page.read_text("utf-8"))
    ]
    assert len(named) > 20
    lost = [(page, name) for page, name in named if f"/{name.rstrip('/')}" not in ends]
    assert lost == []
    sources = (path for name in folders for path in own(ROOT / name) if path.suffix == ".py")
    words = set(re.findall(r"\w+", " ".join(path.read_text("utf-8") for path in sources)))
    lost = [
        (page.name, name)
        for page in (*INTERNALS, ROOT / "CONTRIBUTING.md")
        for name in re.findall(
            r"`(?:\w+\.)?(_?[A-Z]{3}[A-Z_]+|_?[a-z]+_[a-z_]+)`", page.read_text("utf-8")
        )
        if name not in words
    ]
    assert lost == []


def own(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name != "node_modules":
            yield path
            if path.is_dir():
                yield from own(path)


def test_the_pages_for_users_are_short() -> None:
    """Every word counts, of tables and examples too, but no tags of pictures and no bare signs."""
    read = [*DOCS.glob("*.md")]
    read += [path for name in ("how-to", "explanation") for path in (DOCS / name).glob("*.md")]
    assert len(read) > 15
    texts = {path.name: re.sub(r"<(?:img|!--)[^>]*>", "", path.read_text("utf-8")) for path in read}
    counts = {name: len(re.findall(r"\S*\w\S*", text)) for name, text in texts.items()}
    assert sum(counts.values()) <= 11_000, counts
    assert len(PAGES[0].read_text("utf-8").split()) <= 560


def test_the_readme_has_every_exit_code_and_its_pictures_are_small() -> None:
    text = PAGES[0].read_text("utf-8")
    for code in ("0 all built", "1 a file", "2 bad usage", "3 no usable TeX", "130 interrupted"):
        assert code in text.replace("\n", " ")
    pictures = re.findall(r'<img src="([^"]+)"', text)
    assert len(pictures) == 2
    for name in pictures:
        assert 5_000 < (ROOT / name).stat().st_size < 300_000


def test_the_readme_says_what_was_measured() -> None:
    text = PAGES[0].read_text("utf-8")
    page = (DOCS / "measurements" / "ats.md").read_text("utf-8")
    counts = {
        name: [int(number) for number in numbers]
        for name, *numbers in re.findall(r"^\| ([\w-]+) \| (\d+) of (\d+);", page, re.MULTILINE)
        if name in Library.at().names()
    }
    good, every = (sum(numbers) for numbers in zip(*counts.values(), strict=True))
    assert re.search(rf"in {good} of\s+\[{every} test CVs\]", text)
    page = (DOCS / "measurements" / "imports.md").read_text("utf-8")
    rows = [
        re.findall(rf"^\| {kind} \| (\d+) .*\| ([\d.]+) \|  \|$", page, re.MULTILINE)[0]
        for kind in ("latex", "docx")
    ]
    shares = [(f"{float(share):.0%}".replace("%", " %"), count) for count, share in rows]
    said = re.search(
        r"\[(\d+ %) of the fields\]\S+ of (\d+) LaTeX.* and (\d+ %) of (\d+)\s+in Word", text
    )
    assert said
    assert [said.groups()[:2], said.groups()[2:]] == shares
    page = (DOCS / "measurements" / "benchmarks.md").read_text("utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| 20 CVs,"))
    measured = [float(number) for number in re.findall(r"\| ([\d.]+) s ", row)]
    said = re.findall(r"Twenty CVs of three pages take ([\d.]+) s .*?: ([\d.]+) s", text)[0]
    assert [float(number) for number in said] == pytest.approx(measured, rel=0.05)


def test_every_command_is_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    told = " ".join(page.read_text("utf-8") for page in (*PAGES, ROOT / "CHANGELOG.md"))
    with pytest.raises(SystemExit):
        main(["--help"])
    usage = capsys.readouterr().out
    known = re.findall(r"^    ([\w-]+)", usage, re.MULTILINE)
    assert len(known) >= 18
    for name in known:
        assert f"cvbuild {name}" in told or f"`{name}`" in told, name
    assert parser().prog == "cvbuild"


def test_shell_lines_are_simple() -> None:
    """A line of a page can be copied by itself: no quotes left open, nothing joined."""
    lines = [line for page in PAGES for line in commands(page)]
    assert lines
    for line in lines:
        assert shlex.split(line)
        assert not re.search(r"&&|\||;|\\$", line)
