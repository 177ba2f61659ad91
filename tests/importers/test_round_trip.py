"""What cvbuild exports comes back: the same person, but for what docs/reference/pdf.md lists."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from profiles import public
from pydantic import BaseModel

from cvbuild.importers import types
from cvbuild.importers.formats import jsonresume
from cvbuild.model import kinds
from cvbuild.model.base import FrozenMap, Prose
from cvbuild.model.locales.dates import Date
from cvbuild.model.profile import Profile
from cvbuild.outputs.formats import jsonresume as export
from cvbuild.selection.select import select

ROOT = Path(__file__).resolve().parents[2]
PEOPLE = [*sorted((ROOT / "people").glob("*.yaml")), ROOT / "docs/gallery/nora-lindqvist.yaml"]
#: Fields that no document shows: they only steer the build.
STEERING = ("tags", "priority", "keep", "id", "me", "private", "short", "author")
OF_PERSON = ("photo", "template", "formats", "options", "variants")


def shape(value: Any) -> Any:
    match value:
        case Prose():
            return value.nodes
        case Date():
            return replace(value, several=tuple(map(shape, value.several)))
        case FrozenMap():
            return {key: shape(inner) for key, inner in value.items()}
        case tuple():
            return [shape(one) for one in value]
        case BaseModel():
            fields = type(value).model_fields
            return {key: shape(getattr(value, key)) for key in fields if key not in STEERING}
    return value


def expected(profile: Profile) -> dict[str, Any]:
    """A person as the list of docs/reference/pdf.md says that they come back."""
    made = shape(profile)
    found = {key: value for key, value in made.items() if key not in OF_PERSON}
    for section in found["sections"]:
        if section["order"] == "newest":
            for part in (section, *section["groups"]):
                part["items"] = _sorted(part["items"])
    if profile.name.full:
        found["name"] |= {"given": None, "family": None}
    return found


def _sorted(items: list[Any]) -> list[Any]:
    def key(item: Any) -> Any:
        dates = [item.get("date"), *(role["date"] for role in item.get("roles", ()))]
        keys = [one.sort_key for one in dates if one and one.sort_key]
        if item.get("date"):
            keys = [item["date"].sort_key or ((0, 0, 0), (0, 0, 0))]
        return max(keys, default=((0, 0, 0), (0, 0, 0)))

    return sorted(items, key=key, reverse=True)


def back(profile: Profile) -> Profile:
    content = export.to_bytes(select(profile, {}))
    found = jsonresume.Format().read(types.held("resume.json", content))
    assert [str(one.note) for one in found.lost] == []
    return Profile.model_validate(found.data)


@pytest.mark.parametrize("path", PEOPLE, ids=lambda path: path.stem)
def test_a_person_comes_back(path: Path) -> None:
    profile = public(path.read_text("utf-8"))
    assert expected(back(profile)) == expected(profile)


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_a_kind_comes_back(kind: str) -> None:
    profile = public(f"name: Ada Example\n{kinds.KINDS[kind].example}")
    assert expected(back(profile)) == expected(profile)


#: What is hard: forms of names, nested points, groups, several sections of a list, Markdown.
HARD = (ROOT / "tests/importers/round-trip.yaml").read_text("utf-8")


def test_what_is_hard_comes_back() -> None:
    profile = public(HARD)
    assert expected(back(profile)) == expected(profile)


def test_forms_that_json_resume_lacks_come_back() -> None:
    """Addresses as accounts, an employer's own date, two sections of a title, marks, words."""
    profile = public("""\
        name: {full: Ada Example, given: Ada, family: Example}
        contact:
          profiles: {github: "https://github.com/ada-example"}
          links: [{GitLab: "https://gitlab.com/ada-example"}]
        sections:
          - kind: experience
            items:
              - employer: Company
                date: 2015 to 2020
                roles: [{title: Chief, date: 2019 to 2019}, {title: Clerk}]
          - {kind: award, title: Prizes, items: [{title: First}]}
          - {kind: award, title: Prizes, items: [{title: Second, date: {text: soon}}]}
          - kind: publication
            items:
              - {title: Paper, authors: [{name: Ada Example, marks: a}], doi: 10.1000/182,
                 url: "https://doi.org/10.1000/182"}
        """)
    found = back(profile)
    assert expected(found) == expected(profile)
    assert found.contact == profile.contact
    assert (found.name.full, found.name.given) == ("Ada Example", None)


def test_an_export_that_somebody_changed_is_read_as_it_is_now() -> None:
    resume = export.resume(select(public(HARD), {}))
    resume["basics"]["label"] = "Astronomer"
    found = jsonresume.Format().read(types.held("resume.json", json.dumps(resume).encode()))
    assert found.data["headline"] == "Astronomer"
    assert "meta.cvbuild: not read" in found.lost[0].note.message


def test_only_what_an_export_has_comes_in() -> None:
    """Anybody can write such a file: no path, option or document of theirs comes in."""
    resume = export.resume(select(public(HARD), {}))
    held = resume["meta"]["cvbuild"]
    held["person"] |= {"photo": "../../secret.png", "options": {"embed": "true"}}
    held["person"]["sections"][0] |= {"bib": "papers.bib", "private": "true"}
    found = jsonresume.Format().read(types.held("resume.json", json.dumps(resume).encode()))
    assert not {"photo", "options"} & found.data.keys()
    assert not {"bib", "private"} & found.data["sections"][0].keys()
    # What the schema refuses is told, as everywhere.
    held["person"] = {"name": "Ada", "headline": ["no", "line"], "sections": [5, {"kind": "x"}]}
    found = jsonresume.Format().read(types.held("resume.json", json.dumps(resume).encode()))
    assert found.data == {"name": "Ada"}
    assert [one.note.message for one in found.lost] == [
        "headline (headline must be a text, not a list): no; line"
    ]
