"""Links, pipes and odd names: nothing of the user's own is read, written or deleted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import deep
import pikepdf
import pytest
from attacks.table import SECRET, commands, named, rows
from conftest import Ran
from PIL import Image
from projects import APPLICATION, BUILD, PERSON, put
from texlive import demand_embedded
from workspaces import template

import cvbuild
from cvbuild.common.diagnostics import TemplateError
from cvbuild.common.files import safe_files
from cvbuild.outputs.installed import builtin_folder
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.templates import Library

Attack = Callable[..., Ran]
pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="links need rights there"),
    pytest.mark.usefixtures("project"),
]
TEXT = ("build", "--format", "txt")


def picture(path: Path) -> None:
    Image.new("RGB", (40, 40), "red").save(path, "PNG")


def pdf(path: Path) -> None:
    with pikepdf.new() as document:
        document.add_blank_page()
        document.docinfo["/Title"] = SECRET
        document.save(path)


def text(path: Path) -> None:
    path.write_text(f"name: {SECRET}\n{SECRET}\n", "utf-8")


RIGHT = {"picture": picture, "pdf": pdf, "text": text}
READS = named("read")
CASES = [(what, how) for what in READS for how in rows("in its place")]
#: Where nothing may be, an empty folder is as good as nothing; what can't be an overlay is none.
HARMLESS = {
    "folder": {"overlay", "style", "hidden", "section", "notes"},
    **{how: {"overlay"} for how in ("link to a folder", "link to itself", "pipe", "link to zero")},
}


@pytest.mark.parametrize(("what", "how"), deep.sample(CASES, 24, "paths"))
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


def test_a_file_is_not_written_through_a_link(tmp_path: Path, attack: Attack) -> None:
    demand_embedded()
    target = tmp_path / "target"
    target.write_text("mine", "utf-8")
    for place in rows("replaced"):
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        Path(place).symlink_to(target)
    attack((*BUILD, "-t", "academic", "--format", "pdf,txt"), {0})
    attack("applications note x 'a note'", {1})
    assert Path("out/ada/academic.pdf").read_bytes().startswith(b"%PDF")


def test_what_tex_left_is_taken_if_it_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "secret").write_text(SECRET, "utf-8")
    (tmp_path / "job/cv.log").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "job/cv.pdf")
    for name in ("cv.log", "cv.pdf"):
        with pytest.raises(safe_files.NotRegularError):
            safe_files.take(tmp_path / "job" / name, tmp_path / name)
        assert not (tmp_path / name).exists()


NAMES = named("names")


def inside() -> set[str]:
    return {path.as_posix() for path in Path().rglob("*") if "/fresh-" not in path.as_posix()}


def test_names_on_the_command_line(attack: Attack) -> None:
    before = inside()
    names = deep.sample(list(NAMES.values()), 8, "command line")
    lines = commands("commands with a name")
    for name in names:
        for words in lines:
            attack([word.replace("NAME", name) for word in words], {1, 2})
    assert inside() - before <= {"out", "out/.build", "out/.build/ada"}


def test_names_in_files_and_of_files(attack: Attack) -> None:
    cases = [(row, name) for row in rows("files with a name") for name in NAMES.values()]
    for (file, text), name in deep.sample(cases, 18, "names in files"):
        if "NAME" in file and (set(name) & {"/", "\0"} or len(name) > 200):
            continue
        path = Path(os.fsdecode(file.replace("NAME", name).encode(errors="surrogateescape")))
        path.parent.mkdir(parents=True, exist_ok=True)
        quoted = '"' + "".join(f"\\U{ord(char):08x}" for char in name) + '"'
        kept = path.read_bytes() if path.exists() else None
        path.write_text(text.replace("@", quoted), "utf-8")
        there = inside()
        for command in ("check", "status --why", "templates"):
            attack(command)
        assert inside() == there
        if "NAME" in file:
            attack(TEXT)
            shutil.rmtree("out", ignore_errors=True)
        path.unlink() if kept is None else path.write_bytes(kept)


def test_a_name_with_signs_of_tex_is_built(attack: Attack) -> None:
    demand_embedded()
    for name in ("-rf", "$(id);x", "ü'", "a%b#{}", "a\\b"):
        Path(f"people/{name}.yaml").write_text(PERSON, "utf-8")
    attack("build -t academic --engine embedded", {0})
    assert len(list(Path("out").glob("*/academic.pdf"))) == len(list(Path("people").iterdir()))


def test_a_layout_of_letters_that_nobody_chose_is_refused(attack: Attack) -> None:
    demand_embedded()
    shutil.copytree(builtin_folder() / "letter", "templates/letter")
    Path("templates/letter/more.sty").touch()
    text = f"{APPLICATION}letter: {{body: Hello there}}\n"
    Path("applications/x.yaml").write_text(text, "utf-8")
    done = attack("apply x --engine embedded", {1})
    assert "templates/letter: letter is the name of a built-in template" in done.err
    done = attack("apply x --engine embedded --template-path templates", {0})
    assert done.err.count("letter is that of templates/letter, not the built-in one") == 1


def test_a_link_that_comes_later_is_refused_too() -> None:
    made, library = template("own"), Library.at(own=Path("templates"))
    library.find("own")
    (made / "x").symlink_to("/etc")
    with pytest.raises(TemplateError, match="symbolic link"):
        library.find("own")


def test_a_template_of_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    made = template("own")
    assert templates.listed(made)
    monkeypatch.setattr(templates, "MAX_FILES", 1)
    with pytest.raises(TemplateError, match="over 1 files"):
        templates.listed(made)
    monkeypatch.setattr(templates, "MAX_FILES", 9)
    monkeypatch.setattr(templates, "MAX_BYTES", 1)
    with pytest.raises(TemplateError, match="over 0 MiB"):
        templates.listed(made)
