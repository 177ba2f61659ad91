"""What may be written at a place of a text, as the form knows it.

The text may be half written: what counts is where a word at the cursor would be in its data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from typing import Any

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs.yaml import source
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile, kinds
from cvbuild.model.base import Model, Shorthand
from cvbuild.model.profile import Variant
from cvbuild.outputs import registry
from cvbuild.outputs.templates import Library
from cvbuild.serve.form import shapes
from cvbuild.serve.form.shapes import Shape
from cvbuild.serve.messages import Json

#: What stands at the cursor while the text is read.
_WORD = "cvbuild-cursor"


def complete(before: str, after: str, root: type[Model], library: Library) -> list[Json]:
    """Return what may stand between two halves of a text: keys, with what follows them; values.

    ``root`` is the model of the file. Raises TemplateError for a faulty manifest.
    """
    above, _, line = before.rpartition("\n")
    rest, _, below = after.partition("\n")
    rest = re.sub(r"^[\w.-]*", "", rest)
    # What is below may be broken, or a part of what is being written.
    ends = dict.fromkeys(("", _closing(line)))
    for tail, key, close in product((below, ""), ("", ": x"), ends):
        text = f"{above}\n{line}{_WORD}{key}{rest}{close}\n{tail}"
        with suppress(CvbuildError):
            read = source.parse(text, "text")
            return _offers(read, line.rstrip().endswith(":"), root, library)
    return []


def _offers(read: Source, is_behind_key: bool, root: type[Model], library: Library) -> list[Json]:
    """Return what may take the place of the word at the cursor."""
    path = next(_words(read.data, ()), None)
    if path is None:
        return []
    # A word alone may become the first key of a mapping.
    is_key = path[-1] == _WORD
    path, held = (path[:-1], read.part(path[:-1]).data) if is_key else (path, ())
    if "options" in path:
        keys, values = _of_options(path[path.index("options") + 1 :], library)
    else:
        places = _shapes(read.data, path, root)
        keys, values = _keys(places, path, held), _values(places, path, library)
    offers = [] if is_behind_key else [one for one in keys if one["label"] not in held]
    if not is_key:
        offers += [{"label": one, "about": values[one], "shape": None} for one in values]
    return offers


def _closing(line: str) -> str:
    """Return the brackets that end what is open in a line."""
    ends = {"{": "}", "[": "]"}
    opened: list[str] = []
    for sign in re.sub(r"\"[^\"]*\"|'[^']*'", "", line):
        if sign in ends:
            opened.append(ends[sign])
        elif opened and sign == opened[-1]:
            opened.pop()
    return "".join(reversed(opened))


def _words(data: Any, path: FieldPath) -> Iterator[FieldPath]:
    """Yield the path of the word at the cursor."""
    for step, value in shapes.inside(data):
        if _WORD in (step, value):
            yield (*path, step)
        yield from _words(value, (*path, step))


# -- what the models know --------------------------------------------------------------------------


def _shapes(data: Any, path: FieldPath, root: type[Model]) -> list[Shape]:
    """Return what may be at a path of a file: of a section without a kind, that of any kind."""
    if root is Profile and path[:1] == ("variants",) and len(path) > 1:
        return _shapes(data["variants"][path[1]], path[2:], Variant)
    models, begin = [root], 0
    if root is Profile and path[:1] == ("sections",) and len(path) > 1:
        data, begin = data["sections"][path[1]], 2
        kind = data.get("kind") if isinstance(data, dict) else None
        every = map(kinds.model_of, [kind] if kind in kinds.KINDS else kinds.KINDS)
        models = [model for model in every if model]
    found = (shapes.at(data, path[begin:], model) for model in models)
    return [shape for shape in found if shape]


def _keys(places: list[Shape], path: FieldPath, held: Any) -> list[Json]:
    """Return the keys of a mapping, each with what it is for and what its value is."""
    if path[:1] == ("sections",) and len(path) == 2 and "kind" not in held:
        return [_key("kind", "What the section holds.", is_needed=True)]
    found: dict[str, Json] = {}
    for key in (key for place in places if place.model for key in shapes.keys(place.model)):
        control, model = key.shape.control, key.shape.model
        is_mapping = control in ("model", "pairs") and not issubclass(model or Model, Shorthand)
        shape = "list" if control == "items" else "mapping" if is_mapping else "text"
        found.setdefault(key.name, _key(key.name, key.about, shape, is_needed=key.needed))
    return [*found.values()]


def _key(name: str, about: str, shape: str = "text", *, is_needed: bool = False) -> Json:
    rank = {"is_needed": is_needed, "is_last": name in shapes.SELECTING}
    return {"label": name, "about": about, "shape": shape, **rank}


def _values(places: list[Shape], path: FieldPath, library: Library) -> dict[str, str]:
    """Return the values of a place, where they are a fixed few, and what they are."""
    key = next((step for step in reversed(path) if isinstance(step, str)), None)
    if key == "kind" and path[:1] == ("sections",):
        return {name: kind.about for name, kind in kinds.KINDS.items()}
    if key == "template":
        return {name: library.find(name).manifest.description for name in library.names()}
    if key == "formats":
        return dict.fromkeys(registry.names(), "")
    listed = (("true", "false") if one.control == "switch" else one.choices for one in places)
    return {choice: "" for choices in listed for choice in choices}


def _of_options(path: FieldPath, library: Library) -> tuple[list[Json], dict[str, str]]:
    """Return the keys and the values of a place below ``options``."""
    templates = {name: library.find(name).manifest for name in library.names()}
    options = {name: one for each in templates.values() for name, one in each.options.items()}
    if not path:
        below = [_key(name, each.description, "mapping") for name, each in templates.items()]
        return [*(_key(name, one.doc) for name, one in options.items()), *below], {}
    if path[0] in templates and len(path) == 1:
        own = templates[str(path[0])].options
        return [_key(name, one.doc) for name, one in own.items()], {}
    option = options.get(str(path[-1]))
    choices = (
        ("true", "false") if option and option.type == "flag" else option.choices if option else ()
    )
    return [], dict.fromkeys(choices, "")
