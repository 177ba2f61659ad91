"""Links, pipes and odd names in what people write: nothing of the user's own is read or written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import attack_counts
import pikepdf
import pytest
from clones import APPLICATION, APPLY, BUILD, PERSON, put, state
from conftest import Run
from PIL import Image
from texlive import demand_embedded

import cvbuild
from cvbuild.common.files import safe_files, safe_folders

ATTACKS = "Links, paths and names"
pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="links need rights there"),
    pytest.mark.usefixtures("project"),
]
SECRET = "the-user-s-own-secret"
TEXT = ("build", "--format", "txt")


def test_a_folder_s_own_methods_follow_no_link(tmp_path: Path) -> None:
    """Each of them, for a name that is a link."""
    (tmp_path / "own").mkdir()
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim/file").write_text("mine", encoding="utf-8")
    before = state(tmp_path / "victim")
    links: dict[str, Path] = {
        "file": tmp_path / "victim/file",
        "folder": tmp_path / "victim",
        "none": Path("nowhere"),
    }
    with safe_folders.opened(tmp_path, "own") as folder:

        def inner(name: str) -> None:
            with folder.inner(name, make=True):
                pass

        acts: dict[str, Callable[[str], object]] = {
            "write": lambda name: folder.write(name, b"x"),
            "temporary": lambda name: folder.write("other", b"x", name),
            "create": lambda name: folder.create(name, b"x"),
            "append": lambda name: folder.append(name).close(),
            "read": lambda name: folder.read(name, 9),
            "hash": folder.hash,
            "remove": folder.remove,
            "unlink": folder.unlink,
            "make": folder.make,
            "inner": inner,
            "rename": lambda name: folder.rename("new", name),
        }
        for act, name in [(act, name) for act in acts for name in links]:
            for old in folder.names():
                folder.remove(old)
            folder.create("new", b"new")
            (tmp_path / "own" / name).symlink_to(links[name])
            try:
                acts[act](name)
            except (OSError, cvbuild.CvbuildError) as error:
                assert str(tmp_path / "own" / name) in str(error)  # noqa: PT017 - not for all
            else:
                assert act in {"write", "temporary", "remove", "unlink", "rename"}
            assert state(tmp_path / "victim") == before
            assert not (tmp_path / "own/nowhere").exists()
        # A whole folder is removed, and not what a link in it leads to.
        folder.make("whole")
        (tmp_path / "own/whole/link").symlink_to(tmp_path / "victim")
        folder.remove("whole")
        assert "whole" not in folder.names()
        assert state(tmp_path / "victim") == before


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


def photo() -> None:
    Path("people/ada.yaml").write_text(f"{PERSON}photo: ada.png\n", encoding="utf-8")


def says(line: str) -> Callable[[], None]:
    def write() -> None:
        Path("applications/x.yaml").write_text(f"{APPLICATION}{line}\n", encoding="utf-8")

    return write


def nothing() -> None:
    pass


def template() -> None:
    Path("templates/own/sections").mkdir(parents=True)
    Path("templates/own/template.yaml").write_text(
        "api: 1\ntitle: A\ndescription: B\nextends: academic\n", encoding="utf-8"
    )


OWN = ("build", "-t", "own", "--engine", "embedded")
#: The place of a file, what is there by right, what names it, and a command that reads it.
READS: dict[str, tuple[str, Callable[[Path], None], Callable[[], None], tuple[str, ...]]] = {
    "person": ("people/ada.yaml", text, nothing, TEXT),
    "person, by name": ("people/ada.yaml", text, nothing, (*TEXT, "ada")),
    "person, by path": ("people/ada.yaml", text, nothing, (*TEXT, "people/ada.yaml")),
    "person, checked": ("people/ada.yaml", text, nothing, ("check",)),
    "person, shown": ("people/ada.yaml", text, nothing, ("show", "ada")),
    "overlay": ("people/ada.private.yaml", text, nothing, (*TEXT, "--private")),
    "photo": ("people/ada.png", picture, photo, BUILD),
    "application": ("applications/x.yaml", text, nothing, APPLY),
    "attachment": ("applications/cv.pdf", pdf, says("attachments: [cv.pdf]"), APPLY),
    "letter": ("applications/l.md", text, says("letter: l.md"), APPLY),
    "signature": (
        "applications/s.png", picture, says("letter: {body: Hello there, signature: s.png}"), APPLY,
    ),
    "notes": ("applications/x.log", text, nothing, ("applications", "show", "x")),
    "advert": ("job.txt", text, nothing, ("match", "ada", "job.txt")),
    "import": ("cv.json", text, nothing, ("import", "cv.json")),
    "manifest": ("templates/own/template.yaml", text, template, OWN),
    "style": ("templates/own/cvb-own.sty", text, template, OWN),
    "section": ("templates/own/sections/bullets.tex.j2", text, template, OWN),
    "hidden": ("templates/own/.x", text, template, OWN),
}  # fmt: skip


HOWS = (
    "link", "link to a link", "relative link", "link to zero", "link to itself", "pipe", "folder",
    "link to a folder", "huge",
)  # fmt: skip
CASES = [(what, how) for what in READS for how in HOWS]


@pytest.mark.parametrize(("what", "how"), attack_counts.sample(CASES, 40, "paths"))
def test_what_is_read_lies_in_the_project(what: str, how: str, tmp_path: Path, run: Run) -> None:
    place, right, prepare, command = READS[what]
    if command[0] in {"apply", "build"} and "embedded" in command:
        demand_embedded()
    prepare()
    path = Path(place)
    path.unlink(missing_ok=True)
    outside = tmp_path / "outside"
    if how == "link to a folder":
        outside.mkdir()
    else:
        right(outside)
    if how == "link to a link":
        Path("inner").symlink_to(outside)
        outside = Path("inner").absolute()
    put(how, path, outside)
    if what == "person" and how in {"pipe", "link to itself", "folder"}:
        command = (*command, "ada")
    done = run(*command)
    for folder_of in (Path("out"), Path("people"), Path("applications")):
        for file in folder_of.rglob("*"):
            if file.is_file() and not file.is_symlink() and file.stat().st_size < 1 << 30:
                assert SECRET.encode() not in file.read_bytes()
    assert SECRET not in done.out + done.err
    assert "Traceback" not in done.err
    # Where nothing may be, an empty folder is as good as nothing.
    harmless = how == "folder" and what in {"overlay", "style", "hidden", "section", "notes"}
    silent = what == "overlay" and how in {
        "link to a folder", "link to itself", "pipe", "link to zero", "folder",
    }  # fmt: skip
    missing = what == "notes"
    assert done.code in {1, 2} or harmless or silent or missing, done


def test_a_link_inside_the_project_is_read(project: Path, run: Run) -> None:
    (project / "pictures").mkdir()
    picture(project / "people/real.png")
    (project / "people/ada.png").symlink_to("real.png")
    (project / "data").mkdir()
    (project / "people/ada.yaml").rename(project / "data/ada.yaml")
    (project / "people/ada.yaml").symlink_to("../data/ada.yaml")
    assert run(*TEXT).code == 0


def test_what_the_user_names_may_be_anywhere(project: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "mine").mkdir()
    (project / "people/ada.yaml").rename(tmp_path / "mine/real.yaml")
    (tmp_path / "mine/ada.yaml").symlink_to("real.yaml")
    assert run(*TEXT, str(tmp_path / "mine/ada.yaml")).code == 0
    assert Path("out/ada/academic.txt").is_file()


# -- names ---------------------------------------------------------------------------------------

NAMES = {
    "dots": "..", "one dot": ".", "slash": "a/b", "up": "../../x", "absolute": "/tmp/x",
    "nul": "a\0b", "line": "a\nb", "return": "a\rb", "minus": "-rf", "two minus": "--force",
    "con": "con", "NUL": "NUL", "aux": "aux", "com1": "COM1", "lpt9": "lpt9", "long": "a" * 300,
    "rtl": "a\u202eb", "zero width": "a\u200bb", "nfd": "e\u0301", "trailing dot": "a.",
    "trailing space": "a ", "space": " ", "empty": "", "tilde": "~", "home": "~/x",
    "dollar": "$HOME", "quote": 'a"b', "backslash": "a\\b", "colon": "a:b", "star": "*",
    "escape": "\x1b[31mx", "emoji": "\U0001f600", "surrogate": "a\udc80b", "semicolon": "a;id",
    "pipe": "a|id", "percent": "%n", "hash": "#", "hidden": ".git",
    "signs of TeX": "a%b#{}", "command": "$(id);x",
}  # fmt: skip
RESERVED = ("con", "NUL", "aux", "COM1", "lpt9")


def places() -> set[str]:
    return {path.relative_to(Path.cwd().parent).as_posix() for path in Path.cwd().parent.rglob("*")}


def test_names_on_the_command_line(run: Run, tried: Callable[[int], None]) -> None:
    before, count = places(), 0
    for name in attack_counts.sample(list(NAMES.values()), 12, "command line"):
        for command in (
            ("build", "--format", "txt", "--", name),
            ("build", "--format", "txt", f"--template={name}"),
            ("build", "--format", "txt", f"--variant={name}"),
            ("show", "--", name),
            ("why", "--", name),
            ("apply", "--", name),
            ("applications", "show", "--", name),
            ("applications", "note", "--", name, "a note"),
            ("match", "ada", "--", name),
            ("import", "--", name),
            ("check", "--", name),
        ):
            done = run(*command)
            assert done.code in {1, 2}, (command, done)
            assert "Traceback" not in done.err
            assert "\x1b[31m" not in done.out + done.err
            count += 1
    new = {name for name in places() - before if "/fresh-" not in name}
    assert new <= {"project/out", "project/out/.build", "project/out/.build/ada"}
    tried(count)


def written() -> Iterator[tuple[str, str, str]]:
    """What people write, with a name in it: the file, its text before and after the name."""
    yield "people/ada.yaml", f"{PERSON}variants:\n  ", ": {template: academic}\n"
    yield "people/ada.yaml", f"{PERSON}photo: ", "\n"
    yield "people/ada.yaml", PERSON.replace("[academic, industry]", "@") + "# ", "\n"
    yield "applications/x.yaml", f"{APPLICATION}attachments: [", "]\n"
    yield "applications/x.yaml", f"{APPLICATION}letter: {{file: ", "}\n"
    yield "applications/x.yaml", "employer: Lab\nposition: X\nperson: ", "\n"
    yield "templates/own/template.yaml", "api: 1\ntitle: A\ndescription: B\nextends: ", "\n"
    yield (
        "templates/own/template.yaml",
        "api: 1\ntitle: A\ndescription: B\nextends: academic\ntex: {style: ",
        "}\n",
    )


def test_names_in_files(run: Run, tried: Callable[[int], None]) -> None:
    count = 0
    for file, start, end in written():
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        before = Path(file).read_bytes() if Path(file).exists() else None
        for name in attack_counts.sample(list(NAMES.values()), 4, file + start):
            quoted = '"' + "".join(f"\\U{ord(char):08x}" for char in name) + '"'
            content = (
                start.replace("@", quoted) + end if "@" in start[:60] else start + quoted + end
            )
            Path(file).write_text(content, encoding="utf-8")
            there = places()
            for command in (("check",), ("why",), ("templates",)):
                done = run(*command)
                assert "Traceback" not in done.err, (content, done)
                assert "\x1b[31m" not in done.out + done.err
            assert places() == there
            count += 1
        if before is None:
            Path(file).unlink()
        else:
            Path(file).write_bytes(before)
    tried(count)


@pytest.mark.parametrize("name", RESERVED)
def test_names_that_windows_reserves(name: str, run: Run) -> None:
    """What is built on one system is opened on another."""
    Path("people/ada.yaml").write_text(
        f"{PERSON}variants:\n  {name}: {{template: academic}}\n", encoding="utf-8"
    )
    done = run("check")
    assert done.code == 1
    assert "people/ada.yaml:8:3" in done.err
    assert "reserve" in done.err
    Path("people/ada.yaml").rename(f"people/{name}.yaml")
    done = run(*TEXT, name)
    assert done.code == 2
    assert "reserve" in done.err
    Path(f"applications/{name.lower()}.yaml").write_text(APPLICATION, encoding="utf-8")
    done = run("apply", name.lower())
    assert done.code == 1
    assert "reserve" in done.err
    assert run("new", name).code == 2


@pytest.mark.parametrize("twin", ["Ada", "ADA"])
def test_people_that_are_one_on_other_systems(twin: str, run: Run) -> None:
    Path("more").mkdir()
    shutil.copy("people/ada.yaml", f"more/{twin}.yaml")
    done = run(*TEXT, "ada", f"more/{twin}.yaml")
    assert done.code == 2
    assert "would overwrite each other" in done.err


def test_odd_names_of_people(run: Run, tried: Callable[[int], None]) -> None:
    demand_embedded()
    count = 0
    for name in NAMES.values():
        if set(name) & {"/", "\0"} or not 0 < len(name) < 200 or name in RESERVED:
            continue
        path = os.fsencode(f"people/{name}.yaml") if "\udc80" in name else f"people/{name}.yaml"
        with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123 - bytes
            file.write(PERSON)
        done = run(*TEXT)
        assert "Traceback" not in done.err, (name, done)
        assert "\x1b[31m" not in done.out + done.err
        os.unlink(path)  # noqa: PTH108
        count += 1
    for name in ("-rf", "$(id);x", "ü'", "a%b#{}", "a\\b", "a.b"):
        Path(f"people/{name}.yaml").write_text(PERSON, encoding="utf-8")
    assert run("build", "-t", "academic", "--engine", "embedded").code == 0
    assert len(list(Path("out").glob("*/academic.pdf"))) == len(list(Path("people").iterdir()))
    assert all(entry.name in {"project", "home"} for entry in Path.cwd().parent.iterdir())
    assert not list(Path.cwd().parent.glob("*.txt"))
    tried(count)
