"""Documents that were built before, and show what has become private since."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest
from conftest import Run
from privacy.private_rows import write

from cvbuild.building.check import document_texts


@pytest.mark.usefixtures("home", "requires_embedded")
def test_older_documents_that_show_what_became_private_are_named(run: Run) -> None:
    """A build makes what is asked for; a phone number stays in all that was built before."""
    words = "sections: [{kind: skill, items: [Python, Zymurgy, {name: Oxen & Yokes}]}]\n"
    birth = "contact: {birth-date: 1990-05-17, phone: +49 1522 343333}\n"
    variants = "variants: {all: {private: true}, short: {headline: Zymurgist}}\n"
    write(f"name: Ada Example\n{birth}{words}{variants}")
    formats = ("pdf", "txt", "html", "docx", "json", "md")
    flags = [flag for name in formats for flag in ("--format", name)]
    build = ("build", "ada", "--engine", "embedded")
    assert run(*build, *flags).code == 0
    assert run(*build, "--format", "txt", "--private").code == 0
    assert run(*build, "--format", "txt", "--variant", "all").code == 0
    assert run(*build, "--format", "md", "--template", "industry").code == 0

    def older(*call: str) -> set[str]:
        ran = run(*call, "--json")
        assert ran.code == 0, ran
        assert "1522" not in ran.out + ran.err
        answer = json.loads(ran.out)
        found = [
            one
            for one in (*answer["diagnostics"], *answer.get("notes", ()))
            if one["code"] == "private-older"
        ]
        return {one["message"].split()[4].removesuffix(",") for one in found}

    assert older("check", "ada") == set()
    hidden = birth.replace("+49 1522 343333", "{value: +49 1522 343333, private: true}")
    write(f"name: Ada Example\n{hidden}{words}{variants}")
    everything = {f"out/ada/academic.{name}" for name in formats}
    assert older("check", "ada") == everything | {"out/ada/industry.md"}
    # People who read it have one line for many.
    said = "7 documents that were built before show, or may show, what is private by now (ada); "
    assert said in run("check", "ada").err
    # What this build makes anew is no concern; a document of one variant shows no number.
    left = older(
        *build, "--format", "pdf", "--format", "txt", "--variant", "short", "--variant", "all"
    )
    assert left == everything | {"out/ada/industry.md"}
    assert older(*build, *flags) == {"out/ada/industry.md"}
    assert older("check", "ada") == {"out/ada/industry.md"}
    # In the overlay it is as private; what is public elsewhere in the file is not looked for.
    number = "contact: {phone: +49 1522 343333}\n"
    write(f"name: Ada Example\n{words}{variants}", number)
    assert older("check", "ada") == {"out/ada/industry.md"}
    write(f"name: Ada Example\n{words}summary: Call +49 1522 343333\n{variants}", number)
    assert older("check", "ada") == set()
    write(f"name: Ada Example\n{words}{variants}", number)
    Path("out/ada/industry.md").rename("out/ada/industry.pdf")
    os.utime("out/ada/industry.pdf", (1, 1))
    said = run("check", "ada").err
    assert (
        "people/ada.yaml: warning: this is private, but out/ada/industry.pdf, which can't" in said
    )
    Path("out/ada/industry.pdf").unlink()
    assert older("check", "ada") == set()


@pytest.mark.usefixtures("home")
def test_the_site_and_what_goes_out_are_looked_at_too(run: Run) -> None:
    contact = "name: Ada Example\ncontact: {phone: %s}\n"
    write(contact % "+49 1522 343333")
    assert run("build", "ada", "--format", "md", "--template", "industry").code == 0
    os.utime("out/ada/industry.md", (1, 1))
    write(
        contact % "{value: +49 1522 343333, private: true}" + "variants: {all: {private: true}}\n"
    )
    copies = {
        Path("out/site/people/ada/ada.md"): "cvbuild site",
        Path("out/applications/lab/cv.md"): "cvbuild apply lab",
        Path("out/applications/own/cv.md"): "",
        Path("out/applications/all/cv.md"): "",
        Path("out/ada/copy.md"): "delete it",
    }
    Path("applications").mkdir()
    for slug, more in (("lab", ""), ("own", "private: true\n"), ("all", "variant: all\n")):
        text = f"person: ada\nemployer: Example Lab\nposition: Zymurgist\n{more}"
        Path(f"applications/{slug}.yaml").write_text(text, encoding="utf-8")
    for path in copies:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2("out/ada/industry.md", path)
    said = run("check", "ada").err
    for path, fix in copies.items():
        assert (f"{path}, which was built before, has it" in said) == bool(fix)
        assert fix in said
        path.unlink()
    assert "has it; run cvbuild build ada -t industry --format md\n" in said


@pytest.mark.usefixtures("home", "requires_embedded")
def test_check_of_a_pdf_says_what_became_private_and_blames_no_template(run: Run) -> None:
    contact = "name: Ada Example\nsummary: Zymurgist\ncontact: {phone: %s}\n"
    write(contact % "+49 1522 343333")
    assert run("build", "ada", "--engine", "embedded", "-t", "academic").code == 0
    os.utime("out/ada/academic.pdf", (1, 1))
    write(contact % "{value: +49 1522 343333, private: true}")
    said = run("check", "--pdf", "out/ada/academic.pdf").err
    private, note, *_ = said.splitlines()
    assert private == "people/ada.yaml:3:11: a private text is in the text of the PDF"
    assert "note: out/ada/academic.pdf is older than people/ada.yaml" in note
    assert "1522" not in said
    assert "template" not in said
    # Of a PDF of another name, and of one that is nobody's, as far as its name says.
    for copy in ("out/ada/final.pdf", "out/final.pdf", "sent.pdf"):
        shutil.copy2("out/ada/academic.pdf", copy)
        copied = run("check", "--pdf", copy)
        assert copied.code == 1
        assert copied.err.startswith("people/ada.yaml:3:11: a private text is in the PDF; build it")
        assert "1522" not in copied.err


@pytest.mark.usefixtures("home")
def test_whatever_lies_beside_documents_stops_nothing(run: Run) -> None:
    """Folders, links, pipes, names without an ending; files that can't be read or are too large."""
    words = "summary: {value: Led the **Zeta** project, private: %s}\n"
    contact = "contact: {birth-date: {value: 1990-05-17, private: %s}}\n"
    text = f"name: Ada Example\n{contact}{words}interests: [Looms]\n"
    write(text % ("false", "false"))
    formats = ("docx", "html", "txt")
    for locale in ("en", "de"):
        flags = [flag for name in formats for flag in ("--format", name)]
        assert run("build", "ada", "-t", "plain", *flags, "--locale", locale).code == 0
    folder = Path("out/ada")
    (folder / "sent").mkdir()
    shutil.copy("out/ada/plain.txt", "out/ada/sent/README")
    with zipfile.ZipFile(folder / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("word/document.xml", b" " * (64 << 20))
    (folder / "large.txt").write_bytes(b"x" * (5 << 20))
    (folder / "odd\nname.pdf").write_bytes(b"%PDF-1.7")
    (folder / "link.txt").symlink_to("plain.txt")
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.pdf")
    for path in folder.rglob("*"):
        os.utime(path, (1, 1), follow_symlinks=False)
    write(text % ("true", "true"))
    ran = run("check", "ada", "--json")
    said = [one["message"] for one in json.loads(ran.out)["diagnostics"]]
    told = {
        one.split()[4].rstrip(","): "can't be read" in one for one in said if "private, but" in one
    }
    shown = {f"out/ada/plain{locale}.{name}" for name in formats for locale in ("", ".de")}
    unread = {"out/ada/bomb.docx", "out/ada/large.txt", "out/ada/odd\\nname.pdf"}
    assert told == dict.fromkeys(sorted({*shown, "out/ada/sent/README"}), False) | dict.fromkeys(
        unread, True
    )


def test_a_page_is_searched_as_its_readers_see_it_and_a_text_as_it_is(tmp_path: Path) -> None:
    page, text = tmp_path / "cv.html", tmp_path / "cv.txt"
    for path in (page, text):
        path.write_text("<p>Oxen &amp; Yokes</p>", encoding="utf-8")
    found = document_texts.read([page, text])
    assert "Oxen & Yokes" in found[str(page)]
    assert found[str(text)] == "<p>Oxen &amp; Yokes</p>"
