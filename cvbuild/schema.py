"""The schema of a person's file, for editors (JSON Schema) and for readers (Markdown)."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from cvbuild.model import Profile

#: Relative to people/: the first line of every person's file names it.
FILE = "../docs/profile.schema.json"
MODELINE = f"# yaml-language-server: $schema={FILE}"


class _Generator(GenerateJsonSchema):
    """Says nothing about defaults that JSON can't hold: they are all "absent"."""

    def encode_default(self, dft: Any) -> Any:
        return list(dft) if isinstance(dft, tuple) else super().encode_default(dft)

    def emit_warning(self, kind: Any, detail: str) -> None:
        if kind != "non-serializable-default":
            super().emit_warning(kind, detail)


def json_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a person's file as an editor reads YAML.

    An empty value (``phone:``) is allowed wherever the key may be absent.
    """
    schema = Profile.model_json_schema(schema_generator=_Generator)
    for model in (schema, *schema["$defs"].values()):
        required = set(model.get("required", ()))
        for name, field in model.get("properties", {}).items():
            field.pop("title", None)
            field.pop("default", None)
            if name not in required and "anyOf" in field:
                if {"type": "null"} not in field["anyOf"]:
                    field["anyOf"].append({"type": "null"})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "A person's CV data",
    }


def markdown() -> str:
    """The reference of all keys: a table for the person, and one for each part."""
    return "(see docs/schema.md)"
