"""Kinds of sections, each described once; the JSON Schema for editors and the page on all keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest
import yaml
from jsonschema import Draft202012Validator
from profiles import labels_of
from told import messages

import cvbuild
from cvbuild.common.diagnostics import ProfileError
from cvbuild.inputs import json_schema
from cvbuild.inputs.people import everyone
from cvbuild.inputs.person import privacy
from cvbuild.inputs.saving import person_text
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.model import kinds
from cvbuild.model.kinds import Kind, Listed
from cvbuild.model.locales import table
from cvbuild.model.profile import Profile
from cvbuild.model.sections import Item
from cvbuild.outputs import registry
from cvbuild.outputs.formats.jsonresume import LISTS
from cvbuild.outputs.installed import builtin_folder
from cvbuild.outputs.styles.templates import Library
from tools import schema_page

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


@cache
def document() -> dict[str, Any]:
    return registry.json_schema(Library.at())


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


def faults(text: str) -> list[jsonschema.ValidationError]:
    validator = Draft202012Validator(document())
    return list(validator.iter_errors(yaml.load(text, Loader=Core)))


def model_takes(text: str) -> bool:
    given = parse(text, "test.yaml")
    try:
        validate(privacy.everything(given))
    except ProfileError:
        return False
    return not list(privacy.faults(given.tree, ""))


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
    Draft202012Validator.check_schema(document())
    found = list(objects(document()))
    assert len(found) > 40
    free = [part for part in found if part["additionalProperties"] is not False]
    # Styles of one's own have options of their own; margins may also be one number.
    assert {part["description"].partition(" ")[0] for part in free} == {"Options", "The"}


def test_editors_know_the_templates_and_their_options() -> None:
    library = Library.at()
    forms = document()["$defs"]["Template"]["anyOf"]
    names = {form["const"]: form["description"] for form in forms if "const" in form}
    assert {*names} == {*library.names()}
    definitions = document()["$defs"]
    own, of_template = definitions["PersonOptions"]["properties"], definitions["Options"]
    for name, description in names.items():
        template = library.find(name)
        assert description == template.manifest.description
        # An option and the template margin have one name: the template's form comes last.
        part = own[name] if "$ref" in own[name] else own[name]["anyOf"][-1]
        assert part == {"$ref": "#/$defs/Options"}
        assert of_template["properties"].keys() >= template.manifest.options.keys()
        plain = {key: option.default for key, option in template.manifest.options.items()}
        written = json.dumps({"name": "A", "template": name, "options": {name: plain}})
        assert faults(written) == []
        for key, option in template.manifest.options.items():
            assert "description" in own[key]
            for choice in option.choices:
                assert faults(f"name: A\noptions: {{{key}: {choice}}}") == []
                assert faults(f"name: A\nvariants: {{a: {{options: {{{key}: {choice}}}}}}}") == []


@pytest.mark.parametrize(
    ("options", "good"),
    [
        ("[paper, a5]", False),
        ("{academic: {paper: letter}}", True),
        ("{academic: letter}", False),
        ("{accent: burgundy, photo: yes, size: 11}", True),
        ("{margin: {top: 30, left: 20}}", True),
        ("{sections: [award, talk], footer: {value: A, private: true}}", True),
        ("{of-my-own: [1], plum: {flower: large}}", True),
    ],
)
def test_options_are_offered_and_what_they_take_is_for_cvbuild_to_say(
    options: str, good: bool
) -> None:
    assert (faults(f"name: A\noptions: {options}") == []) is good
    if "academic" not in options:
        assert (faults(f"name: A\nvariants: {{a: {{options: {options}}}}}") == []) is good


def test_every_key_has_words() -> None:
    models = json_schema.models()
    assert len(models) > 50
    for model in models:
        keys = {field.alias or name for name, field in model.model_fields.items()} - {"kind"}
        assert keys <= json_schema.docs(model).keys(), model


def test_the_committed_files_are_fresh() -> None:
    committed = json.loads((ROOT / "docs" / "profile.schema.json").read_text("utf-8"))
    assert committed == document(), "run: make docs"
    page = (ROOT / "docs" / "reference" / "schema.md").read_text("utf-8")
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
        text = one.path.read_text("utf-8")
        assert text.splitlines()[0] == json_schema.MODELINE, one.name
        assert faults(text) == [], one.name
    assert (folder / json_schema.FILE).resolve() == (
        ROOT / "docs" / "profile.schema.json"
    ).resolve()


def test_the_starter_file_follows_the_schema() -> None:
    text = person_text("Ada Example")
    assert text.splitlines()[0] == json_schema.MODELINE
    assert faults(text) == []


@pytest.mark.parametrize(("text", "told"), messages("bad/schema.txt"))
def test_schema_and_model_agree(text: str, told: list[str]) -> None:
    assert model_takes(text) is (faults(text) == []) is (told == [])


def items_of(kind: Kind) -> type[Item]:
    assert kind.section
    annotation: Any = kind.section.model_fields["items"].annotation
    found: type[Item] = get_args(annotation)[0]
    return found


def lacks(kind: Kind) -> Iterator[str]:
    words, sections = table("en").words, builtin_folder() / "_core" / "sections"
    yield from (f"label {label}" for label in (kind.name, *labels_of(kind)) if label not in words)
    if not (sections / f"{kind.name}.tex.j2").is_file():
        yield "LaTeX template"
    if not kind.text and (kind.run is None or kind.run.unless):
        yield "plain text"
    if not 0 < kind.weight <= 100:
        yield "weight"
    form = kind.json
    if form is None:
        yield "JSON Resume"
    elif (name := getattr(form, "list", LISTS[0])) not in LISTS:
        yield f"a list of JSON Resume instead of {name}"
    if kind.section is None:
        return
    if not kind.example:
        yield "example"
    if (name := get_args(kind.section.model_fields["kind"].annotation)[0]) != kind.name:
        yield f"the name of its section, {name}"
    model = items_of(kind)
    keys = {field.alias or name for name, field in model.model_fields.items()}
    named = [*(kind.run.unless if kind.run else ()), *([kind.search] if kind.search else ())]
    if isinstance(form, Listed):
        named += [*form.keys, *form.shared, *([form.parts] if form.parts else ())]
    yield from (f"a field {name}" for name in named if name not in keys)


def test_no_kind_lacks_anything() -> None:
    every = {**kinds.OWN, **kinds.KINDS}
    assert len(every) >= 19
    assert {kind.name: found for kind in every.values() if (found := [*lacks(kind)])} == {}
    there = (builtin_folder() / "_core" / "sections").glob("*.tex.j2")
    assert {path.name.removesuffix(".tex.j2") for path in there} == every.keys()


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.usefixtures("here")
def test_items_beside_groups_are_set_in_every_kind() -> None:
    sections = []
    for kind in kinds.KINDS.values():
        (example,) = yaml.safe_load(kind.example)["sections"]
        whole = example["items"] if isinstance(example["items"], list) else [example["items"]]
        fields = items_of(kind).model_fields.items()
        needed = {field.alias or name for name, field in fields if field.is_required()}
        needed |= {"employer", "organization"}
        bare = [
            {key: one[key] for key in one if key in needed} if isinstance(one, dict) else one
            for one in whole
        ]
        for items, grouped in ((whole, bare), (bare, whole)):
            groups = [{"title": "Group", "items": grouped}]
            sections.append({"kind": kind.name, "items": items, "groups": groups})
    text = json.dumps({"name": "Ada", "sections": sections}, default=str)
    Path("ada.yaml").write_text(text, "utf-8")
    formats = ["pdf", "html", "docx", "txt", "md", "json"]
    made = cvbuild.build(["ada.yaml"], templates=["plain"], formats=formats, engine="embedded")
    assert [str(one.diagnostics) for one in made if not one.path] == []
    assert len(made) == len(formats)
