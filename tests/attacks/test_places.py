"""Links, pipes and odd names: nothing of the user's own is read, written or deleted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import deep
import pikepdf
import pytest
import samples
from attacks.table import SECRET, commands, named, rows
from clones import APPLICATION, BUILD, PERSON, put
from conftest import Ran, Run
from PIL import Image
from texlive import demand_embedded

import cvbuild
from cvbuild.common.files import safe_files, safe_folders

Attack = Callable[..., Ran]
pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="links need rights there"),
    pytest.mark.usefixtures("project"),
]
TEXT = ("build", "--format", "txt")


# -- what is read --------------------------------------------------------------------------------


def picture(path: Path) -> None:
    Image.new("RGB", (40, 40), "red").save(path, "PNG")


def pdf(path: Path) -> None:
    with pikepdf.new() as document:
        document.add_blank_page()
        document.docinfo["/Title"] = SECRET
        document.save(path)


def text(path: Path) -> None:
    path.write_text(f"name: {SECRET}\n{SECRET}\n", encoding="utf-8")


RIGHT = {"picture": picture, "pdf": pdf, "text": text}
READS = named("read")
CASES = [(what, how) for what in READS for how in rows("in its place")]
#: Where nothing may be, an empty folder is as good as nothing; what can't be an overlay is none.
HARMLESS = {
    "folder": {"overlay", "style", "hidden", "section", "notes"},
    **{how: {"overlay"} for how in ("link to a folder", "link to itself", "pipe", "link to zero")},
}


@pytest.mark.parametrize(("what", "how"), samples.sample(CASES, 24, "paths"))
def test_what_is_read_lies_in_the_project(
    what: str, how: str, tmp_path: Path, attack: Attack
) -> None:
    place, right, needs, line = READS[what]
    if "embedded" in line:
        demand_embedded()
    for file, needed in needs.items():
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        with Path(file).open("a", encoding="utf-8") as whole:
            whole.write(f"{needed}\n")
    path, outside = Path(place), tmp_path / "outside"
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    if how == "link to a folder":
        outside.mkdir()
    else:
        RIGHT[right](outside)
    if how == "link to a link":
        Path("inner").symlink_to(outside)
        outside = Path("inner").absolute()
    put(how, path, outside)
    if what == "person" and how in {"pipe", "link to itself", "folder"}:
        line += " ada"
    attack(line, {0, 1, 2} if what in {"notes", *HARMLESS.get(how, ())} else {1, 2})


def test_a_link_inside_the_project_is_read(tmp_path: Path, run: Run) -> None:
    """And what the user names may be anywhere."""
    for folder in (Path("data"), tmp_path / "mine"):
        folder.mkdir()
        shutil.copy("people/ada.yaml", folder / "real.yaml")
    Path("people/ada.yaml").unlink()
    Path("people/ada.yaml").symlink_to("../data/real.yaml")
    assert run(*TEXT).code == 0
    (tmp_path / "mine/ada.yaml").symlink_to("real.yaml")
    assert run(*TEXT, str(tmp_path / "mine/ada.yaml")).code == 0


# -- what is written and deleted -----------------------------------------------------------------

WRITTEN = named("written")


@pytest.mark.parametrize("name", deep.but([name for name in WRITTEN if name != "gallery"], WRITTEN))
def test_a_link_is_refused(name: str, home: Path, attack: Attack) -> None:
    demand_embedded()
    place, command, *target = WRITTEN[name]
    link = Path(place)
    if link.is_dir():
        shutil.rmtree(link)
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(*target or [home])
    done = attack(command, {1})
    assert link.is_symlink()
    said = [line for line in done.err.splitlines() if "symbolic link" in line]
    # A gallery tells of some of its documents, and in the end.
    assert len(said) == 1 or name == "gallery", done.err
    assert (
        said[0]
        .strip()
        .startswith(f"{place}: it is a symbolic link to {link.readlink()}; remove it")
    )
    assert place != "out" or "name the folder itself with -o" in done.err
    if target:
        with pytest.raises(cvbuild.CvbuildError, match="symbolic link"):
            cvbuild.build(engine="embedded")


def test_what_one_names_may_be_a_link(tmp_path: Path, run: Run) -> None:
    demand_embedded()
    (tmp_path / "elsewhere").mkdir()
    Path("mine").symlink_to(tmp_path / "elsewhere")
    assert run(*BUILD, "-o", "mine").code == 0
    assert (tmp_path / "elsewhere/ada/academic.pdf").is_file()
    assert run(*BUILD, "-o", "mine").code == 0
    shutil.rmtree("mine/.build/tmp")
    Path("mine/.build/tmp").symlink_to(tmp_path)
    done = run(*BUILD, "-o", "mine", "--force")
    assert done.code == 1
    assert "mine/.build/tmp: it is a symbolic link" in done.err


def test_a_file_is_not_written_through_a_link(tmp_path: Path, attack: Attack) -> None:
    demand_embedded()
    target = tmp_path / "target"
    target.write_text("mine", encoding="utf-8")
    for place in rows("replaced"):
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        Path(place).symlink_to(target)
    attack((*BUILD, "-t", "academic", "--format", "pdf,txt"), {0})
    attack("applications note x 'a note'", {1})
    assert Path("out/ada/academic.pdf").read_bytes().startswith(b"%PDF")


def test_what_tex_left_is_taken_if_it_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    (tmp_path / "job/cv.log").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "job/cv.pdf")
    with safe_folders.opened(tmp_path, "keep", make=True) as folder:
        for name in ("cv.log", "cv.pdf"):
            with pytest.raises(safe_files.NotRegularError):
                folder.take(name, tmp_path / "job" / name)
        assert folder.names() == []


# -- names ---------------------------------------------------------------------------------------

NAMES = named("names")
RESERVED = ("con", "NUL", "aux", "COM1", "lpt9")


def inside() -> set[str]:
    return {path.as_posix() for path in Path().rglob("*") if "/fresh-" not in path.as_posix()}


def test_names_on_the_command_line(attack: Attack) -> None:
    before = inside()
    names = samples.sample(list(NAMES.values()), 8, "command line")
    lines = commands("commands with a name")
    for name in names:
        for words in lines:
            attack([word.replace("NAME", name) for word in words], {1, 2})
    assert inside() - before <= {"out", "out/.build", "out/.build/ada"}


def test_names_in_files(attack: Attack) -> None:
    cases = [(row, name) for row in rows("files with a name") for name in NAMES.values()]
    drawn = samples.sample(cases, 16, "names in files")
    for (file, text), name in drawn:
        path = Path(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        quoted = '"' + "".join(f"\\U{ord(char):08x}" for char in name) + '"'
        kept = path.read_bytes() if path.exists() else None
        path.write_text(text.replace("@", quoted), encoding="utf-8")
        there = inside()
        for command in ("check", "status --why", "templates"):
            attack(command)
        assert inside() == there
        path.unlink() if kept is None else path.write_bytes(kept)


@pytest.mark.parametrize("name", RESERVED)
def test_names_that_windows_reserves(name: str, run: Run) -> None:
    """What is built on one system is opened on another."""
    Path("people/ada.yaml").write_text(
        f"{PERSON}variants:\n  {name}: {{template: academic}}\n", encoding="utf-8"
    )
    assert "people/ada.yaml:8:3" in run("check").err
    Path(f"people/{name}.yaml").write_text(PERSON, encoding="utf-8")
    Path(f"applications/{name.lower()}.yaml").write_text(APPLICATION, encoding="utf-8")
    for code, *command in (1, "check"), (2, *TEXT, name), (1, "apply", name.lower()):
        done = run(*command)
        assert (done.code, "reserve" in done.err) == (code, True), done
    assert run("new", name).code == 2


@pytest.mark.parametrize("twin", ["Ada", "ADA"])
def test_people_that_are_one_on_other_systems(twin: str, run: Run) -> None:
    Path("more").mkdir()
    shutil.copy("people/ada.yaml", f"more/{twin}.yaml")
    done = run(*TEXT, "ada", f"more/{twin}.yaml")
    assert done.code == 2
    assert "would overwrite each other" in done.err


def test_odd_names_of_people(attack: Attack) -> None:
    demand_embedded()
    names = [
        name for name in NAMES.values()
        if not set(name) & {"/", "\0"} and 0 < len(name) < 200 and name not in RESERVED
    ]  # fmt: skip
    for name in names:
        path = os.fsencode(f"people/{name}.yaml") if "\udc80" in name else f"people/{name}.yaml"
        with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123 - bytes
            file.write(PERSON)
        attack(TEXT)
        os.unlink(path)  # noqa: PTH108
    for name in ("-rf", "$(id);x", "ü'", "a%b#{}", "a\\b"):
        Path(f"people/{name}.yaml").write_text(PERSON, encoding="utf-8")
    attack("build -t academic --engine embedded", {0})
    assert len(list(Path("out").glob("*/academic.pdf"))) == len(list(Path("people").iterdir()))
