"""Variants: documents by name, from the command line to the index, with what ``--set`` says."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from profiles import person_of
from texlive import demand_embedded
from workspaces import write

import cvbuild
from cvbuild.building import fresh, profiles
from cvbuild.common.diagnostics import UsageError
from cvbuild.inputs import people
from cvbuild.outputs.request import Request
from cvbuild.outputs.styles.templates import Library

ADA = person_of("ada-variants")
BOB = "name: Bob Example\nsections: [{kind: award, items: [{title: A prize}]}]\n"
FILE = Path("people/ada.yaml")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("variants")
    (folder / "people").mkdir()
    return folder


@pytest.fixture(autouse=True)
def here(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two people, of whom one has variants; what was built before stays."""
    demand_embedded()
    monkeypatch.chdir(home)
    monkeypatch.setenv("CVBUILD_NO_SYSTEM_TEX", "1")
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    for name, text in (("ada", ADA), ("bob", BOB)):
        path = Path("people", f"{name}.yaml")
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    yield
    for path in Path("people").iterdir():
        if path.name not in ("ada.yaml", "bob.yaml"):
            path.unlink()


def built(run: Run, *arguments: str) -> dict[str, dict[str, Any]]:
    ran = run("build", "--json", *arguments)
    assert ran.code == 0, ran
    return {Path(one["path"]).stem: one for one in ran.json["documents"]}


def tex(name: str) -> str:
    text = Path("out/.build/ada", name, "cv.tex").read_text("utf-8")
    return text.partition(r"\begin{document}")[2]


def change(old: str, new: str) -> None:
    text = FILE.read_text("utf-8")
    assert text.count(old) == 1
    FILE.write_text(text.replace(old, new), "utf-8")


def test_without_a_name_those_people_are_meant_who_have_it(run: Run) -> None:
    made = built(run, "--variant", "short")
    assert [(one["person"], one["variant"]) for one in made.values()] == [("ada", "short")]
    run("build", "bob")
    assert left(variants=("short",), everybody=True) == []


NAMES = {
    ("short", False, None): "short.pdf",
    ("short", True, None): "short.private.pdf",
    ("short", True, "de"): "short.private.de.pdf",
    ("academic", True, None): "academic.private.pdf",
    ("german", True, None): "german.pdf",
    ("german", True, "de"): "german.pdf",
    ("german", True, "en"): "german.en.pdf",
}


@pytest.mark.parametrize("case", NAMES, ids=str)
def test_what_the_file_is_called(case: tuple[str, bool, str | None]) -> None:
    name, private, locale = case
    checked = profiles.check(people.find(["ada"])[0], Library.at(), private=private)
    task = profiles.task(checked, name, Request(Path("out"), 0, locale=locale))
    pdf, keep = task.path, task.keep
    assert (pdf.parent.name, pdf.name, f"{keep.name}.pdf") == ("ada", NAMES[case], NAMES[case])


def left(**asked: Any) -> list[tuple[str, object]]:
    rest, _ = fresh.Entries(Request(Path("out"), 0, **asked), time.time_ns()).check(people.find([]))
    return [(person.name, wanted) for person, wanted in rest.items()]


def test_a_private_variant_is_made_from_the_overlay_too(run: Run) -> None:
    built(run)
    assert not built(run, "ada", "--variant", "german")["german"]["cached"]
    assert left(variants=("german", "short"), everybody=True) == []
    Path("people/ada.private.yaml").write_text("contact: {address: 1 Hidden Lane}\n")
    # The other one never knew of an overlay.
    assert left(variants=("german", "short"), everybody=True) == [("ada", [("german", "pdf")])]
    assert not built(run, "ada", "--variant", "german")["german"]["cached"]
    # What is written elsewhere comes last.
    text = tex("german")
    assert text.index("ada@example.org") < text.index("1 Hidden Lane")
    assert left(variants=("german",), everybody=True) == []
    change("locale: de", "locale: fr")
    assert left(variants=("german", "short"), everybody=True) == [("ada", None)]


def test_from_python() -> None:
    (outcome,) = cvbuild.build(variants=["short"], sets={"kinds": ["award", "summary"], "limit": 1})
    assert (outcome.person, outcome.name, outcome.template) == ("ada", "short", "industry")
    assert "Words about me" not in tex("short")
    with pytest.raises(UsageError, match='nobody has a variant "gone"'):
        cvbuild.build(variants=["gone"])
    with pytest.raises(UsageError, match="not both"):
        cvbuild.build(variants=["short"], templates=["academic"])
    with pytest.raises(UsageError, match='unknown key "head"'):
        cvbuild.build(sets={"head": "x"})


SHARED = Path("cvbuild.yaml")
SETTINGS = """\
defaults:
  formats: txt
  template: [plain, recent]
  variants:
    recent:
      since: 5 years
      limit: {publication: 1}
      titles: {publication: Selected}
groups:
  old: {people: "o*", variants: {recent: {since: 2005}}}
"""
WORK = """\
name: Ada Example
sections:
  - kind: experience
    items:
      - {employer: First Ltd, title: Engineer, date: 2010 to 2019}
      - {employer: Second Ltd, title: Engineer, date: 2024 to present}
"""
PAPERS = """\
  - kind: publication
    items:
      - {title: On winter, authors: [A. Example], date: 2024}
      - {title: On summer, authors: [A. Example], date: 2025}
"""
#: 1 July 2026
EPOCH = 1782864000


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(EPOCH))
    SHARED.write_text(SETTINGS, "utf-8")
    write("ada", WORK + PAPERS)


def text(path: str) -> str:
    return Path("out", path).read_text("utf-8")


@pytest.mark.usefixtures("shared")
def test_from_python_nobody_has_to_have_what_is_named() -> None:
    SHARED.write_text(
        "defaults: {formats: txt, template: [plain, pubs], variants: {pubs: {kinds: publication}}}"
    )
    write("bob", WORK)
    made = cvbuild.build(["ada", "bob"], templates=["plain"], sets={"limit.award": 1})
    assert [one.path is not None for one in made] == [True, True]
    made = cvbuild.build()
    assert [(one.person, one.name) for one in made] == [
        ("ada", "plain"), ("ada", "pubs"), ("bob", "plain")
    ]  # fmt: skip


@pytest.mark.usefixtures("shared")
def test_time_moves_items_out_of_a_document_that_is_up_to_date(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    clock, clock_ns = time.time, time.time_ns
    moved = {"days": 0}
    monkeypatch.setattr(time, "time", lambda: clock() + moved["days"] * 86400)
    monkeypatch.setattr(time, "time_ns", lambda: clock_ns() + moved["days"] * 86400 * 10**9)
    SHARED.write_text(
        "defaults: {formats: txt, template: last, variants: {last: {since: 2 months}}}\n"
    )
    today = time.strftime("%Y-%m-%d", time.gmtime(time.time()))
    award = f"  - {{kind: award, items: [{{title: A prize, date: {today}}}]}}\n"
    write("ada", WORK + award)

    def built() -> tuple[bool, bool]:
        (one,) = cvbuild.build()
        return one.cached, "A prize" in text("ada/last.txt")

    assert built() == (False, True)
    assert built() == (True, True)
    for days, expected in ((20, (True, True)), (80, (False, False)), (81, (True, False))):
        moved["days"] = days
        assert built() == expected
        assert built() == (True, expected[1])


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize(
    ("since", "shown"),
    [
        ("7 years", True),
        ("6 years", False),
        ("Last 79 months", True),
        ("78 months", False),
        ("1 year", False),
    ],
)
def test_it_counts_back_from_the_day_of_source_date_epoch(
    run: Run, since: str, shown: bool
) -> None:
    # First Ltd ended in 2019, at the latest on its last day.
    SHARED.write_text(f"defaults: {{template: last, variants: {{last: {{since: {since}}}}}}}\n")
    assert run("build", "-f", "txt").code == 0
    assert ("First Ltd" in text("ada/last.txt")) == shown
