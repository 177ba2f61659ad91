"""What a person's file can be shown as: templates, variants, and the options of each."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from cvbuild.building.profiles import Checked
from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import CvbuildError
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile, language_tags
from cvbuild.model.base import FrozenMap
from cvbuild.model.profile import OWN_SECTIONS
from cvbuild.outputs import templates as templates_stage
from cvbuild.outputs.manifests import Option
from cvbuild.outputs.templates import Library, Template

Json = dict[str, Any]
#: Under which title the panel has the options that all styles share, in its order.
_GROUPS = MappingProxyType(
    {
        "Page": ("pages", "paper", "margin", "density", "measure", "footer"),
        "Type and colour": ("font", "size", "figures", "accent"),
        "Head": ("name-size", "contacts", "photo", "photo-side", "photo-shape", "logo"),
        "Sections": ("sections", "titles", "title-size", "title-case", "rule", "section-numbers"),
        "Entries": ("dates", "date-form", "bullet", "links", "publications", "numbering"),
        "Web pages and files": ("skills", "entry-icons", "embed"),
    }
)
_GROUP_OF = {name: group for group, names in _GROUPS.items() for name in names}
_OWN = "Only in this style"
#: What an editor shows for each type of option.
_KINDS = {"flag": "switch", "kinds": "list", "margins": "number"}
_SECTIONS = (*OWN_SECTIONS, *Profile.KINDS)


def templates(library: Library) -> dict[str, Template]:
    """Return all templates by their names; those with faults are left out."""
    usable = {}
    for name in library.names():
        # ``check`` tells what is wrong with it.
        with contextlib.suppress(CvbuildError):
            usable[name] = library.find(name)
    return usable


def listed(checked: Checked, known: Mapping[str, Template]) -> list[Json]:
    """Return the person's templates, then variants and all other templates."""
    profile = checked.profile
    picked = profile.template if profile else ()
    variants = tuple(profile.variants) if profile else ()
    first = [name for name in picked if name in known and name not in variants]
    others = [name for name in known if name not in first and name not in variants]
    documents = [_template(known[name], checked) for name in first]
    documents += [_variant(name, checked, known) for name in variants]
    documents += [_template(known[name], checked) for name in others]
    for entry in documents:
        name, kind = entry["document"]["name"], entry["document"]["kind"]
        entry["picked"] = name in picked
        own = profile.variants[name].locale if profile and kind == "variant" else None
        locale = own or (profile.locale if profile else None)
        entry["language"] = language_tags.name(locale) if locale else None
    return documents


def _template(template: Template, checked: Checked) -> Json:
    options = _options(template, checked, "")
    return entry(template.name, "template", template.manifest.title, options)


def _variant(name: str, checked: Checked, known: Mapping[str, Template]) -> Json:
    template = known.get(checked.profile.template_of(name)) if checked.profile else None
    options = _options(template, checked, name) if template else []
    return entry(name, "variant", name, options)


def entry(name: str, kind: str, title: str, options: Iterable[Json] = ()) -> Json:
    """Return a document as the browser lists it."""
    document = {"name": name, "kind": kind, "private": False, "locale": None}
    return {"document": document, "title": title, "options": [*options]}


def _options(template: Template, checked: Checked, variant: str) -> list[Json]:
    profile = checked.profile
    own: FieldPath = ("variants", variant, "options") if variant else ("options", template.name)
    chosen = profile.variants[variant] if profile and variant else None
    origins = templates_stage.origins(template, profile, chosen) if profile else {}
    entries = [
        _option((*own, name), option, origins.get(name), checked.source)
        for name, option in template.manifest.options.items()
    ]
    rank = {name: place for place, name in enumerate(_GROUP_OF)}
    return sorted(entries, key=lambda one: rank.get(one["name"], -1))


def _option(
    own: FieldPath,
    option: Option,
    origin: tuple[Any, FieldPath | None] | None,
    source: Source | None,
) -> Json:
    """Return an option; ``own`` is where a value for this document alone is written."""
    name = str(own[-1])
    default = option.read(option.default)
    value, path = origin or (default, None)
    place = source.key_span(path) if path and source is not None else None
    return {
        "name": name,
        "title": name.replace("-", " ").capitalize(),
        "group": _GROUP_OF.get(name, _OWN),
        "about": option.doc,
        "kind": _KINDS.get(option.type, option.type),
        "value": _plain(option, value),
        "default": _plain(option, default),
        "choices": list(option.choices or (_SECTIONS if option.type == "kinds" else ())),
        "least": option.min,
        "most": option.max,
        "path": list(own),
        "from": place
        and {
            "path": list(path or ()),
            "line": place.line,
            "column": place.column,
            "end_line": place.end_line,
            "end_column": place.end_column,
        },
    }


def _plain(option: Option, value: object) -> object:
    """Return a value as JSON has it; None for margins that differ from side to side."""
    if option.type == "margins" and isinstance(value, tuple):
        return value[0] if len({*value}) == 1 else None
    if isinstance(value, FrozenMap):
        return str(value["regular"])
    return list(value) if isinstance(value, tuple) else value
