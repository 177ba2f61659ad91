"""The JSON Schema for editors and the page on all keys: fresh, and at one with the model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from jsonschema import Draft202012Validator

from cvbuild.common.errors import ProfileError
from cvbuild.inputs import json_schema, privacy
from cvbuild.inputs.new_files import person_text
from cvbuild.inputs.people import everyone
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.model import Profile
from cvbuild.outputs import editor_schema
from cvbuild.outputs.styles.templates import Library
from tools import schema_page

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = editor_schema.json_schema(Library.at())
BLOCK = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


class Core(yaml.SafeLoader):
    """YAML as editors read it: the scalars of YAML 1.2's core schema, no dates."""


Core.yaml_implicit_resolvers = {}
for tag, pattern, starts in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+", list("-+0123456789")),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
):
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"(?:{pattern})$"), starts)


def as_editors_read(text: str) -> Any:
    return yaml.load(text, Loader=Core)


def faults(text: str) -> list[jsonschema.ValidationError]:
    validator = Draft202012Validator(DOCUMENT)
    return list(validator.iter_errors(as_editors_read(text)))


def model_takes(text: str) -> bool:
    given = parse(text, "test.yaml")
    try:
        validate(privacy.everything(given))
    except ProfileError:
        return False
    return not list(privacy.faults(given))


def named(text: str) -> str:
    return text if re.search(r"^name:", text, re.MULTILINE) else f"name: Ada Example\n{text}"


def objects(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, dict):
        if "properties" in part:
            yield part
        for value in part.values():
            yield from objects(value)
    elif isinstance(part, list):
        for value in part:
            yield from objects(value)


def test_it_is_a_schema_that_refuses_unknown_keys() -> None:
    Draft202012Validator.check_schema(DOCUMENT)
    found = list(objects(DOCUMENT))
    assert len(found) > 40
    free = [part for part in found if part["additionalProperties"] is not False]
    # Styles of one's own have options of their own.
    names = Library.at().names()
    assert len(free) == 2 + len(names)
    assert all(part["description"].startswith("Options ") for part in free)


def test_editors_know_the_templates_and_their_options() -> None:
    library = Library.at()
    forms = DOCUMENT["$defs"]["Template"]["anyOf"]
    names = {form["const"]: form["description"] for form in forms if "const" in form}
    assert {*names} == {*library.names()}
    own = DOCUMENT["$defs"]["PersonOptions"]["properties"]
    for name, description in names.items():
        template = library.find(name)
        assert description == template.manifest.description
        # An option and the template margin have one name: the template's form comes last.
        part = own[name] if "properties" in own[name] else own[name]["anyOf"][-1]
        assert part["properties"].keys() == template.manifest.options.keys()
        plain = {key: option.default for key, option in template.manifest.options.items()}
        written = json.dumps({"name": "A", "template": name, "options": {name: plain}})
        assert faults(written) == []
        for key, option in template.manifest.options.items():
            assert option.doc[1:] in json.dumps(part["properties"][key]) + json.dumps(own[key])
            for choice in option.choices:
                assert faults(f"name: A\noptions: {{{key}: {choice}}}") == []
                assert faults(f"name: A\nvariants: {{a: {{options: {{{key}: {choice}}}}}}}") == []


@pytest.mark.parametrize(
    ("options", "good"),
    [
        ("{paper: a5}", False),
        ("{academic: {paper: a5}}", False),
        ("{accent: burgundy, photo: yes, size: 11}", True),
        ('{accent: "7A1F3D", photo: true, size: "11"}', True),
        ("{size: 7}", False),
        ("{margin: {top: 30, left: 20}}", True),
        ("{margin: {top: 2}}", None),
        ("{margin: [30]}", False),
        ("{margin: 2}", False),
        ("{sections: [award, talk], footer: {value: A, private: true}}", True),
        ("{sections: [hobby]}", False),
        ("{of-my-own: [1], plum: {flower: large}}", True),
    ],
)
def test_values_of_options(options: str, good: bool | None) -> None:
    # What isn't the option margin may be for the template of that name.
    assert (faults(f"name: A\noptions: {options}") == []) is (good is not False)
    if "academic" not in options:
        assert (faults(f"name: A\nvariants: {{a: {{options: {options}}}}}") == []) is bool(good)


def test_every_key_has_words() -> None:
    models = json_schema.models()
    assert len(models) > 50
    for model in models:
        keys = {field.alias or name for name, field in model.model_fields.items()} - {"kind"}
        assert keys <= json_schema.docs(model).keys(), model


def test_the_committed_files_are_fresh() -> None:
    committed = json.loads((ROOT / "docs" / "profile.schema.json").read_text(encoding="utf-8"))
    assert committed == DOCUMENT, "run: make docs"
    page = (ROOT / "docs" / "reference" / "schema.md").read_text(encoding="utf-8")
    assert page == schema_page.markdown(), "run: make docs"


def test_every_example_is_good() -> None:
    blocks = BLOCK.findall(schema_page.markdown())
    assert len(blocks) >= 4 + len(Profile.KINDS)
    for block in blocks:
        validate(parse(named(block), "test.yaml"))
        assert faults(named(block)) == [], block


def test_every_person_follows_the_schema_and_names_it() -> None:
    folder = ROOT / "people"
    people = everyone(folder)
    if not people:
        pytest.fail("there is nobody in people/")
    for one in people:
        text = one.path.read_text(encoding="utf-8")
        assert text.splitlines()[0] == json_schema.MODELINE, one.name
        assert faults(text) == [], one.name
    assert (folder / json_schema.FILE).resolve() == (
        ROOT / "docs" / "profile.schema.json"
    ).resolve()


def test_the_starter_file_follows_the_schema() -> None:
    text = person_text("Ada Example")
    assert text.splitlines()[0] == json_schema.MODELINE
    assert faults(text) == []


def item(kind: str, fields: str) -> str:
    return f"name: A\nsections: [{{kind: {kind}, items: [{{{fields}}}]}}]"


GOOD = (
    "name: Ada Example",
    "name: {given: A, family: B, author: [C, D]}",
    "name: A\nheadline:\ncontact:\nphoto:\nsummary:\ninterests:\nsections:\noptions:\nupdated:",
    "name: A\ntemplate:\nlocale:",
    "name: 1.10",
    "name: A\ncontact: {email: a@example.org, phone: [{number: +1 202 555 0123}]}",
    "name: A\ncontact: {website: [example.org], profiles: {google-scholar: x, github: [a, b]}}",
    "name: A\nsummary: 12\ninterests: [true, 1.5, no]",
    "name: A\noptions: {accent: '112233', academic: {paper: letter, sections: [award]}}",
    "name: A\nupdated: 2026-01-31\nlocale: en-GB\ntemplate: [academic, one-page]",
    "name: {value: A, private: true}\nphoto: {value: a.png, private: false}",
    "name: {given: A, family: {value: B, private: true}}",
    "name: A\nsummary: {value: One, private: true}\ninterests: [A, {value: B, private: true}]",
    "name: A\ncontact: {birth-date: 1990-05-17, nationality: [A, {en: B}], other: {C: {en: D}}}",
    "name: A\ncontact: {value: {phone: {value: 2025550123, private: true}}, private: true}",
    item(
        "award",
        "title: {value: {en: T, de: U}, private: true}, date: {value: 2020, private: false}",
    ),
    item("publication", "title: T, links: [{value: PDF, private: true}, {label: A}]"),
    item("publication", "title: T, authors: [A, {value: {name: B}, private: true}]"),
    item("award", "title: T, date: 2020"),
    item("award", "title: T, date: 2020-07, priority: 0, private: true, tags: a"),
    item("award", "title: T, date: {start: 2017-03, end: present}"),
    item("award", "title: T, date: {start: 2017, end: 2018}"),
    item("award", "title: T, date: {text: in press}"),
    item("award", "title: T, date: , tags: , url: , priority: null"),
    item("publication", "title: T, authors: [A*, {name: B, me: true}], marks: {'*': equal}"),
    item("publication", "title: T, authors: A, links: [PDF, Code: https://a.org, {label: X}]"),
    item("publication", "title: T, authors: A, short-venue: V, doi: 10.1000/x, arxiv: 2403.11421"),
    item("experience", "employer: E, roles: [{title: T, bullets: [a, {text: b}]}]"),
    "name: A\nsections: [{kind: text, items: one block}]",
    "name: A\nsections: [{kind: skill, items: [A, {name: B, keywords: C}], order: file}]",
    "name: A\nsections: [{kind: publication, numbering: none, items: [{title: T, authors: A}]}]",
    "name: A\nsections: [{kind: talk, groups: [{title: G, items: [{title: T}]}], order: }]",
    "name: A\nsections: [{kind: talk, numbering: none, items: [{title: T}]}]",
    item("award", "title: T, date: [2020]"),
    item("award", "title: T, date: [2019, Fall 2020, {start: 2021, end: 2022}]"),
    item("experience", "employer: E, bullets: [a, {text: b, bullets: [c, {text: d, tags: t}]}]"),
    "name: A\ninterests: [a, {name: b, keywords: [c, d]}, {name: e, private: true}]",
    "name: A\ncontact: {country: DE, phone: 030 23125 000, links: [Work: a.org]}",
    "name: A\ncontact: {phone: (213) 555-0176, links: {label: Work, url: a.org}}",
)
BAD = (
    "headline: A",
    "name: A\ntittle: B",
    "name: [A]",
    "name: A\ncontact: {mail: a@example.org}",
    "name: A\ncontact: {profiles: {myspace: a}}",
    "name: A\nsections: {kind: text}",
    "name: A\nsections: [{items: [a]}]",
    "name: A\nsections: [{kind: hobby, items: [a]}]",
    "name: A\nsections: [{kind: text, items: {a: b}}]",
    item("award", "date: 2020"),
    item("award", "title: T, priority: 10"),
    item("award", "title: T, priority: high"),
    item("award", "title: T, private: perhaps"),
    item("award", "title: T, private: "),
    item("award", "title: {value: T, private: perhaps}"),
    item("award", "title: {value: T, privat: true}"),
    item("award", "title: {value: T, private: true, tags: a}"),
    "name: A\ncontact: {birth-date: [1990], other: A}",
    item("award", "title: {a: b}"),
    item("award", "title: [a, b]"),
    item("award", "title: T, date: [2020, {text: soon}]"),
    item("award", "title: T, date: []"),
    item("experience", "employer: E, bullets: [{text: a, bullets: [{text: b, bullets: [c]}]}]"),
    item("award", "title: T, date: {from: 2020}"),
    item("award", "title: T, date: {start: 2020, text: soon}"),
    item("publication", "title: T, authors: A, short_venue: V"),
    item("publication", "authors: A"),
    item("publication", "title: T, authors: A, links: [{label: X, address: y}]"),
    "name: A\nsections: [{kind: talk, groups: [{title: G}]}]",
    "name: A\nsections: [{kind: talk, groups: [{title: G, items: []}]}]",
    "name: A\nsections: [{kind: talk, order: oldest, items: [{title: T}]}]",
    "name: A\nsections: [{kind: award, numbering: none, items: [{title: T}]}]",
    "name: A\noptions: [a]",
)


@pytest.mark.parametrize("text", GOOD)
def test_schema_and_model_take(text: str) -> None:
    assert model_takes(text)
    assert faults(text) == []


@pytest.mark.parametrize("text", BAD)
def test_schema_and_model_refuse(text: str) -> None:
    assert not model_takes(text)
    assert faults(text) != []
