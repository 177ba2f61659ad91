"""What may be at a path of a file, as the models say; and what completes a half written one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date as Day
from functools import cache
from itertools import product
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import Struct

from cvbuild.common.diagnostics import CvbuildError, FieldPath
from cvbuild.inputs import json_schema
from cvbuild.inputs.yaml import source
from cvbuild.model import kinds
from cvbuild.model.application import Addressee, Application, Message
from cvbuild.model.base import FrozenMap, Model, Shorthand
from cvbuild.model.contact import NETWORKS, Contact, Name, Profiles
from cvbuild.model.kinds import Apart, Cited, Each, Head, Joined, Pair
from cvbuild.model.letter import Body, Letter
from cvbuild.model.locales.dates import Date
from cvbuild.model.profile import Profile, Variant
from cvbuild.model.sections import Item, Link, SectionOf
from cvbuild.model.text import language_tags, paragraphs
from cvbuild.model.text.lines import Lines
from cvbuild.outputs import registry
from cvbuild.outputs.styles.templates import Library
from cvbuild.serve.messages import Json

#: What a file is of, by what the browser calls it.
ROOTS: Mapping[str, type[Model]] = MappingProxyType({"person": Profile, "application": Application})
#: Keys that say how an item is selected, not what it is.
SELECTING = ("priority", "keep", "private", "tags")
#: Words of keys that aren't words themselves.
_TITLES = MappingProxyType(
    {
        "doi": "DOI", "arxiv": "arXiv", "url": "URL", "email": "E-mail", "bib": "BibTeX file",
        "id": "Name in variants", "short-venue": "Short",
        "Name.given": "Given name", "Name.family": "Family name", "Name.full": "Name",
        "Name.short": "Short name", "Name.native": "In its own script",
        "Name.author": "Spellings as an author", "Name.others": "Other names",
        "Contact.other": "Other contacts", "locale": "Language",
        "Profile.locale": "Language of this CV",
        "Application.person": "Who", "Application.template": "Style",
        "Application.found": "Where it was found", "Application.files": "Names of the files",
        "Application.attach": "PDFs of the e-mail", "Application.size-limit": "Most MB",
        "Application.private": "Show private data", "Application.message": "E-mail",
        "Letter.body": "Text", "Message.body": "Text",
    }
)  # fmt: skip
#: Further fields that are offered from the beginning, where a model has them.
_USUAL = frozenset(
    ("address", "bullets", "date", "email", "family", "given", "headline", "items", "level",
     "location", "phone", "photo", "profiles", "website")
)  # fmt: skip
#: The same where a sentence cites something: most of what it may have is rare.
_CITED = frozenset(("authors", "date", "doi", "inventors", "note", "number", "short-venue",
                    "status", "title", "venue"))  # fmt: skip
#: Keys of an application and its parts that few need.
_RARE = frozenset(("attach", "file", "files", "formats", "limits", "private",
                   "signature", "size-limit", "variant"))  # fmt: skip
#: Sections whose items are rows of one list.
ROWS = ("text", "bullets", "keywords")
_BLOCK = get_args(Lines)[2]
_PASSAGE = type(paragraphs.Passage.__metadata__[0])  # type: ignore[attr-defined]

Control = Literal[
    "text", "passage", "block", "day", "date", "list", "links", "pairs", "items", "switch",
    "number", "choice", "lines", "model",
]  # fmt: skip

_PLAIN: Mapping[type, Control] = MappingProxyType(
    {Date: "date", Day: "day", bool: "switch", int: "number", str: "text"}
)


class Shape(Struct, frozen=True):
    """What a value is: its control; the model of a mapping, or of each; words with marks."""

    control: Control
    model: type[Model] | None = None
    many: bool = False
    choices: tuple[str, ...] = ()
    prose: bool = False


class Key(Struct, frozen=True):
    """A key of a mapping; ``usual`` ones are offered at once, no ``needed`` one may be missing."""

    name: str
    title: str
    about: str
    shape: Shape
    usual: bool
    needed: bool = False


def shape_of(annotation: Any, marks: tuple[Any, ...] = ()) -> Shape:
    """Return the shape of a type of a model."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return shape_of(inner[0], (*marks, *inner[1:]))
    if origin in (Union, UnionType):
        return shape_of(next(part for part in inner if part is not type(None)), marks)
    if origin is Literal:
        return Shape("choice", choices=tuple(map(str, inner)))
    if origin is tuple:
        each = shape_of(inner[0])
        model, prose = each.model, each.prose
        if model is Link:
            return Shape("links", many=True)
        if model and issubclass(model, Shorthand):
            short = model.model_fields[model.shorthand]
            prose = shape_of(short.annotation, tuple(short.metadata)).prose
        if each.control in ("text", "passage") or (model and issubclass(model, Shorthand)):
            return Shape("list", model, many=True, prose=prose)
        return Shape("items" if model else "lines", model, many=True)
    if not isinstance(annotation, type):
        return Shape("pairs") if origin is FrozenMap else Shape("lines")
    if annotation is paragraphs.Prose:
        is_passage = any(isinstance(mark, _PASSAGE) for mark in marks)
        return Shape("passage" if is_passage else "text", prose=True)
    if annotation is Body:
        return Shape("passage", prose=True)
    if issubclass(annotation, Model):
        return Shape("pairs" if annotation is Profiles else "model", annotation)
    if annotation is str and _BLOCK in marks:
        return Shape("block")
    return Shape(_PLAIN.get(annotation, "lines"))


@cache
def keys(model: type[Model]) -> tuple[Key, ...]:
    """Return the keys of a mapping, in the order in which a form has them."""
    own, (begin, is_cited) = dict[str, Key](), _head(model)
    names = [field.alias or name for name, field in model.model_fields.items()]
    if model in (Addressee, Application, Letter, Message):
        usual = {*names} - _RARE
    elif model in (Contact, Name, Profile):
        usual = {*_USUAL}
    elif not issubclass(model, Item):
        usual = {*_USUAL, "title", "order", "note"}
    else:
        usual = {*_CITED} if is_cited else {*begin, *_USUAL} if begin else {*names} - {*SELECTING}
    has_title = "title" in model.model_fields and "name" not in model.model_fields
    head = "title" if has_title else next(iter(begin), "")
    for name, field in model.model_fields.items():
        key = field.alias or name
        shape = shape_of(field.annotation, tuple(field.metadata))
        needed = field.is_required()
        about, is_usual = json_schema.docs(model).get(key, ""), needed or key in usual
        title = _TITLES.get(f"{model.__name__}.{key}") or _TITLES.get(key)
        title = title or key.replace("-", " ").capitalize()
        if model is Profiles:
            title = NETWORKS[key].title if key in NETWORKS else key
        own[key] = Key(key, title, about, shape, is_usual, needed)
    ranks = {name: at for at, name in enumerate(own)}
    ranks |= {head: -1} if head in own else {}
    if "date" in ranks and "location" in ranks:
        ranks["location"] = ranks["date"] - 0.5  # type: ignore[assignment]
    return tuple(
        sorted(
            own.values(),
            key=lambda key: (key.name in SELECTING, key.shape.control == "items", ranks[key.name]),
        )
    )


@cache
def _head(model: type[Model]) -> tuple[tuple[str, ...], bool]:
    """Return the fields of the line that an item begins with, and whether it is a citation."""
    for name in kinds.KINDS:
        lines = kinds.KINDS[name].text or ()
        item = item_model(name)
        for line in lines:
            if isinstance(line, Each) and item:
                inner = item.model_fields[line.field].annotation
                if get_args(inner)[:1] == (model,):
                    return tuple(_fields_of(line.lines[0])), False
            if item is model and isinstance(line, Head | Cited):
                return tuple(_fields_of(line)), isinstance(line, Cited)
    return (), False


def _fields_of(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Apart | Pair):
        yield part.field
    elif isinstance(part, Head | Joined | Cited):
        for inner in part.parts:
            yield from _fields_of(inner)


def item_model(kind: object) -> type[Model] | None:
    """Return the model of the items of a kind of section."""
    section = kinds.model_of(kind)
    if section is None:
        return None
    return shape_of(section.model_fields["items"].annotation).model


def short_key(model: type[Model], data: Any) -> str | None:
    """Return the key of a model that one text stands for; None where a file has no such text."""
    if not issubclass(model, Shorthand) or not model.is_short(data):
        return None
    return "body" if model is Letter and "\n" in str(data) else model.shorthand


def at(data: Any, path: FieldPath, root: type[Model] = Profile) -> Shape | None:
    """Return what may be at a path of a file; None for what no model knows."""
    here: Shape | None = Shape("model", root)
    for step in path:
        if here is None or here.model is None:
            return Shape("text") if here and here.many and isinstance(step, int) else None
        data = dict(inside(data)).get(step)
        if here.many and isinstance(step, int):
            model: type[Model] | None = here.model
            if model is SectionOf:
                model = kinds.model_of(data.get("kind") if isinstance(data, dict) else None)
            here = Shape("model", model) if model else None
        elif here.control == "pairs":
            here = Shape("text")
        else:
            key = next((key for key in keys(here.model) if key.name == step), None)
            here = key.shape if key else None
    return here


def in_languages(data: Any) -> bool:
    """Return whether a value is a mapping from languages to texts."""
    return (
        isinstance(data, dict)
        and bool(data)
        and all(
            language_tags.is_key(key) and isinstance(text, str | None) for key, text in data.items()
        )
    )


def inside(data: Any) -> Iterable[tuple[str | int, Any]]:
    """Return what is in a mapping or a list of a file, each with its step."""
    if isinstance(data, dict):
        return data.items()
    return enumerate(data) if isinstance(data, list) else ()


def before(data: Any, path: FieldPath, root: type[Model] = Profile) -> tuple[str, ...]:
    """Return the keys of a mapping that a new one at a path comes after."""
    shape = at(data, path[:-1], root)
    if shape is None or shape.model is None or shape.many or shape.model is Profile:
        return ()
    names = [key.name for key in keys(shape.model)]
    # Long lists come last.
    names = sorted(names, key=lambda name: (name != "kind", name in ("items", "groups")))
    return tuple(names[: names.index(path[-1])]) if path[-1] in names else ()


def title_keys(model: type[Model]) -> tuple[str, ...]:
    """Return the keys that may name an item, the best first."""
    own = [key.name for key in keys(model)]
    return (
        *(key for key in dict.fromkeys(("name", "title", *_head(model)[0], *own)) if key in own),
    )


def new_item(kind: str, name: str) -> Any:
    """Return an item to begin with, which is valid; ``name`` are words for its first text."""
    model = item_model(kind)
    if kind in ROWS or model is None:
        return name
    first = next(iter(title_keys(model)), "")
    item: dict[str, Any] = {first: name}
    for key in keys(model):
        if key.name == first and first not in ("title", "name"):
            item[first] = key.title
        elif key.needed and key.name != first:
            item[key.name] = [key.title] if key.shape.many else key.title
    return item


# -- what may be written at a place of a text ------------------------------------------------------

#: What stands at the cursor while the text is read.
_WORD = "cvbuild-cursor"


def complete(before: str, after: str, root: type[Model], library: Library) -> list[Json]:
    """Return what may stand between two halves of a text: keys, with what follows; values."""
    above, _, line = before.rpartition("\n")
    rest, _, below = after.partition("\n")
    rest = re.sub(r"^[\w.-]*", "", rest)
    # What is below may be broken, or a part of what is being written.
    brackets: list[str] = []
    for sign in re.sub(r"\"[^\"]*\"|'[^']*'", "", line):
        if sign in "{[":
            brackets.insert(0, "}" if sign == "{" else "]")
        elif sign == next(iter(brackets), None):
            del brackets[0]
    ends = dict.fromkeys(("", "".join(brackets)))
    read = None
    for tail, key, close in product((below, ""), ("", ": x"), ends):
        with suppress(CvbuildError):
            read = source.parse(f"{above}\n{line}{_WORD}{key}{rest}{close}\n{tail}", "text")
            break
    path = next(_words(read.data, ()), None) if read else None
    if read is None or path is None:
        return []
    # A word alone may become the first key of a mapping.
    is_key = path[-1] == _WORD
    path, held = (path[:-1], read.part(path[:-1]).data) if is_key else (path, ())
    if "options" in path:
        offers, values = _of_options(path[path.index("options") + 1 :], library)
    else:
        places = _shapes(read.data, path, root)
        values, known = _values(places, path, library), dict[str, Json]()
        for own in (key for place in places if place.model for key in keys(place.model)):
            control, model = own.shape.control, own.shape.model
            is_mapping = control in ("model", "pairs") and not issubclass(model or Model, Shorthand)
            form = "list" if control == "items" else "mapping" if is_mapping else "text"
            known.setdefault(own.name, _key(own.name, own.about, form, is_needed=own.needed))
        offers = [*known.values()]
        if path[:1] == ("sections",) and len(path) == 2 and "kind" not in held:
            offers = [_key("kind", "What the section holds.", is_needed=True)]
    offers = [key for key in offers if key["label"] not in held and not line.rstrip().endswith(":")]
    if not is_key:
        offers += [{"label": word, "about": about, "shape": None} for word, about in values.items()]
    return offers


def _words(data: Any, path: FieldPath) -> Iterator[FieldPath]:
    for step, value in inside(data):
        if _WORD in (step, value):
            yield (*path, step)
        yield from _words(value, (*path, step))


def _shapes(data: Any, path: FieldPath, root: type[Model]) -> list[Shape]:
    """Return what may be at a path of a file: of a section without a kind, that of any kind."""
    if root is Profile and path[:1] == ("variants",) and len(path) > 1:
        return _shapes(data["variants"][path[1]], path[2:], Variant)
    models, begin = [root], 0
    if root is Profile and path[:1] == ("sections",) and len(path) > 1:
        data, begin = data["sections"][path[1]], 2
        kind = data.get("kind") if isinstance(data, dict) else None
        every = [kind] if kinds.model_of(kind) else kinds.KINDS
        models = [model for model in map(kinds.model_of, every) if model]
    found = (at(data, path[begin:], model) for model in models)
    return [shape for shape in found if shape]


def _key(name: str, about: str, shape: str = "text", *, is_needed: bool = False) -> Json:
    rank = {"is_needed": is_needed, "is_last": name in SELECTING}
    return {"label": name, "about": about, "shape": shape, **rank}


def _values(places: list[Shape], path: FieldPath, library: Library) -> dict[str, str]:
    """Return the values of a place, where they are a fixed few, and what they are."""
    key = next((step for step in reversed(path) if isinstance(step, str)), None)
    if key == "kind" and path[:1] == ("sections",):
        return {name: kind.about for name, kind in kinds.KINDS.items()}
    if key == "template":
        return {name: library.find(name).manifest.description for name in library.names()}
    if key == "formats":
        return dict.fromkeys(registry.MODULES, "")
    listed = (("true", "false") if place.control == "switch" else place.choices for place in places)
    return {choice: "" for choices in listed for choice in choices}


def _of_options(path: FieldPath, library: Library) -> tuple[list[Json], dict[str, str]]:
    templates = {name: library.find(name).manifest for name in library.names()}
    options = {name: own for each in templates.values() for name, own in each.options.items()}
    if not path:
        below = [_key(name, each.description, "mapping") for name, each in templates.items()]
        return [*(_key(name, option.doc) for name, option in options.items()), *below], {}
    if path[0] in templates and len(path) == 1:
        own = templates[str(path[0])].options
        return [_key(name, option.doc) for name, option in own.items()], {}
    option = options.get(str(path[-1]))
    choices = option.choices if option else ()
    if option and option.type == "flag":
        choices = ("true", "false")
    return [], dict.fromkeys(choices, "")
