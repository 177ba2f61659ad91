"""JSON Schema of the files that people write, for editors.

Descriptions are the strings below the fields in ``model/``. Why they are read here and not by
pydantic (``use_attribute_docstrings``): that would parse the sources at every start.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from cvbuild.common import VERSION
from cvbuild.model.kinds import KINDS
from cvbuild.model.profile import Profile
from cvbuild.model.sections import SectionOf
from cvbuild.model.text.lines import by_language

#: The files with the schemas, below the workspace.
FILES = {
    "person": "docs/profile.schema.json",
    "application": "docs/application.schema.json",
    "workspace": "docs/workspace.schema.json",
}
#: Relative to people/: the first line of every person's file names it.
FILE = f"../{FILES['person']}"
MODELINE = f"# yaml-language-server: $schema={FILE}"


#: Schemas that occur in many places.
_FORMS = {"ByLanguage": by_language(), "InLanguages": by_language(2)}
#: Any value in a form that says whether it is private; ``cvbuild check`` checks the value in it.
_PRIVATE = {
    "description": "A value and whether it is private.",
    "type": "object",
    "properties": {"value": {}, "private": {"type": "boolean"}},
    "required": ["value", "private"],
    "additionalProperties": False,
}
#: Definitions that every schema has.
_SHARED = _FORMS | {"Private": _PRIVATE}
_REFERENCE = {"$ref": "#/$defs/Private"}
_NULL = {"type": "null"}
#: Keys that are never private by themselves.
_OPEN = ("kind", "private")


class _Generator(GenerateJsonSchema):
    """Leaves out defaults that JSON can't hold: they all mean "absent"."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012


def json_schema() -> dict[str, Any]:
    """Return JSON Schema (draft 2020-12) of a person's file as an editor reads YAML."""
    schema = of_model(Profile)
    defined = {name: part for name, part in schema["$defs"].items() if name not in _SHARED}
    for part in (schema, *defined.values()):
        for properties in _properties(part):
            fields = properties["properties"]
            properties["properties"] = {
                name: field if name in _OPEN else _perhaps_private(field)
                for name, field in fields.items()
            }
    return schema


def of_model(root: type[BaseModel]) -> dict[str, Any]:
    """Return JSON Schema of a file that holds such a model, without flags for private values.

    An empty value (``phone:``) is allowed wherever the key may be absent. The whole has no title:
    editors show it at every key.
    """
    schema = root.model_json_schema(schema_generator=_Generator)
    known = {model.__name__: model for model in models(root)}
    for name, part in ((root.__name__, schema), *schema["$defs"].items()):
        model = known.get(name)
        words = docs(model) if model else {}
        for form in _properties(part):
            for key, field in form["properties"].items():
                field.pop("title", None)
                field.pop("default", None)
                if key in words:
                    field.pop("description", None)
                    field["description"] = words[key]
                # An empty flag removes its value, and is an error.
                if key in (*form.get("required", ()), "private"):
                    continue
                # An editor reads an empty value as null.
                if "anyOf" in field:
                    field["anyOf"] += [_NULL] if _NULL not in field["anyOf"] else []
                elif "$ref" in field:
                    field["anyOf"] = [{"$ref": field.pop("$ref")}, _NULL]
                elif "type" in field:
                    types = field["type"] if isinstance(field["type"], list) else [field["type"]]
                    field["type"] = [*types, "null"]
                    if "enum" in field:
                        field["enum"] = [*field["enum"], None]
    schema = _named(schema)
    schema["$defs"] |= _SHARED
    schema.pop("title", None)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": f"cvbuild {VERSION}",
        **schema,
    }


def _named(part: Any) -> Any:
    """Return the schema with a reference for each mapping from languages to texts."""
    if isinstance(part, list):
        return [_named(one) for one in part]
    if not isinstance(part, dict):
        return part
    for name, form in _FORMS.items():
        if part == form:
            return {"$ref": f"#/$defs/{name}"}
    return {key: _named(value) for key, value in part.items()}


def _perhaps_private(form: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that also allows the value with its flag, in lists for each element."""
    if not form or "discriminator" in form:
        return form
    forms = [dict(one) for one in form.get("anyOf", [form])]
    words = {"description": form["description"]} if "description" in form else {}
    for alternative in forms:
        if items := alternative.get("items"):
            alternative["items"] = _perhaps_private(items)
        if alternative.get("description") == words.get("description"):
            alternative.pop("description", None)
    return {**words, "anyOf": [*forms, _REFERENCE]}


def _properties(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the object forms of a part: itself, or those of its alternatives."""
    for form in (part, *part.get("anyOf", ())):
        if "properties" in form:
            form.pop("title", None)
            yield form


def models(root: type[BaseModel] = Profile) -> tuple[type[BaseModel], ...]:
    """Return every model of a schema once, the root first."""
    seen: dict[type[BaseModel], None] = {}

    def visit(annotation: Any) -> None:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            if annotation not in seen:
                seen[annotation] = None
                for field in annotation.model_fields.values():
                    visit(field.annotation)
            return
        for part in get_args(annotation):
            visit(part)

    visit(root)
    if root is Profile:
        for kind in KINDS.values():
            visit(kind.section)
        del seen[SectionOf]
    return tuple(seen)


@cache
def docs(model: type[BaseModel]) -> dict[str, str]:
    """Return what each field of a model is for, by its key in a file: the text below the field."""
    words: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base is not BaseModel and issubclass(base, BaseModel) and "[" not in base.__name__:
            words |= own_docs(base)
    return {
        field.alias or name: text
        for name, field in model.model_fields.items()
        if (text := words.get(name) or field.description)
    }


@cache
def own_docs(model: type[BaseModel]) -> dict[str, str]:
    """Return the texts of the fields that the class itself declares, by their Python names."""
    try:
        source = inspect.getsource(model)
    except OSError:
        return {}  # ``sections.of_items`` made it, without fields of its own.
    tree = ast.parse(textwrap.dedent(source)).body[0]
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {
        before.target.id: inspect.cleandoc(str(after.value.value))
        for before, after in itertools.pairwise(body)
        if isinstance(before, ast.AnnAssign)
        and isinstance(before.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
    }
