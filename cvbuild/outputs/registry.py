"""Which outputs there are; ``types`` imports the module of one when it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cvbuild.common.diagnostics import suggest
from cvbuild.model.profile import OWN_SECTIONS, Profile, Workspace
from cvbuild.outputs.styles.manifests import ACCENTS, SIDES, Option
from cvbuild.outputs.styles.templates import Library

#: The module of each output, and the class there, if it isn't ``Format``.
MODULES = {
    "pdf": "cvbuild.outputs.pdf.output",
    "docx": "cvbuild.outputs.formats.docx",
    "txt": "cvbuild.outputs.formats.text",
    "json": "cvbuild.outputs.formats.jsonresume",
    "html": "cvbuild.outputs.formats.html",
    "md": "cvbuild.outputs.formats.markdown",
    "site": "cvbuild.outputs.formats.html:Site",
    "png": "cvbuild.outputs.pdf.output:Pictures",
}

#: Other words for formats, and formats of other programs with what such a file is made from.
_MEANT = {
    **dict.fromkeys(("bib", "bibtex"), "json, or take the .bib file that was imported"),
    "academicpages": "md", "doc": "docx", "htm": "html", "hugo": "md",
    "jsonresume": "json", "markdown": "md", "odt": "docx", "plain": "txt", "rendercv": "json",
    "text": "txt", "txt72": "txt", "vcard": "json", "vcf": "json", "web": "html", "word": "docx",
    "yaml": "json",
}  # fmt: skip


def instead_of(name: str) -> str:
    """Return what to write in place of the name of a format that there isn't."""
    meant = _MEANT.get(name.casefold().removeprefix("."))
    return f"write {meant}" if meant else suggest(name, MODULES, "the formats are")


Form = dict[str, Any]

_SCALAR = {"type": ["string", "number", "boolean"]}
_ANY = {"additionalProperties": True, "type": ["object", "null"]}


def json_schema(library: Library, *, workspace: bool = False) -> Form:
    """Return that of a person's file, or of a workspace's; raises TemplateError for a manifest."""
    from cvbuild.inputs import json_schema as base  # few commands need it

    schema = base.of_model(Workspace) if workspace else base.json_schema()
    parts = schema["$defs"]
    layers = [parts[name] for name in ("Look", "Defaults", "Group")] if workspace else [schema]
    places = [(layer["properties"], "PersonOptions") for layer in layers]
    places.append((parts["Variant"]["properties"], "Options"))
    return with_names(schema, places, library)


def with_names(schema: Form, places: Sequence[tuple[Form, str]], library: Library) -> Form:
    """Return the schema with the names of templates, options and formats.

    ``places`` are properties of models with such keys, each with the definition of its options:
    Options of one template, PersonOptions, or none. Raises TemplateError for a faulty manifest.
    """
    templates = [library.find(name) for name in library.names()]
    for properties, options in places:
        properties["template"] = _put(properties["template"], _SCALAR, "Template")
        if options:
            field = properties["options"]
            forms = field.setdefault("anyOf", [_ANY])
            forms[forms.index(_ANY)] = {"$ref": f"#/$defs/{options}"}
            for key in _ANY:
                field.pop(key, None)
        if "formats" in properties:
            properties["formats"] = _put(properties["formats"], _SCALAR, "Format")
    # What at least one template takes.
    every: dict[str, list[Form]] = {}
    docs: dict[str, str] = {}
    for template in templates:
        for name, option in template.manifest.options.items():
            doc = option.doc.rstrip(".")
            docs.setdefault(name, f"{doc[:1].upper()}{doc[1:]}.")
            known = every.setdefault(name, [])
            known += [form for form in _forms(option) if form not in known]
    shared = {name: {"description": docs[name], "anyOf": every[name]} for name in docs}
    own = {"$ref": "#/$defs/Options"}
    names = [{"const": each.name, "description": each.manifest.description} for each in templates]
    below: Form = {}
    for each in templates:
        alike = shared.get(each.name)
        # One that is called like an option is either.
        below[each.name] = {**alike, "anyOf": [*alike["anyOf"], own]} if alike else own
    schema["$defs"] |= {
        "Format": {"anyOf": [{"enum": [*MODULES]}, _SCALAR]},
        "Template": {"anyOf": [*names, _SCALAR]},
    }
    if not any(options for _, options in places):
        return schema
    schema["$defs"] |= {
        "Options": _object("Options of a template.", shared),
        "PersonOptions": _object(
            "Options for every template that has them, and below a template's name for it alone.",
            {**shared, **below},
        ),
    }
    return schema


def _put(part: Any, old: Form, name: str) -> Any:
    """Return a schema with a reference instead of each form that equals ``old``."""
    if part == old:
        return {"$ref": f"#/$defs/{name}"}
    if isinstance(part, dict):
        return {key: _put(value, old, name) for key, value in part.items()}
    return [_put(item, old, name) for item in part] if isinstance(part, list) else part


def _object(description: str, properties: Form) -> Form:
    return {"description": description, **_ANY, "properties": properties}


def _forms(option: Option) -> list[Form]:
    """Return what an editor offers for an option; what else it takes is for `check` to say."""
    offered: Iterable[str] = option.choices
    match option.type:
        case "colour":
            offered = ACCENTS
        case "kinds":
            offered = (*OWN_SECTIONS, *Profile.KINDS)
        case "flag":
            return [{"type": "boolean"}, {}]
        case "margins":
            return [_object("The sides.", {side: {} for side in SIDES}), {}]
    return [{"enum": [*offered]}, {}] if offered else [{}]
