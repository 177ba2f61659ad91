"""Documents that are folders: published as a whole, and rebuilt when a file in them changed."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from conftest import Run
from PIL import Image
from pypdfium2 import PdfDocument
from workspaces import files_of

from cvbuild.outputs.formats import html as html_output

PERSON = """\
name: Ada Example
contact: {phone: {value: "+1 202 555 0199", private: true}}
sections:
  - kind: talk
    items: [{title: On examples, date: 2024}, {title: On proofs, date: 2023}]
"""
FOLDER = Path("out/ada/academic.site")
PAGE = FOLDER / "index.html"


@pytest.fixture(autouse=True)
def workspace(here: Path) -> Path:
    (here / "people").mkdir()
    (here / "people" / "ada.yaml").write_text(PERSON, "utf-8")
    return here


def built(run: Run, *arguments: str) -> bool:
    ran = run("build", "--format", "site", "--json", *arguments)
    assert ran.code == 0, ran.err
    (document,) = json.loads(ran.out)["documents"]
    assert document["path"] == str(FOLDER)
    return not document["cached"]


def test_a_folder_is_up_to_date_until_a_file_in_it_changes(run: Run) -> None:
    assert built(run)
    made = files_of(FOLDER)
    assert not built(run)
    assert run("status", "--why", "--format", "site").out == f"✓ {FOLDER}  up to date\n"
    new = FOLDER / "new"
    harm: dict[str, Sequence[Callable[[], object]]] = {
        "changed": [lambda: PAGE.write_text("x")],
        "missing": [PAGE.unlink],
        "more": [lambda: (FOLDER / "x.md").write_text("x")],
        "deep": [new.mkdir, (new / "a").touch],
        "link": [PAGE.unlink, lambda: PAGE.symlink_to(Path("people/ada.yaml").resolve())],
    }
    for name, steps in harm.items():
        for does in steps:
            does()
        why = run("status", "--why", "--format", "site").out
        assert why == f"✗ {FOLDER}  the folder is not the one that was built\n", name
        assert built(run), name
        assert files_of(FOLDER) == made, name
        assert not built(run), name


def test_a_folder_that_is_gone_or_no_folder_is_made_again(run: Run) -> None:
    assert built(run)
    made = files_of(FOLDER)
    FOLDER.rename("old")
    assert run("status", "--why", "--format", "site").out == f"✗ {FOLDER}  the file is gone\n"
    FOLDER.write_text("a file")
    assert built(run)
    assert files_of(FOLDER) == made
    elsewhere = Path("elsewhere")
    elsewhere.mkdir()
    FOLDER.rename("old2")
    FOLDER.symlink_to(elsewhere.resolve(), target_is_directory=True)
    assert built(run)
    assert (files_of(FOLDER), FOLDER.is_symlink(), [*elsewhere.iterdir()]) == (made, False, [])


def test_what_is_no_longer_shown_goes_and_a_failed_build_leaves_the_old_one(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert built(run)
    person = Path("people/ada.yaml")
    person.write_text(PERSON.replace("{title: On examples, date: 2024}, ", ""), "utf-8")
    assert built(run)
    assert "On examples" not in PAGE.read_text("utf-8")
    before = files_of(FOLDER)
    monkeypatch.setattr(html_output, "html", lambda *_: "<p>Nothing</p>")
    ran = run("build", "--format", "site", "--force")
    assert (ran.code, "the file lacks" in ran.err, files_of(FOLDER)) == (1, True, before)


def test_a_private_text_in_a_file_fails_the_build(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = html_output.html
    leak = "<p>+1 202 555 0199</p>"
    monkeypatch.setattr(html_output, "html", lambda *of: f"{real(*of)}{leak}")
    ran = run("build", "--format", "site")
    assert (ran.code, "people/ada.yaml:2:" in ran.err, FOLDER.exists()) == (1, True, False)


def test_pictures_of_the_pages_are_made_from_the_pdf_and_with_it(run: Run) -> None:
    ran = run("build", "--format", "png", "--json")
    assert ran.code == 0, ran.err
    (document,) = json.loads(ran.out)["documents"]
    folder = Path("out/ada/academic.pages")
    assert (document["path"], document["pages"]) == (str(folder), 1)
    assert [path.name for path in folder.iterdir()] == ["page-1.png"]
    data = (folder / "page-1.png").read_bytes()
    with Image.open(io.BytesIO(data)) as picture:
        assert (picture.format, picture.size) == ("PNG", (1654, 2339))
        assert len(picture.convert("1").getcolors() or ()) == 2
    with PdfDocument("out/ada/academic.pdf") as pdf:
        assert len(pdf) == 1
    found = json.loads(run("build", "--format", "pdf,png", "--json").out)["documents"]
    assert [one["cached"] for one in found] == [True, True]
    (folder / "page-1.png").unlink()
    assert run("build", "--format", "png").code == 0
    assert (folder / "page-1.png").read_bytes() == data
    Path("out/ada/academic.pdf").unlink()
    (folder / "page-1.png").write_bytes(b"")
    assert run("build", "--format", "png").code == 0
    assert (folder / "page-1.png").read_bytes() == data
    assert Path("out/ada/academic.pdf").exists()
    person = Path("people/ada.yaml")
    person.write_text(PERSON.replace("On proofs", "On schedules"), "utf-8")
    why = run("status", "--why", "--format", "png").out
    assert "what it shows changed" in why
    person.write_text("name: Ada Example\nsections: [{kind: text, items: [\u0378]}]\n", "utf-8")
    ran = run("build", "--format", "png")
    assert ran.code == 1
    assert "people/ada.yaml" in ran.err
    assert (folder / "page-1.png").read_bytes() == data
