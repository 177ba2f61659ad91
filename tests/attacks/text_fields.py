"""Every text field of a person's file and of a letter, with what puts a text into it."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterator
from datetime import date as Day
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from attacks.table import rows
from msgspec.structs import replace
from pydantic import BaseModel

from cvbuild.inputs import letters
from cvbuild.inputs.letters import Draft
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation import validate
from cvbuild.inputs.validation.slots import bare
from cvbuild.inputs.yaml import writer
from cvbuild.inputs.yaml.source import parse
from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap, Prose, Shorthand
from cvbuild.model.dates import Date
from cvbuild.model.kinds import KINDS
from cvbuild.model.letter import Letter
from cvbuild.model.variant import Variant
from cvbuild.outputs.pdf.latex.runs import Setting
from cvbuild.outputs.pdf.tex.job_folder import Engine
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.outputs.task import Task
from cvbuild.outputs.types import Shown


class Field(NamedTuple):
    """A text field: its name, and the data of a person, or of an application, with a text in it."""

    name: str
    data: Callable[[str], dict[str, Any]]
    letter: bool = False


#: What a model needs besides its required keys.
_VALID = {
    "Email": {"address": "ada@example.org"},
    "Phone": {"number": "+1 202 555 0123"},
    "Recipient": {"name": "Lin Example"},
    "Name": {"given": "Ada", "family": "Example"},
    "Experience": {"employer": "T"},
    "Link": {"url": "https://example.org/"},
}
#: Fields of a form of their own: what is around a text in them.
_FORMS = {
    ("Email", "address"): "{}@example.org",
    ("Publication", "doi"): "10.1000/{}",
    ("Publication", "arxiv"): "{}/1234567",
}
#: Fields that take no words at all.
WORDLESS = (
    ".contact.phone.number", ".contact.birth-date", ".contact.country", ".contact.profiles.orcid",
)  # fmt: skip
#: Rules and names, which no document shows.
_UNSHOWN = re.compile(
    r"(^|\.)(tags|id|include|exclude|template|formats|locale|photo|file|signature)($|\.)"
    r"|^\.name\.(short|author)$|^\.variants|^\.options\.(key|value)"
    r"|^variants\.(kinds|without|since|limits?|order|options|titles)\."
    r"|^variants\.(kinds|without|order|call)$"
)
Make = Callable[[str], Any]


def _sample(annotation: Any) -> Any:
    """Return a small valid value."""
    annotation = bare(annotation)
    if get_origin(annotation) is tuple:
        return [_sample(get_args(annotation)[0])]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _required(annotation)
    if get_origin(annotation) is Literal:
        return get_args(annotation)[0]
    return "2020" if annotation is Date else "T"


def _required(model: type[BaseModel]) -> dict[str, Any]:
    """Return the required keys of a model, with small values."""
    fields = model.model_fields.items()
    made = {f.alias or n: _sample(f.annotation) for n, f in fields if f.is_required()}
    made |= _VALID.get(model.__name__, {})
    return made or ({model.shorthand: "T"} if issubclass(model, Shorthand) else {})


def _put(wrap: Callable[[Any], Any], make: Make) -> Make:
    return lambda text: wrap(make(text))


def _texts(annotation: Any, path: str) -> Iterator[tuple[str, Make]]:
    """Yield each text field of a type: its path, and what makes a value of a text."""
    annotation = bare(annotation)
    origin = get_origin(annotation)
    if origin is tuple:
        for name, make in _texts(get_args(annotation)[0], path):
            yield name, _put(lambda value: [value], make)
    elif origin is FrozenMap:
        for name, make in _texts(get_args(annotation)[1], f"{path}.value"):
            yield name, _put(lambda value: {"Key": value}, make)
        yield f"{path}.key", lambda text: {text: "T"}
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield from _of_model(annotation, path)
    elif annotation is Date:
        yield path, lambda text: {"text": text}
    elif annotation is str or annotation is Prose:
        yield path, lambda text: text


def _of_model(model: type[BaseModel], path: str) -> Iterator[tuple[str, Make]]:
    least = _required(model)
    for name, field in model.model_fields.items():
        if get_origin(bare(field.annotation)) in (Union, types.UnionType):
            continue
        key = field.alias or name
        form = _FORMS.get((model.__name__, key), "{}")
        for place, make in _texts(field.annotation, f"{path}.{key}"):
            yield place, partial(_with, least, key, form, make)


def _with(least: dict[str, Any], key: str, form: str, make: Make, text: str) -> dict[str, Any]:
    return {**least, key: make(form.replace("{}", text))}


def person_with(more: dict[str, Any]) -> dict[str, Any]:
    return {"name": "Ada Example", "contact": {"email": "ada@example.org"}, **more}


def _section(kind: str, more: dict[str, Any]) -> dict[str, Any]:
    """Return a person with one section, which has one item unless it is given others."""
    made: dict[str, Any] = {"kind": kind, "items": [_item(kind)], **more}
    if kind in ("text", "bullets", "keywords"):
        made.setdefault("title", "T")
    return person_with({"sections": [made]})


def _item(kind: str) -> Any:
    return _sample(_item_type(kind))


def _item_type(kind: str) -> Any:
    section = KINDS[kind].section
    assert section
    return get_args(bare(section.model_fields["items"].annotation))[0]


def _of_kind(kind: str) -> Iterator[Field]:
    for place, make in _texts(_item_type(kind), kind):
        yield Field(place, _put(lambda item: _section(kind, {"items": [item]}), make))
    group = {"title": "T", "items": [_item(kind)]}
    for key in ("title", "note"):
        keyed = partial(_keyed, key)
        yield Field(f"{kind}.section.{key}", _put(lambda one: _section(kind, one), keyed))
        yield Field(f"{kind}.groups.{key}", _put(lambda one: _grouped(kind, group | one), keyed))


def _grouped(kind: str, group: dict[str, Any]) -> dict[str, Any]:
    return _section(kind, {"groups": [group]})


def _keyed(key: str, text: str) -> dict[str, Any]:
    return {key: text}


def _found() -> Iterator[Field]:
    for place, make in _of_model(Profile, ""):
        if not place.startswith(".sections."):  # each kind has a model of its own
            yield Field(place, _put(person_with, make))
    for kind in KINDS:
        yield from _of_kind(kind)
    for place, make in _of_model(Variant, "variants"):
        yield Field(place, _put(lambda one: person_with({"variants": {"academic": one}}), make))
    yield Field("variants.titles", _titled)
    yield Field(".options.footer", lambda text: person_with({"options": {"footer": text}}))
    for place, make in _of_model(Letter, "letter"):
        yield Field(place, make, letter=True)
    yield Field("letter.body", lambda text: {"body": text}, letter=True)
    yield Field("position", lambda text: {"position": text}, letter=True)


def _titled(text: str) -> dict[str, Any]:
    return {**_section("award", {}), "variants": {"academic": {"titles": {"award": text}}}}


@cache
def fields() -> tuple[Field, ...]:
    """Return all text fields of a person's file and of a letter."""
    return tuple(one for one in _found() if not _UNSHOWN.search(one.name))


def task_with(field: Field, text: str) -> Task:
    """Return the document with a text in a field; raise CvbuildError if it is refused."""
    written = person_with({}) if field.letter else field.data(text)
    source = parse(writer.write(written), "people/ada.yaml")
    profile = validate(source)
    person = Person("ada", Path("people/ada.yaml"))
    variant = "academic" if profile.variants else None
    task = Task(person, profile, source, "academic", variant=variant)
    if not field.letter:
        return task
    given = {"body": "T", "recipient": {"name": "Lin"}, **field.data(text)}
    position = given.pop("position", "Engineer")
    made = parse(writer.write({"letter": given}), "applications/a.yaml")
    letter = letters.read(made)
    draft = Draft("a", letter.letter, Path(), Day(2026, 3, 5), position)
    return replace(task, source=letter.into(source), draft=draft)


def tex_of(shown: Shown, setting: Setting, folder: Path) -> str:
    """Return the TeX of a document; compiled templates are kept in a folder."""
    engine = Engine("pdflatex", "system", Path("pdflatex"), "")
    setter = Typesetter(
        shown, engine, None, folder, folder, folder, setting=setting  # type: ignore[arg-type]
    )  # fmt: skip
    return setter.render(shown.selected, {}).tex


PAYLOADS = rows("texts")
CASES = [(field, payload) for field in fields() for payload in PAYLOADS]
HARMLESS = "harmlessword"
