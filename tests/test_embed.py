"""The facts that travel with a PDF: as JSON Resume, attached, given back; nothing private.

Longer than most: one person with every field, and what becomes of each, stand side by side.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import deep
import papers
import pikepdf
import pytest
from conftest import Run
from profiles import person_of
from profiles import public as public_profile
from secret_search import in_pdf
from texlive import engine_of

from cvbuild.building.pipeline import Outcome
from cvbuild.common.diagnostics import CvbuildError
from cvbuild.importers import registry, types
from cvbuild.importers.types import LARGEST_PART
from cvbuild.model.profile import Profile
from cvbuild.outputs.formats import jsonresume
from cvbuild.outputs.pdf import ATTACHMENT
from cvbuild.selection.select import select

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "pdf.md"
EPOCH = 1_700_000_000
CASES = ROOT / "tests" / "outputs" / "cases"
#: All kinds, and something private at every level; what is private says so.
FULL = (CASES / "every-field" / "person.yaml").read_text("utf-8")
SECRETS = ("SECRET", "NOT-SHOWN", "private.example", "0199")


@pytest.fixture(scope="module")
def full() -> Profile:
    return public_profile(FULL)


@pytest.fixture(scope="module")
def made(full: Profile) -> dict[str, Any]:
    return jsonresume.resume(select(full, {}))


def build(folder: Path, text: str = FULL, template: str = "academic", **changes: Any) -> Outcome:
    folder.mkdir(exist_ok=True)
    outcome = papers.build(text, template, folder=folder, **{"epoch": None, **changes})
    assert outcome.path is not None, outcome.diagnostics
    return outcome


def held(pdf: Path, *words: str) -> set[str]:
    return in_pdf(pdf, {word: (word,) for word in words})


def specification(document: pikepdf.Pdf) -> pikepdf.Object:
    names = document.Root.Names.EmbeddedFiles
    assert len(document.Root.AF) == 1
    assert len(names.Names) == 2
    assert names.Names[1].objgen == document.Root.AF[0].objgen
    return document.Root.AF[0]


def read(pdf: Path) -> bytes:
    return types.opened(pdf).files.read(ATTACHMENT) or b""


def check_attachment(pdf: Path, content: bytes, date: str) -> None:
    with pikepdf.open(pdf) as document:
        spec = specification(document)
        assert [str(spec.Type), str(spec.AFRelationship)] == ["/Filespec", "/Data"]
        assert str(spec.F) == str(spec.UF) == ATTACHMENT
        assert "JSON Resume" in str(spec.Desc)
        stream = spec.EF.F
        assert stream.objgen == spec.EF.UF.objgen
        assert [str(stream.Type), str(stream.Subtype)] == ["/EmbeddedFile", "/application/json"]
        assert (int(stream.Params.Size), str(stream.Params.ModDate)) == (len(content), date)
        assert stream.read_bytes() == content


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["embedded", "pdflatex"]))
def test_the_pdf_carries_the_public_facts(engine: str, tmp_path: Path, full: Profile) -> None:
    engine_of(engine)
    content = jsonresume.to_bytes(select(full, {}))
    outcome = build(tmp_path / "one", engine=engine)
    assert outcome.path
    check_attachment(outcome.path, content, "D:20240229000000Z")
    with pikepdf.open(outcome.path) as document:
        claim = document.open_metadata()
        assert (claim["pdfaid:part"], claim["pdfaid:conformance"]) == ("3", "B")
    # TeX has nothing to do with it.
    kept = tmp_path / "one/out/.build/ada/academic/cv.tex"
    assert ATTACHMENT not in kept.read_text("utf-8")
    assert read(outcome.path) == content
    assert held(outcome.path, "Difference Engine", *SECRETS) == {"Difference Engine"}
    # Another folder, other times of the files: the same bytes.
    again = build(tmp_path / "two", engine=engine)
    assert again.path
    assert again.path.read_bytes() == outcome.path.read_bytes()


def test_the_attachment_is_part_of_what_a_document_is_made_from(tmp_path: Path) -> None:
    engine_of("embedded")
    first = build(tmp_path)
    assert build(tmp_path).cached
    # The page shows one publication; this one is in the attachment alone.
    changed = FULL.replace("Second paper", "Another paper")
    second = build(tmp_path, changed)
    assert not second.cached
    assert second.path == first.path
    assert b"Another paper" in read(tmp_path / "out" / "ada" / "academic.pdf")
    without = FULL.replace("embed: true", "embed: false")
    plain = build(tmp_path, without, epoch=EPOCH)
    assert plain.path
    with pikepdf.open(plain.path) as document:
        assert "/AF" not in document.Root
        assert "/EmbeddedFiles" not in document.Root.get("/Names", {})


@pytest.mark.deep
def test_one_page_carries_what_it_has_no_room_for(tmp_path: Path) -> None:
    engine_of("embedded")
    more = "".join(f"      - {{employer: Firm {n}, title: Job, date: 2001}}\n" for n in range(60))
    text = FULL.replace("  - kind: project\n", f"{more}  - kind: project\n", 1)
    outcome = build(tmp_path, text, "one-page")
    assert outcome.path
    assert len(outcome.left_out) > 10
    resume = json.loads(read(outcome.path))
    assert sum(one["name"].startswith("Firm") for one in resume["work"]) == 60


#: What the variant leaves out says so; its words may stand elsewhere on the page.
VARIED = person_of("varied")


def test_what_a_variant_leaves_out_is_nowhere_in_the_file(tmp_path: Path) -> None:
    engine_of("embedded")
    # "Example Labs", "Kept" and "Prize of Looms" are left out and stand on the page all the same:
    # what a variant leaves out is no secret.
    outcome = build(tmp_path, VARIED, "lab")
    assert outcome.path == tmp_path / "out" / "ada" / "lab.pdf"
    assert outcome.verified
    resume = json.loads(read(outcome.path))
    work = [(one["name"], one["position"], one.get("highlights")) for one in resume["work"]]
    assert work == [
        ("Example Labs", "Engineer", ["Built looms", "Worked at Example Labs"]),
        ("No Tags", "Clerk", ["Kept"]),
    ]
    assert [one["title"] for one in resume["awards"]] == ["Prize of Looms"]
    person = resume["meta"]["cvbuild"]["person"]
    heads = [(one["kind"], one["title"]) for one in person["sections"]]
    assert heads == [("award", "Prizes & *more*"), ("experience", "Laboratories")]
    assert {one["section"] for one in resume["work"]} == {"Laboratories"}
    assert not {"skills", "interests"} & set(resume)
    assert "summary" not in resume["basics"]
    assert held(outcome.path, "Prize of Looms", "GONE", "0199") == {"Prize of Looms"}
    tex = (tmp_path / "out" / ".build" / "ada" / "lab" / "cv.tex").read_text("utf-8")
    assert "Laboratories" in tex
    assert "GONE" not in tex


def test_the_commands_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: Profile, run: Run
) -> None:
    engine_of("embedded")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CVBUILD_NO_SYSTEM_TEX", "1")
    Path("people").mkdir()
    Path("people/ada-example.yaml").write_text(FULL, "utf-8")
    (facts,) = re.findall(
        r"^## Attached facts$.*", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    (block,) = re.findall(r"^```sh\n(.*?)^```", facts, re.DOTALL | re.MULTILINE)
    new, *lines = [shlex.split(line) for line in block.splitlines()]
    assert new == ["cvbuild", "new", "Ada Example"]
    assert [line[:2] for line in lines] == [["cvbuild", "build"]]
    for line in lines:
        # The person's file sets the option; with --set only what the document shows is attached.
        ran = run(*(word for word in line[1:] if word not in ("--set", "options.embed=true")))
        assert ran.code == 0, ran.err
    assert read(Path("out/ada-example/academic.pdf")) == jsonresume.to_bytes(select(full, {}))


Carrier = Callable[..., Path]


@pytest.fixture
def carrier(tmp_path: Path) -> Carrier:
    def make(content: bytes, name: str = ATTACHMENT, **save: Any) -> Path:
        path = tmp_path / "carrier.pdf"
        with pikepdf.new() as document:
            document.add_blank_page()
            document.attachments[name] = content
            document.save(path, **save)
        return path

    return make


def test_what_was_attached_is_read_exactly(carrier: Carrier) -> None:
    content = '{"name":  "Ada é 한"}'.encode()
    assert read(carrier(content)) == content


LARGE = b'{"a":"' + b"x" * LARGEST_PART + b'"}'
AGAIN = "build the PDF once more"
WITHOUT = "no resume.json is attached to it; build it with: options: {embed: true}"
#: What is attached, how, what is changed of it by hand, and what is said.
FAULTS: dict[str, tuple[bytes, dict[str, Any], Callable[[Any], object] | None, str]] = {
    "encrypted": (b"{}", {"encryption": pikepdf.Encryption(owner="o", user="u")}, None, WITHOUT),
    "without": (b"{}", {"name": "other.json"}, None, WITHOUT),
    "bomb": (LARGE, {"compress_streams": True}, None, f"has more than 16 MiB; {AGAIN}"),
    "big": (LARGE, {"compress_streams": False}, None, f"has more than 16 MiB; {AGAIN}"),
    "cut": (b'{"a": "bcdefghijk"}' * 9, {},
            lambda one: one.write(one.read_raw_bytes()[:-6], filter=pikepdf.Name.FlateDecode),
            f"is damaged; {AGAIN}"),
    "filter": (b"{}", {},
               lambda one: one.write(b"\x01{}\x80", filter=pikepdf.Name.RunLengthDecode),
               f"has an unknown filter; {AGAIN}"),
    "strange": (b"{}", {}, lambda one: one.__setattr__("Filter", pikepdf.Array([one.Params])),
                f"has an unknown filter; {AGAIN}"),
}  # fmt: skip


def said_of(path: Path) -> list[str]:
    with pytest.raises(CvbuildError) as raised:
        registry.read(types.opened(path), "embedded")
    return [str(one) for one in raised.value.diagnostics]


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_wrong_is_said_in_one_line(name: str, carrier: Carrier) -> None:
    content, how, change, words = FAULTS[name]
    path = carrier(content, **how)
    if change:
        with pikepdf.open(path, allow_overwriting_input=True) as document:
            change(document.attachments[ATTACHMENT].get_file().obj)
            document.save(path, compress_streams=False)
    its = "its attachment resume.json " if words.endswith(AGAIN) else ""
    assert said_of(path) == [f"{path}: {its}{words}"]


def test_what_is_no_pdf(tmp_path: Path) -> None:
    path = tmp_path / "it.pdf"
    path.write_bytes(b"no PDF\n" * 9)
    (tmp_path / ATTACHMENT).write_text("{}", "utf-8")
    assert said_of(path) == [f"{path}: {WITHOUT}"]
