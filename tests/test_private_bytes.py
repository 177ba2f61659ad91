"""No private word is in anything that a public build makes, byte by byte; all are in private ones.

Each secret is a word of its own, made anew in each run, so that no other text can hold it.
"""

from __future__ import annotations

import re
import secrets
from pathlib import Path

import pikepdf
import pytest
from PIL import Image
from profiles import person_of
from secret_search import in_bytes, in_pdf
from texlive import demand_embedded

from cvbuild.cli import main

#: What is private is gone before a style is asked: one that leaves out by itself, and another.
#: Every engine's PDF is finished by the same code, and a machine without TeX Live has the embedded.
TEMPLATES = ("academic", "one-page")
#: No f, i and l, which fonts join.
LETTERS = "abcdeghkmnoprstuvwxyz"

#: «name» is replaced by a word.
PERSON = person_of("secrets")
OVERLAY = person_of("secrets.overlay")
NUMBERS = {
    "phone": ("+1 202 555 0147",),
    "phone of the overlay": ("+1 202 555 0158",),
    "birth date": ("1987-10-24", "Oct 24, 1987"),
    "date": ("2003-11-23", "Nov 23, 2003"),
}
#: No document has the names of files, tags, or texts in another language than its own.
SILENT = {"photo", "tag", "german"}
#: What an attachment has no place for, and one page none for either.
ONLY_ON_A_PAGE = {"footer", "mark"}

Texts = dict[str, tuple[str, ...]]


@pytest.fixture(scope="module")
def words() -> dict[str, str]:
    names = re.findall("«([^»]+)»", PERSON + OVERLAY)
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
def home(words: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    demand_embedded()
    home = tmp_path_factory.mktemp("private")
    (home / "people").mkdir()
    for name, text in (("ada", PERSON), ("ada.private", OVERLAY)):
        filled = re.sub("«([^»]+)»", lambda found: words[found[1]], text)
        (home / f"people/{name}.yaml").write_text(filled, "utf-8")
    Image.new("RGB", (40, 50), "red").save(home / f"people/{words['photo']}.png")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        assert build() == 0
    return home


@pytest.fixture(autouse=True)
def there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)


def files(folder: str) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


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


def test_nor_does_any_file_beside_it(texts: Texts) -> None:
    found = files("out")
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


def test_a_private_build_shows_it_all_and_touches_no_public_file(texts: Texts) -> None:
    before = files("out")
    assert build("--private") == 0
    after = files("out")
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
