"""What makes a document out of date, TeX and fonts among it, and what ``status --why`` says."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import deep
import pytest
from conftest import Run
from fresh.asking import (
    ADA,
    PDF,
    PERSON,
    RECORD,
    build,
    change,
    check,
    entries,
    is_fresh,
    new_photo,
)
from workspaces import seal, unsealed

import cvbuild
from cvbuild.building.pipeline import Outcome, Record
from cvbuild.common.diagnostics import NoTexError
from cvbuild.common.files import file_state
from cvbuild.outputs import installed
from cvbuild.outputs.pdf.tex import find, job_folder

OPTIONS = "publications: 1"
FRESH, TEXT = "up to date", "what it shows changed, or how"
EDITED = f"{FRESH}: people/ada.yaml changed, but nothing that this document shows"
RECORD_GONE = "the record of its last build can't be read"
#: Change, whether the cheap check sees it, whether the document is built again, what ``why`` says.
RULES: dict[str, tuple[Callable[[], object], bool, bool, str]] = {
    "nothing": (lambda: None, False, False, FRESH),
    "a template's preview": (
        lambda: Path("templates/academic/preview.png").touch(), False, False, FRESH
    ),
    "a template's logo": (
        lambda: Path("templates/academic/logo.png").touch(), True, True,
        "the template's academic/logo.png is new",
    ),
    "a template touched": (lambda: os.utime("templates/_core/cvb-core.sty"), True, False, FRESH),
    "comment": (lambda: change(PERSON, "name:", "# a comment\nname:"), True, False, EDITED),
    "private item": (lambda: change(PERSON, "A secret", "Another secret"), True, False, EDITED),
    "item beyond the limit": (lambda: change(PERSON, "Old", "Older"), True, False, EDITED),
    "photo that isn't shown": (new_photo, True, False, FRESH),
    "entry gone": (
        lambda: next(Path("out/.build/ada").glob("fresh-*")).unlink(), True, False, FRESH
    ),
    "a new template": (
        lambda: shutil.copytree("templates/academic", "templates/mine"), True, False, FRESH
    ),
    "item": (
        lambda: change(PERSON, "One point", "A point"), True, True,
        TEXT,
    ),
    "option": (
        lambda: change(PERSON, OPTIONS, OPTIONS + ", size: 11"), True, True,
        TEXT,
    ),
    "language": (
        lambda: change(PERSON, "photo:", "locale: de\nphoto:"), True, True,
        TEXT,
    ),
    "date": (
        lambda: change(PERSON, "photo:", "updated: 2024-02-29\nphoto:"), True, True,
        "`updated` was not set and is 2024-02-29",
    ),
    "new section": (
        lambda: change(PERSON, OPTIONS + "}", OPTIONS + "}\nsummary: Of me"), True, True,
        TEXT,
    ),
    "manifest": (
        lambda: change("templates/academic/template.yaml", "\n", "\n#\n"), True, True,
        "the template's academic/template.yaml changed",
    ),
    "style below": (
        lambda: change("templates/_core/cvb-core.sty", "\n", "\n%\n"), True, True,
        "the template's _core/cvb-core.sty changed",
    ),
    "file gone from one": (
        Path("templates/_core/sections/patent.tex.j2").unlink, True, True,
        "the template's _core/sections/patent.tex.j2 is gone",
    ),
    "never built": (lambda: shutil.rmtree("out/.build"), True, True, "never built"),
    "PDF gone": (PDF.unlink, True, True, "the file is gone"),
    "PDF edited": (
        lambda: PDF.write_bytes(PDF.read_bytes() + b"%"), True, True,
        "the file is not the one that was built",
    ),
    "record of another document": (
        lambda: change(RECORD, '"key": "', '"key": "0'), True, True, RECORD_GONE
    ),
    "record of another version": (
        lambda: seal(RECORD, re.sub('"key": "[^"]*"', '"key": ""', unsealed(RECORD))), True, True,
        "it was built by another version of cvbuild",
    ),
}  # fmt: skip
#: One of each answer, and of each place where a change can be.
SHALLOW = (
    "nothing", "comment", "entry gone", "item", "option", "style below", "PDF edited",
)  # fmt: skip


@pytest.mark.parametrize("rule", deep.but(SHALLOW, RULES))
@pytest.mark.usefixtures("home")
def test_rules(rule: str, run: Run) -> None:
    assert is_fresh()
    act, seen, again, reason = RULES[rule]
    act()
    assert is_fresh() is not seen
    ran = run("status", "--why", "--engine", "embedded")
    assert (ran.code, ran.out, ran.err) == (0, f"{'✗' if again else '✓'} {PDF}  {reason}\n", "")
    (document,) = run("status", "--why", "ada", "--engine", "embedded", "--json").json["documents"]
    assert (document["state"] == "up to date", bool(document["reasons"])) == (not again, again)
    assert build(run) is again
    assert is_fresh()
    assert not build(run)


@pytest.mark.usefixtures("home")
def test_the_same_content_of_another_name_is_another_photo(run: Run) -> None:
    change(PERSON, "publications: 1", "publications: 1, photo: true")
    assert build(run)
    assert is_fresh()
    new_photo()
    assert not is_fresh()
    assert build(run)
    Path("people/ada.png").rename("people/other.png")
    assert not is_fresh()


@pytest.mark.parametrize(
    ("arguments", "asked", "again"),
    [
        (["--driver", "direct"], {"driver": "direct"}, False),
        (["--locale", "de"], {"locale": "de"}, True),
        (["--locale", "en"], {"locale": "en"}, False),
        (["-o", "elsewhere"], {"out": "elsewhere"}, True),
        (["-t", "academic"], {"templates": ("academic",)}, False),
        (["--template-path", "templates"], {"template_path": ("templates",)}, False),
        (["--private"], {"private": True}, True),
        (["--set", "headline=Maker"], {"sets": ("headline=Maker",)}, True),
        (["--force"], {}, True),
    ],
)
@pytest.mark.usefixtures("home")
def test_options_count(
    arguments: list[str], asked: dict[str, object], again: bool, run: Run
) -> None:
    assert build(run, *arguments) is again
    assert is_fresh(**asked)
    if "--force" not in arguments:
        assert not build(run, *arguments)


@pytest.mark.parametrize(
    ("name", "value", "again"),
    [
        ("SOURCE_DATE_EPOCH", "86400", True),
        ("CVBUILD_NO_SYSTEM_TEX", "0", False),
        ("HOME", "/nowhere", False),
    ],
)
@pytest.mark.usefixtures("home")
def test_the_environment_counts(
    name: str, value: str, again: bool, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    epoch = {"epoch": int(value)} if name == "SOURCE_DATE_EPOCH" else {}
    assert not is_fresh(**epoch)
    assert build(run) is again
    assert is_fresh(**epoch)


@pytest.mark.usefixtures("home")
def test_another_version_of_cvbuild(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cvbuild.building.fresh.VERSION", "0.0.1")
    monkeypatch.setattr("cvbuild.outputs.types.VERSION", "0.0.1")
    assert not is_fresh()
    said = run("status", "--why", "--engine", "embedded").out
    assert "cvbuild was 0.1.0 and is 0.0.1" in said
    assert build(run)
    assert is_fresh()
    monkeypatch.undo()


@pytest.mark.usefixtures("home")
def test_only_what_changed_is_left_to_do(run: Run) -> None:
    for name in ("bob", "eve"):
        Path(f"people/{name}.yaml").write_text(ADA.replace("Ada", name.title()))
    ran = run("build", "--engine", "embedded", "-t", "academic,industry", "--json")
    assert ran.code == 0
    change("people/bob.yaml", "One point", "A point")
    Path("out/eve/industry.pdf").unlink()
    there, rest = check(templates=("academic", "industry"))
    assert there == {("ada", "academic"), ("ada", "industry"), ("eve", "academic")}
    assert rest == [("bob", None), ("eve", [("industry", "pdf")])]
    # What is there already is told in the same words as what was built.
    ran = run("build", "--engine", "embedded", "-t", "academic,industry")
    assert ran.err.count(" page, up to date, ") == 3
    assert ran.err.count(" s, ") == 3
    assert ran.err.splitlines()[-1].startswith("3 built, 3 up to date in ")
    Path("people/eve.yaml").write_text("name: [\n")
    ran = run("build", "--engine", "embedded", "-t", "academic")
    assert ran.code == 1
    assert "people/eve.yaml:" in ran.err
    assert not is_fresh()


@pytest.mark.usefixtures("home")
def test_from_a_script(monkeypatch: pytest.MonkeyPatch) -> None:
    from cvbuild.building import profiles

    (one,) = cvbuild.build(engine="embedded")
    assert (one.cached, one.path, one.pages) == (True, PDF, 1)
    assert one.notes == ()
    assert [item.code for item in one.diagnostics] == ["limited"]
    assert "shows 1 publication and leaves out 1: Old, " in one.diagnostics[0].message
    place = one.diagnostics[0].span
    assert place is not None
    assert (place.file, place.line) == (str(PERSON), 7)
    monkeypatch.delattr(profiles, "check")
    assert cvbuild.build(["ada"], engine="embedded") == [one]


@pytest.mark.usefixtures("home")
def test_why_of_another_engine_says_no_more_than_that(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = json.loads(unsealed(RECORD))
    record["parts"] |= {"engine": "/opt/pdflatex pdfTeX 3", "tree": "x", "text": "y"}
    seal(RECORD, json.dumps({**record, "key": "z"}))
    monkeypatch.setenv("CVBUILD_NO_SYSTEM_TEX", "1")
    said = run("status", "--why").out
    assert "the engine was /opt/pdflatex pdfTeX 3 and is " in said
    assert ";" not in said


@pytest.mark.usefixtures("home")
def test_why_says_what_is_wrong_with_a_file(run: Run) -> None:
    change(PERSON, "name:", "nam:")
    ran = run("status", "--why", "--engine", "embedded")
    assert (ran.code, ran.out) == (1, "")
    assert "people/ada.yaml:1:1" in ran.err
    assert run("status", "--why", "nobody").code == 2
    assert run("status", "--why", "-t", "nothing").code == 2


@pytest.mark.usefixtures("home")
def test_a_tex_that_appears_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "pdflatex"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert is_fresh()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    assert not is_fresh()


@pytest.mark.deep
@pytest.mark.usefixtures("home")
def test_another_version_of_tex_is_noticed(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The embedded TeX, with a list of its files that can be written."""
    tree = job_folder.embedded_root()
    assert tree
    real = tree.parent if tree.parent.name == "cvbuild_tex" else tree.parents[1]
    package = tmp_path / "site" / real.name
    record = tmp_path / "site" / f"{real.name}-0.dist-info" / "RECORD"
    for folder in (package, record.parent):
        folder.mkdir(parents=True)
    (package / "__init__.py").touch()
    inside = tree.relative_to(real).parts[0]
    (package / inside).symlink_to(real / inside)
    record.write_text("a file\n")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.delitem(sys.modules, real.name, raising=False)
    assert build(run)
    assert is_fresh()
    os.utime(record)
    assert not is_fresh()
    assert not build(run)
    record.write_text("another file\n")
    assert not is_fresh()
    assert build(run)
    assert run("status", "--why", "--engine", "embedded").out.endswith("up to date\n")


def test_fonts_that_appear_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For documents with faces from outside TeX's tree: another one may be taken now."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("USERPROFILE", raising=False)
    fonts = tmp_path / (".fonts" if sys.platform == "linux" else "Library/Fonts")

    before = entries().world
    assert entries().world == before
    (fonts / "sub").mkdir(parents=True)
    between = entries().world
    assert between != before
    (fonts / "sub" / "a.ttf").touch()
    assert entries().world != between


def test_a_font_that_changed_while_tex_ran_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    font, binary = Path("a.ttf"), Path("pdftex")
    for path in (font, binary):
        path.write_text("old")
    parts = {"tree": file_state.tree([binary]), "fonts": file_state.tree([font])}
    record = Record("", 0, file_state.file_hash(binary), parts=parts)
    machine = (binary,), (font,)
    outcome = Outcome("ada", "academic", binary, keep=Path(), record=record, machine=machine)
    assert entries()._document(outcome)
    font.write_text("a new one")
    assert not entries()._document(outcome)


@pytest.mark.skipif(sys.platform != "linux", reason="where fonts are differs")
def test_who_lives_long_finds_what_came_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A state that is remembered must not be newer than what the documents were made with."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CVBUILD_NO_SYSTEM_TEX", raising=False)
    font, program = tmp_path / ".fonts/a.ttf", tmp_path / "bin/pdflatex"

    def there() -> tuple[bool, bool]:
        with pytest.raises(NoTexError) as caught:
            find.system_engine({})
        (problem,) = caught.value.diagnostics
        return installed.font_file((font.name,)) is not None, problem.code != "no-engine"

    for path in (font, program):
        path.parent.mkdir()
    assert there() == (False, False)
    for path in (font, program):
        path.write_text("#!/bin/sh\n")
        path.chmod(0o700)
    assert there() == (False, True)
    installed.look_again()
    assert there() == (True, True)
    installed.look_again()


def test_programs_are_found_with_their_endings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PATHEXT", os.pathsep.join([".COM", ".exe"]))
    before = entries(out=str(tmp_path)).world
    program = tmp_path / "pdflatex.exe"
    program.touch()
    program.chmod(0o700)
    assert entries(out=str(tmp_path)).world != before
