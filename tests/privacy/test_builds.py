"""What is private: in flags and overlays, on a cluster, and from a cache."""

from __future__ import annotations

import pickle
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from conftest import Run
from PIL import Image
from profiles import person_of
from pydantic import TypeAdapter, ValidationError
from secret_search import in_bytes, in_pdf
from texlive import demand_embedded
from told import rows
from workspaces import files_of

from cvbuild.building import cluster
from cvbuild.building.profiles import check, task
from cvbuild.cli import main
from cvbuild.common.diagnostics import FieldPath, ProfileError
from cvbuild.inputs.people import Person
from cvbuild.inputs.person import person_file, privacy
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml import source
from cvbuild.inputs.yaml.source import parse
from cvbuild.inputs.yaml.tree import Node, Source
from cvbuild.model.profile import Profile
from cvbuild.outputs.request import Request
from cvbuild.outputs.styles.templates import Library

CORPUS = Path(__file__).resolve().parents[2] / "tools" / "ats" / "corpus"
ADA = Person("ada", Path("people/ada.yaml"))
OVERLAY = Path("people/ada.private.yaml")


def data(text: str) -> object:
    return parse(text, "a.yaml").data


def write(text: str, over: str | None = None) -> None:
    ADA.path.write_text(text, "utf-8")
    if over is not None:
        OVERLAY.write_text(over, "utf-8")


def leaves(data: Any, path: FieldPath = ()) -> Iterator[tuple[FieldPath, str]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list):
        for at, value in enumerate(data):
            yield from leaves(value, (*path, at))
    elif isinstance(data, str):
        yield path, data


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    return tmp_path


@pytest.mark.usefixtures("home")
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize(
    ("lines", "ignored"),
    [
        ("/people/*.private.yaml", True), ("*.private.yaml", True), ("people/", True),
        ("people/*", True), ("people/**", True), ("/people", True), ("**/*.private.yaml", True),
        ("# x\n\npeople/ad?.private.yaml", True), ("", False), ("/ada.private.yaml", False),
        ("peop", False), ("people/\n!people/", False), ("*.private.yaml/", False),
        ("/people/ada.private.yaml/*", False), ("*.private.yaml\n!ada.private.yaml", False),
    ],
)  # fmt: skip
def test_check_tells_that_git_would_take_an_overlay(lines: str, ignored: bool, run: Run) -> None:
    subprocess.run(["git", "init", "--quiet"], check=True)
    Path(".gitignore").write_text(lines + "\n", "utf-8")
    write("name: Ada Example\nsections: []\n", "headline: Hidden\n")
    others = ["git", "ls-files", "--others", "--exclude-standard"]
    told = subprocess.run(others, capture_output=True, text=True, check=True).stdout.splitlines()
    assert ("people/ada.private.yaml" in told) != ignored, "as git has it"
    ran = run("check")
    said = (
        "people/ada.private.yaml: warning: git doesn't ignore this file, which is private; "
        "add the line *.private.yaml to .gitignore"
    )
    assert (said in ran.err.splitlines()) != ignored
    assert ran.code == 0


@pytest.mark.usefixtures("home")
def test_nothing_private_travels_to_a_cluster_for_a_public_document() -> None:
    write(
        "name: Ada Example\nheadline: {value: Zymurgist, private: true}\n"
        "sections: [{kind: skill, items: [Python, {name: Zymurgy, private: true}]}]\n",
        "contact: {address: Zymurgy Road}\n",
    )
    request = Request(Path("out"), 0)
    for private, count in ((False, 0), (True, 3)):
        todo = task(check(ADA, request.library, private=private), "academic", request)
        content = pickle.dumps(cluster.pack(todo))
        assert content.count(b"Zymurg") == count
        assert b"Python" in content


@pytest.mark.usefixtures("home", "requires_embedded")
def test_what_was_private_does_not_travel_when_it_is_public(run: Run) -> None:
    """Nor does it stay in any file that the next build leaves beside the document."""
    text = (
        "name: Ada Example\n"
        "sections:\n"
        "- {kind: skill, items: [Python]}\n"
        "- {kind: award, title: Zymurgy, private: true, items: [{title: A prize}]}\n"
        "variants: {own: {private: true}}\n"
    )
    write(text)
    assert run("build", "ada", "--variant", "own", "--engine", "embedded").code == 0
    write(text.replace("own: {private: true}", "own: {}"))
    assert run("build", "ada", "--variant", "own", "--engine", "embedded").code == 0
    kept = [path for path in Path("out/.build/ada/own").rglob("*") if path.is_file()]
    assert len(kept) >= 3
    assert [path for path in kept if b"Zymurg" in path.read_bytes()] == []


def public(text: str) -> Source:
    return privacy.public(parse(text, "a.yaml"))


def everything(text: str) -> object:
    return privacy.everything(parse(text, "a.yaml")).data


@pytest.mark.parametrize(("written", "left", "whole"), rows("privacy/left.txt"))
def test_what_is_left(written: str, left: str, whole: str) -> None:
    made = public(written)
    assert made.data == data(left)
    assert made.text == ""
    assert everything(written) == data(whole)


def test_flags_mean_what_they_mean_to_the_model() -> None:
    """Else a flag that the model reads as a yes could leave a thing public."""
    flag: TypeAdapter[bool] = TypeAdapter(bool)
    words = "true True TRUE false yes No on OFF t f y n 1 0 2 maybe truee none null - tru ja"
    for word in words.split():
        try:
            meant: bool | None = flag.validate_python(word)
        except ValidationError:
            meant = None
        item = public(f"a: x\nb: [{{c: y, private: '{word}'}}]")
        value = public(f"a: x\nb: {{value: y, private: '{word}'}}")
        assert ("b" in item.data) == ("b" in value.data) == (meant is False), word  # type: ignore[operator]
        faults = list(privacy.faults(parse(f"b: {{value: y, private: '{word}'}}", "").tree, ""))
        assert bool(faults) == (meant is None), word


def test_places_stay_right_behind_what_was_taken_out() -> None:
    given = public(
        "name: Ada Example\n"
        "sections:\n"
        "- {kind: award, private: true, items: [{title: One}]}\n"
        "- kind: award\n"
        "  items:\n"
        "  - {title: Two, private: true}\n"
        "  - title: Three\n"
        "    awarder: {value: Four, private: true}\n"
        "    summary: {value: Five, private: false}\n"
    )
    path: FieldPath = ("sections", 0, "items", 0)
    assert given.span((*path, "title")).line == 7
    assert (given.span((*path, "summary")).line, given.span((*path, "summary")).column) == (9, 22)
    assert given.key_span((*path, "summary")).column == 5
    assert [(one.path, one.span.line, one.texts) for one in given.private] == [
        (("sections", 0), 3, ("One",)),
        (("sections", 1, "items", 0), 6, ("Two",)),
        (("sections", 1, "items", 1, "awarder"), 8, ("Four",)),
    ]


def wrapped(source: Source, path: FieldPath) -> Source:
    node = source.part(path)
    flag = Node(node.place, node.place, "true")
    return source.grafted(path, Node(node.place, node.key, {"value": node, "private": flag}))


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.deep)])
def test_any_field_may_be_private(step: int) -> None:
    """Each of a long CV in turn: the public part lacks it, or can't do without it and says so."""
    given = parse((CORPUS / "full.yaml").read_text("utf-8"), "a.yaml")
    assert validate(given)
    tried = [(path, text) for path, text in leaves(given.data) if path[0] != "options"]
    assert len(tried) > 150
    refused = steering = 0
    for path, text in tried[::step]:
        one = wrapped(given, path)
        faults = list(privacy.faults(one.tree, ""))
        if faults:
            assert str(faults[0].message).endswith(" can't be private"), path
            assert {"kind", "id", "order", "tags", "priority", "me", "numbering"} & set(path[-2:])
            steering += 1
            continue
        shown = privacy.everything(one)
        assert shown.data == given.data
        left = privacy.public(one)
        assert [(h.path, h.texts) for h in left.private] in ([(path, (text,))], [(path, ())])
        assert left.data != given.data
        try:
            Profile.model_validate(left.data)
        except ValidationError as error:
            faults = [*person_file._alone(error, left, shown)]
            assert faults
            assert {fault.span for fault in faults} == {left.private[0].span}
            assert all("can't be private" in fault.message for fault in faults)
            refused += 1
    assert steering * step > 10
    assert 20 < refused * step < len(tried) - 100


@pytest.mark.parametrize(("written", "said"), [(*row, "")[:2] for row in rows("privacy/flags.txt")])
def test_flags_that_are_refused(written: str, said: str) -> None:
    given = parse(written, "a.yaml")
    found = [f"{fault.span.line}:{fault.span.column}: {fault.message}\n"
             for fault in privacy.faults(given.tree, "") if fault.span]  # fmt: skip
    assert found == ([said] if said else [])
    hides = "is empty" in said or "mapping" in said
    if hides and "variants" not in written:
        assert "x" not in [text for _, text in leaves(privacy.public(given).data)]


@pytest.mark.usefixtures("home")
def test_a_whole_person_is_not_private() -> None:
    write("value: {name: Ada Example}\nprivate: true\n")
    found = person_file.read(ADA).diagnostics
    assert [(one.span.line, one.message) for one in found if one.span] == [
        (1, "a whole person can't be private")
    ]


@pytest.mark.parametrize(("base", "over", "both"), rows("privacy/overlays.txt"))
def test_how_an_overlay_is_merged(base: str, over: str, both: str) -> None:
    made = person_file.laid_over(parse(base, "a.yaml"), parse(over, "a.private.yaml"))
    assert made.data == data(both)


@pytest.mark.usefixtures("home")
def test_messages_name_the_file_and_the_line() -> None:
    write(
        "name: Ada Example\ncontact:\n  email: ada@example.org\n",
        "contact:\n  email: [eve@example.org, nowhere]\n  adress: Street 1\nfoto: x\n",
    )
    said = [str(one).partition(";")[0] for one in person_file.read(ADA, private=True).diagnostics]
    assert said == [
        "people/ada.private.yaml:2:28: this is not an e-mail address",
        'people/ada.private.yaml:3:3: unknown key "adress"',
        "people/ada.private.yaml:4:1: unknown key",
    ]


@pytest.mark.usefixtures("home")
def test_a_public_document_does_not_open_the_overlay(monkeypatch: pytest.MonkeyPatch) -> None:
    write("name: Ada Example\n", "contact: [")
    opened: list[Path] = []
    load = source.load

    def noted(path: Path, begin: str = source.BEGIN, **more: Any) -> Source:
        opened.append(path)
        return load(path, begin, **more)

    monkeypatch.setattr(source, "load", noted)
    profile, made = person_file.read(ADA).require()
    assert (profile.name.display, made.private, opened) == ("Ada Example", (), [ADA.path])
    with pytest.raises(ProfileError, match=r"people/ada\.private\.yaml:1:10"):
        person_file.read(ADA, private=True).require()
    assert opened[1:] == [ADA.path, OVERLAY]


@pytest.mark.usefixtures("home")
def test_an_overlay_may_be_missing_or_empty_but_no_list_and_no_folder() -> None:
    for over in (None, "", "# nothing yet\n"):
        write("name: Ada Example\ncontact: {phone: {number: '+12345', private: true}}\n", over)
        profile, _ = person_file.read(ADA, private=True).require()
        assert [one.number for one in profile.contact.phone] == ["+12345"]
        assert person_file.read(ADA).require()[0].contact.phone == ()
    write("name: Ada Example\n", "- phone: 1\n")
    with pytest.raises(ProfileError, match='begin with a key, such as "contact:"'):
        person_file.read(ADA, private=True).require()
    OVERLAY.unlink()
    OVERLAY.symlink_to("nowhere.yaml")
    with pytest.raises(ProfileError, match="there is no such file"):
        person_file.read(ADA, private=True).require()
    OVERLAY.unlink()
    OVERLAY.mkdir()
    with pytest.raises(ProfileError, match="this is a folder"):
        person_file.read(ADA, private=True).require()


@pytest.mark.usefixtures("home")
def test_a_public_variant_may_name_what_is_private() -> None:
    write(
        "name: Ada Example\n"
        "sections:\n"
        "- {kind: skill, items: [Python, {name: Secret, tags: secret, private: true}]}\n"
        "- {kind: award, private: true, items: [{title: A prize}]}\n"
        "variants: {short: {exclude: secret, without: award}}\n"
    )
    assert check(ADA, Library.at()).diagnostics == ()


#: What is private is gone before a style is asked: one that leaves out by itself, and another.
#: Every engine's PDF is finished by the same code, and a machine without TeX Live has the embedded.
TEMPLATES = ("academic", "one-page")
#: No f, i and l, which fonts join.
LETTERS = "abcdeghkmnoprstuvwxyz"

#: «name» is replaced by a word.
FILLED = person_of("secrets")
HIDDEN = person_of("secrets.overlay")
NUMBERS = {
    "phone": ("+1 202 555 0147",),
    "phone of the overlay": ("+1 202 555 0158",),
    "birth date": ("1987-10-24", "Oct 24, 1987"),
    "date": ("2003-11-23", "Nov 23, 2003"),
}
#: No document has the names of contents, tags, or texts in another language than its own.
SILENT = {"photo", "tag", "german"}
#: What an attachment has no place for, and one page none for either.
ONLY_ON_A_PAGE = {"footer", "mark"}
Texts = dict[str, tuple[str, ...]]


@pytest.fixture(scope="module")
def words() -> dict[str, str]:
    names = re.findall("«([^»]+)»", FILLED + HIDDEN)
    assert len(names) == len(set(names)) > 35
    return {name: "".join(secrets.choice(LETTERS) for _ in range(14)) for name in names}


@pytest.fixture(scope="module")
def texts(words: dict[str, str]) -> Texts:
    return {**{name: (text,) for name, text in words.items()}, **NUMBERS}


def build(*arguments: str) -> int:
    return main.main(
        ["build", "ada", "-t", ",".join(TEMPLATES), "--engine", "embedded", *arguments]
    )


@pytest.fixture(scope="module")
def filled(words: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    demand_embedded()
    filled = tmp_path_factory.mktemp("private")
    (filled / "people").mkdir()
    for name, text in (("ada", FILLED), ("ada.private", HIDDEN)):
        whole = re.sub("«([^»]+)»", lambda found: words[found[1]], text)
        (filled / f"people/{name}.yaml").write_text(whole, "utf-8")
    Image.new("RGB", (40, 50), "red").save(filled / f"people/{words['photo']}.png")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(filled)
        assert build() == 0
    return filled


@pytest.fixture
def there(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(filled)


@pytest.mark.usefixtures("there")
@pytest.mark.parametrize("template", TEMPLATES)
def test_a_public_document_holds_nothing_private(template: str, texts: Texts) -> None:
    pdf = Path(f"out/ada/{template}.pdf")
    assert in_pdf(pdf, texts) == set()
    assert in_pdf(pdf, {"employer": ("Example Works",), "name": ("Ada Example",)}) == {
        "employer",
        "name",
    }
    with pikepdf.open(pdf) as document:
        assert "/StructTreeRoot" in document.Root
    assert pictures(pdf) == 0


@pytest.mark.usefixtures("there")
def test_nor_does_any_file_beside_it(texts: Texts) -> None:
    found = files_of(Path("out"))
    names = {Path(name).name for name in found}
    assert {"cv.tex", "cv.log", "record.json", "academic.pdf"} <= names
    assert any("/fresh-" in name for name in found)
    assert {name: some for name, data in found.items() if (some := in_bytes(data, texts))} == {}
    assert not any(word in " ".join(found) for ways in texts.values() for word in ways)


def pictures(path: Path) -> int:
    with pikepdf.open(path) as document:
        return sum(
            isinstance(one, pikepdf.Stream) and one.get("/Subtype") == "/Image"
            for one in document.objects
        )


@pytest.mark.usefixtures("there")
def test_a_private_build_shows_it_all_and_touches_no_public_file(texts: Texts) -> None:
    before = files_of(Path("out"))
    assert build("--private") == 0
    after = files_of(Path("out"))
    assert {name for name in before if after.get(name) != before[name]} == set()
    new = {Path(name) for name in after.keys() - before.keys()}
    assert {path.name for path in new if path.parent.name == "ada"} >= {
        f"{template}.private.pdf" for template in TEMPLATES
    }
    # The photo goes into TeX under a fixed name.
    sources = [data for name, data in after.items() if name.endswith("cv.tex")]
    assert len(sources) == 2 * len(TEMPLATES)
    assert not any("photo" in in_bytes(data, texts) for data in sources)
    every = set(texts) - SILENT
    for template in TEMPLATES:
        pdf = Path(f"out/ada/{template}.private.pdf")
        held = in_pdf(pdf, texts)
        lacking = every - held
        assert lacking <= (ONLY_ON_A_PAGE if template == "one-page" else set()), template
        assert held & SILENT == set()
    assert pictures(Path("out/ada/academic.private.pdf")) == 1
