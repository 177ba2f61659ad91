"""What README and docs/ tell a reader to do works: their commands and files are tried."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from profiles import whole

from cvbuild.cli.main import main, parser
from cvbuild.outputs.templates import Library
from tools import docs

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
#: For whoever works on cvbuild.
INTERNALS = tuple(sorted((DOCS / "internals").glob("*.md")))
PAGES = (ROOT / "README.md", *sorted({*DOCS.rglob("*.md")} - {*INTERNALS}))
#: A file of the repository in backquotes: below one of these folders, or source by its name alone.
FILE = re.compile(
    r"`((?:(?:cvbuild|building|cli|common|importers|inputs|model|outputs|selection|serve|templates|"
    r"tests|tools|view)/[\w./-]+)|[\w-]+\.(?:css|html|py|sty|toml|ts))`"
)
SHELL = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)


def commands(page: Path) -> list[str]:
    blocks = SHELL.findall(page.read_text(encoding="utf-8"))
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def test_what_is_made_from_the_code_is_fresh() -> None:
    pages = docs.pages()
    assert len(pages) == 10
    for path, text in pages.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run make docs"
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
    """Files and folders below a folder, without those of npm."""
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
    text = PAGES[0].read_text(encoding="utf-8")
    for code in ("0 all built", "1 a file", "2 bad usage", "3 no usable TeX", "130 interrupted"):
        assert code in text.replace("\n", " ")
    pictures = re.findall(r'<img src="([^"]+)"', text)
    assert len(pictures) == 2
    for name in pictures:
        assert 5_000 < (ROOT / name).stat().st_size < 300_000


def test_the_readme_says_what_was_measured() -> None:
    text = PAGES[0].read_text(encoding="utf-8")
    page = (DOCS / "measurements" / "ats.md").read_text(encoding="utf-8")
    counts = {
        name: [int(number) for number in numbers]
        for name, *numbers in re.findall(r"^\| ([\w-]+) \| (\d+) of (\d+);", page, re.MULTILINE)
        if name in Library.at().names()
    }
    good, every = (sum(numbers) for numbers in zip(*counts.values(), strict=True))
    assert re.search(rf"in {good} of\s+\[{every} test CVs\]", text)
    page = (DOCS / "measurements" / "imports.md").read_text(encoding="utf-8")
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
    page = (DOCS / "measurements" / "benchmarks.md").read_text(encoding="utf-8")
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
