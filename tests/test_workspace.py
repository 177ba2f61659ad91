"""cvbuild.yaml: whose value counts, what is wrong with it, and that everything uses it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from lettered import request_on
from profiles import DAY
from texlive import demand_embedded
from told import messages, same
from waits import save

import cvbuild
from cvbuild.applications import documents, load
from cvbuild.building import cluster, pipeline, profiles
from cvbuild.building import profiles as workspace_check
from cvbuild.building.fresh import today
from cvbuild.common import limits
from cvbuild.common.errors import ProfileError
from cvbuild.inputs import people, saving
from cvbuild.outputs import templates
from cvbuild.outputs.request import Request
from cvbuild.outputs.templates import Library
from tools.docs import DOCS

LIBRARY = Library.at()
ADA = """\
name: Ada Example
sections: [{kind: bullets, items: [One point]}]
"""
SHARED = Path("cvbuild.yaml")
TEXT = ("--format", "txt")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with three people."""
    top = tmp_path / "work"
    (top / "people").mkdir(parents=True)
    monkeypatch.chdir(top)
    for name in ("ada", "bob", "eve"):
        person(name)
    return top


def person(name: str, more: str = "") -> Path:
    path = Path(f"people/{name}.yaml")
    path.write_text(ADA.replace("Ada", name.title()) + more, encoding="utf-8")
    return path


def settings(name: str = "ada") -> dict[str, Any]:
    """A person's settings: the value of each and where it is from; options of one template."""
    checked = profiles.check(people.find([name])[0], LIBRARY)
    assert checked.profile is not None, checked.diagnostics
    assert checked.source is not None
    profile, source = checked.profile, checked.source
    found: dict[str, Any] = {}
    for key in ("template", "formats", "locale"):
        try:
            source.part((key,))
            span = source.span((key,))
            found[key] = (getattr(profile, key), f"{span.file}:{span.line}")
        except KeyError:
            continue
    template = LIBRARY.require(profile.template[0])
    for key, (value, path) in templates.origins(template, profile).items():
        if path is not None:
            span = source.span(path)
            found[key] = (value, f"{span.file}:{span.line}")
    return found


# -- whose value counts ----------------------------------------------------------------------------


def test_a_private_overlay_and_python_go_before() -> None:
    SHARED.write_text("defaults: {template: plain, options: {accent: navy}}\n")
    Path("people/ada.private.yaml").write_text("options: {accent: plum}\n")
    private = profiles.check(people.find(["ada"])[0], LIBRARY, private=True).profile
    assert private is not None
    assert private.options["accent"] == "plum"
    for folder, expected in ((None, "out/ada/plain.txt"), ("mine", "mine/ada/plain.txt")):
        (outcome,) = cvbuild.build(["ada"], formats=["txt"], out=folder)
        assert str(outcome.path) == expected


def test_what_is_required_goes_before_a_persons_own(run: Run) -> None:
    SHARED.write_text(
        "defaults:\n  require: {template: plain, options: {accent: navy, plain: {paper: letter}}}\n"
        "groups: {guests: {people: eve, require: {template: [grid, plain]}}}\n"
    )
    person("bob", "template: bold\noptions: {accent: plum, size: 11, plain: {paper: a4}}\n")
    person("eve", "template: bold\n")
    Path("people/bob.private.yaml").write_text("options: {accent: plum}\n")
    private = profiles.check(people.find(["bob"])[0], LIBRARY, private=True).profile
    assert private is not None
    assert private.options["accent"] == "navy"
    assert settings("ada")["template"] == (("plain",), "cvbuild.yaml:2")
    own = settings("bob")
    assert own["accent"] == ("1F3A5F", "cvbuild.yaml:2")
    assert own["paper"] == ("letter", "cvbuild.yaml:2")
    assert own["size"] == ("11", "people/bob.yaml:4")
    assert settings("eve")["template"] == (("grid", "plain"), "cvbuild.yaml:3")
    said = "people/bob.yaml:3:11: note: cvbuild.yaml requires another template, which counts"
    assert said in run("check", "bob").err
    SHARED.write_text("defaults: {require: {template: plian, options: {plain: {papers: a4}}}}\n")
    assert 'unknown template "plian"' in run("check").err


def test_a_private_value_stays_private() -> None:
    SHARED.write_text("defaults: {options: {footer: {value: A secret, private: true}}}\n")
    public = profiles.check(people.find(["ada"])[0], LIBRARY)
    assert "secret" not in repr(public.profile)
    assert public.source is not None
    assert [one.texts for one in public.source.private] == [("A secret",)]


def test_the_file_beside_the_people_counts_wherever_one_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SHARED.write_text("defaults: {locale: de}\n")
    Path("eve.yaml").write_text(ADA)
    Path("other").mkdir()
    Path("other/bob.yaml").write_text(ADA)
    monkeypatch.chdir(tmp_path)
    found = {
        name: cvbuild.load_profile(f"work/{name}.yaml")
        for name in ("people/ada", "eve", "other/bob")
    }
    assert [one.locale for one in found.values()] == ["de", "de", "en"]


# -- what is wrong with it -------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "told"), messages("bad/workspace.txt"))
def test_errors_name_the_place_and_what_to_do(run: Run, text: str, told: list[str]) -> None:
    SHARED.write_text(text)
    ran = run("check")
    of_it = [line for line in ran.err.splitlines() if line.startswith("cvbuild.yaml:")]
    assert same([line.removeprefix("cvbuild.yaml:") for line in of_it], told), ran.err
    assert (ran.code, ran.out) == (0 if "include: new" in text else 1, "")


def test_a_file_that_cannot_be_read(run: Run) -> None:
    for data in (
        b"locale: \xff",
        b"\0" * 100,
        b"defaults: {template: a" + b"#" * (1 << 20),
        b"[" * 5000,
    ):
        SHARED.write_bytes(data)
        ran = run("build", "ada", *TEXT)
        assert (ran.code, "Traceback" in ran.err, "cvbuild.yaml" in ran.err) == (1, False, True)


# The limit ends a thread wherever it is; a list of a folder may be open then.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_takes_long_is_refused_or_ends(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    group = "{people: ada, options: {accent: '112233'}}"
    SHARED.write_text("groups:\n" + "".join(f"  g{n}: {group}\n" for n in range(501)))
    ran = run("check", "ada")
    assert ran.err.splitlines()[0] == "cvbuild.yaml:2:3: 501 groups are too many: there may be 500"
    SHARED.write_text("groups:\n" + "".join(f"  g{n}: {group}\n" for n in range(20)))
    monkeypatch.setattr(limits, "SECONDS", 0.01)
    told = workspace_check.check_workspace(SHARED, people.everyone(), Library.of_workspace())
    assert [one.code for one in told] == ["time-limit"]


# -- everything uses it ----------------------------------------------------------------------------


def test_applications_match_and_clusters_use_it(run: Run) -> None:
    SHARED.write_text("defaults: {template: industry, locale: de}\n")
    Path("applications").mkdir()
    Path("applications/lab.yaml").write_text("person: ada\nemployer: Lab\nposition: Clerk\n")
    cv = documents.of(load.load("lab", date(2026, 1, 1)), LIBRARY, date(2026, 1, 1)).cv
    assert (cv.style, cv.profile.locale) == ("industry", "de")
    Path("job.txt").write_text("A clerk in Berlin, Berlin, Berlin.\n")
    assert run("match", "lab", "--job", "job.txt", "--json").json["language"] == "de"
    content = cluster.pack(cv, Request(Path("out"), today()))
    data = content["source"].data
    assert isinstance(data, dict)
    assert data["locale"] == "de"
    assert pipeline.choose(cv, request_on(DAY)).options["accent"]


def test_what_was_sent_has_the_file(run: Run) -> None:
    demand_embedded()
    SHARED.write_text("defaults: {template: industry, options: {accent: plum}}\n")
    Path("applications").mkdir()
    Path("applications/lab.yaml").write_text("person: ada\nemployer: Lab\nposition: Clerk\n")
    assert run("apply", "lab", "--sent", "--engine", "embedded").code == 0
    (kept,) = Path("applications/sent").glob("*/")
    assert (kept / "inputs/cvbuild.yaml").read_text() == SHARED.read_text()


@pytest.mark.deep
def test_watch_builds_what_an_edit_of_it_changes() -> None:
    SHARED.write_text("defaults: {formats: txt}\n")
    command = [sys.executable, "-m", "cvbuild", "watch", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watch:
        assert watch.stdout is not None
        said = (json.loads(line) for line in watch.stdout)
        try:
            _documents(said, 3)
            text = "defaults: {formats: txt}\ngroups: {a: {people: eve, locale: de}}\n"
            save(SHARED, text)
            built = _documents(said, 3)
            assert {one["person"]: one["cached"] for one in built} == {
                "ada": True, "bob": True, "eve": False,
            }  # fmt: skip
        finally:
            watch.terminate()


def _documents(said: Iterator[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while len(found) < count:
        one = next(said)
        found += [one] if "template" in one else []
    return found


# -- the starter files -----------------------------------------------------------------------------


def test_the_starter_and_its_comments_are_valid() -> None:
    """Each example in a comment is one that works."""
    rows = saving.workspace_files("ada-example")["cvbuild.yaml"].splitlines()
    plain = [row.removeprefix("# ") for row in rows[4:]]
    SHARED.write_text("\n".join(plain))
    person("ada-example")
    assert settings("ada-example")["template"] == (("academic",), "cvbuild.yaml:12")
    SHARED.write_text(saving.workspace_files("ada-example")["cvbuild.yaml"])
    assert settings("ada-example") == {}
    page = (DOCS / "how-to" / "workspace.md").read_text("utf-8")
    with pytest.raises(ProfileError):
        cvbuild.load_profile("people/none.yaml")
    assert all(f"`{key}`" in page for key in ("template", "formats", "options", "locale"))
