"""The JSON Schema of an application's file with the names of templates, options and formats."""

from __future__ import annotations

from cvbuild.applications.model import Application
from cvbuild.inputs.schema import json_schema as base
from cvbuild.outputs import editor_schema
from cvbuild.outputs.styles.templates import Library


def json_schema(library: Library) -> editor_schema.Form:
    """Return the schema (draft 2020-12); raises TemplateError for a faulty manifest."""
    schema = base.of_model(Application)
    return editor_schema.with_names(schema, [(schema["properties"], "Options")], library)
