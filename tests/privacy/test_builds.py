"""What is private where documents are built: on a cluster, from a cache, by a workspace's rule."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from conftest import Run
from privacy.private_rows import ADA, OVERLAY, write

import cvbuild
from cvbuild.building import cluster
from cvbuild.building.check.profiles import check, tasks
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings


@pytest.mark.usefixtures("home")
def test_nothing_private_travels_to_a_cluster_for_a_public_document() -> None:
    write(
        "name: Ada Example\nheadline: {value: Zymurgist, private: true}\n"
        "sections: [{kind: skill, items: [Python, {name: Zymurgy, private: true}]}]\n",
        "contact: {address: Zymurgy Road}\n",
    )
    library = Library.at()
    settings = Settings(Path("out"), library, 0)
    for private, count in ((False, 0), (True, 3)):
        todo = tasks([check(ADA, library, private=private)])
        content = pickle.dumps([cluster.pack(task, settings) for task in todo])
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
    assert len(kept) > 3
    assert [path for path in kept if b"Zymurg" in path.read_bytes()] == []


@pytest.mark.usefixtures("home", "requires_embedded")
def test_an_edit_of_the_overlay_concerns_private_documents_alone(run: Run) -> None:
    def cached(*arguments: str) -> list[bool]:
        ran = run("build", "ada", "--engine", "embedded", "--json", *arguments)
        assert ran.code == 0, ran
        return [one["cached"] for one in json.loads(ran.out)["documents"]]

    write("name: Ada Example\nsections: [{kind: skill, items: [Python]}]\n")
    assert cached() == cached("--private") == [False]
    pdf = Path("out/ada/academic.pdf").read_bytes()
    assert cached() == cached("--private") == [True]
    OVERLAY.write_text("contact: {address: Zymurgy Road}\n", encoding="utf-8")
    assert cached() == [True]
    assert cached("--private") == [False]
    assert cached("--private") == [True]
    OVERLAY.unlink()
    assert cached("--private") == [False]
    assert Path("out/ada/academic.pdf").read_bytes() == pdf


@pytest.mark.usefixtures("home", "requires_embedded")
def test_a_public_pdf_is_checked_for_what_became_private(run: Run) -> None:
    """Its build knew of no secret: the present files do."""
    words = "sections: [{kind: skill, items: [Python, Zymurgy, Baking]}]\n"
    address = "contact: {address: Zymurgy Road 1, birth-date: 1990-05-17}\n"
    write(f"name: Ada Example\n{address}{words}")
    assert run("build", "ada", "--engine", "embedded").code == 0
    made = "out/ada/academic.pdf"
    assert run("check", "--pdf", made).code == 0
    flagged = words.replace("Baking", "{name: Baking, private: true}")
    write(f"name: Ada Example\n{flagged}", address)
    told = json.loads(run("check", "--pdf", made, "--json").out)
    found = [
        (item["file"], item["line"]) for item in told["diagnostics"]
        if item["code"] == "verify-private"
    ]  # fmt: skip
    # Its address is on a line of the file's, and is said nowhere.
    assert "Zymurgy Road" not in json.dumps(told)
    private = ("people/ada.private.yaml", 1)
    assert found == [("people/ada.yaml", 2), private, private]
    OVERLAY.unlink()
    told = json.loads(run("check", "--pdf", made, "--json").out)
    assert [item["line"] for item in told["diagnostics"] if item["code"] == "verify-private"] == [2]


# What a workspace keeps private

PLAIN = """\
name: P {0}
contact:
  email: p@example.org
  phone: [+1 202 555 0147, {{number: +1 202 555 0148, label: Office}}]
  birth-date: 1990-05-17
  address: {{en: 1 Secret Street, de: Geheimgasse 1}}
  other: {{Permit: Sealed}}
"""
#: Each form of a value: what it says goes before the workspace's file.
OWN = """\
name: Own
contact:
  value:
    phone: [{value: +1 202 555 0149, private: false}, {value: +1 202 555 0150}]
    birth-date: {value: 1990-05-17, private: false}
    address: {value: 1 Secret Street, private: true}
"""
SHARED = """\
defaults: {private: [phone, address, birth-date]}
groups:
  one: {people: p1, private: other}
"""
GONE = ("555 014", "555-014", "Secret", "1990", "May 17", "Sealed")


def kept(name: str) -> str:
    folder = Path("out", name)
    paths = [path for path in sorted(folder.iterdir()) if ".private." not in path.name]
    return "".join(path.read_text(encoding="utf-8") for path in paths)


@pytest.mark.usefixtures("home")
def test_a_workspace_keeps_fields_private_and_builds_say_what_is_public(run: Run) -> None:
    for name in ("p1", "p2"):
        Path(f"people/{name}.yaml").write_text(PLAIN.format(name), encoding="utf-8")
    Path("people/own.yaml").write_text(OWN, encoding="utf-8")
    build = ("build", "--format", "txt,md,json")
    hint = "to keep such data private, add it in cvbuild.yaml: defaults: {private: ["
    said = f"note: 5 phone numbers, 2 addresses and 2 birth dates go public; {hint}phone, address"
    # The second time nobody's file is read.
    for _ in range(2):
        err = run(*build).err
        assert (err.count("go public"), err.count(said)) == (1, 1)
    assert "Secret Street" in kept("p2")
    # Of what is built; not of formats without it, and of nothing that is private.
    assert "note: 2 phone numbers, 1 address and 1 birth date go public" in run(*build, "p2").err
    assert "public" not in run("build", "--format", "bib").err
    assert "public" not in run(*build, "--private").err
    notes = json.loads(run(*build, "--json").out)["notes"]
    assert [one["code"] for one in notes] == ["public"]
    # Check says of several people once what is at a place for each.
    check = run("check").err.splitlines()
    assert len(check) == 3
    assert "a phone number is in every CV that is built (3 people: own, p1, p2)" in check[0]
    assert len(json.loads(run("check", "--json").out)["diagnostics"]) == 9
    # The setting alone changes; only what it changes is built again.
    Path("cvbuild.yaml").write_text(SHARED, encoding="utf-8")
    why = run("status", "--why", "p2", "--format", "txt")
    assert "contact changed" in why.out
    err = run(*build).err
    assert "9 built" in err
    assert "public" not in err
    for person in ("p1", "p2"):
        found = kept(person)
        assert [word for word in GONE if word in found] == ["Sealed"] * (person == "p2")
        assert "p@example.org" in found
    own = kept("own")
    assert ("0149" in own, "0150" in own, "1990" in own, "Secret" in own) == (1, 0, 1, 0)
    # As with a flag: everything has them, `show` lists them, a finished document is compared.
    assert "Secret" in repr(cvbuild.load_profile("people/p1.yaml", private=True))
    assert "Secret" not in repr(cvbuild.load_profile("people/p1.yaml"))
    assert run("show", "p1").out.count("✗ people/p1.yaml:") == 5
    # A variant with everything in it makes nothing public.
    shown = "template: all\nvariants: {all: {template: academic, private: true}}\n"
    Path("cvbuild.yaml").unlink()
    Path("people/p1.yaml").write_text(PLAIN.format("p1") + shown, encoding="utf-8")
    assert "public" not in run(*build, "p1").err
    assert "public" not in run(*build, "p1").err
