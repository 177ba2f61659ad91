"""``cvbuild check --settings``: list each setting of a person, and where its value is from."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from cvbuild.building.check import profiles
from cvbuild.building.check.profiles import Checked
from cvbuild.building.environment import workspace_library
from cvbuild.cli import console
from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.inputs import output_folder, people, workspace
from cvbuild.inputs.workspace import OPTIONS, PRIVATE, VARIANTS, WHOLE, Loaded
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Task

_BUILT_IN = "default of cvbuild"
#: How the keys of variants begin.
_VARIANT = f"{VARIANTS}."


class _Setting(Struct, frozen=True):
    """A setting of a person, or of the document: its value, and where it is from.

    ``source`` is the layer: the person's file, defaults, group phd, default of industry.
    """

    document: str | None
    key: str
    value: Any
    source: str
    file: str | None = None
    line: int | None = None

    @property
    def title(self) -> str:
        """Return what it stands below: options of academic, variant short; or nothing."""
        if self.document is None:
            return ""
        is_rule = self.key.startswith(_VARIANT)
        return f"variant {self.document}" if is_rule else f"{OPTIONS} of {self.document}"

    @property
    def in_short(self) -> str:
        """Return its key below that: accent, since."""
        return self.key.removeprefix(f"{_VARIANT}{self.document}.").removeprefix(f"{OPTIONS}.")

    @property
    def origin(self) -> str:
        """Return where it is from, for people: cvbuild.yaml:4 (group phd)."""
        if self.file is None:
            return self.source
        place = f"{self.file}:{self.line}" if self.line else self.file
        return place if self.source == self.file else f"{place} ({self.source})"


def run(given: argparse.Namespace) -> int:
    """List on stdout; return 1 if a person's file is wrong."""
    library = workspace_library(given.template_path)
    faults: dict[Diagnostic, None] = {}
    listed: list[dict[str, Any]] = []
    code = 0
    for person in people.find(given.people):
        checked = profiles.check(person, library)
        faults |= dict.fromkeys(checked.diagnostics)
        code = max(code, int(checked.profile is None))
        found = [*_settings(checked, library)]
        listed.append({"person": person.name, "settings": [asdict(one) for one in found]})
        if not given.json and found:
            console.answer("\n".join(_lines(person.name, found)))
    if given.json:
        console.print_json({"people": listed, "diagnostics": [*faults]})
    else:
        console.show(faults)
    return code


def _settings(checked: Checked, library: Library) -> Iterator[_Setting]:
    profile, source = checked.profile, checked.source
    if profile is None or source is None:
        return
    shared = workspace.load(workspace.file_of(checked.person.path))
    places = _Places(checked.person.path, source, shared)
    for key in WHOLE:
        yield places.setting(None, key, getattr(profile, key), (key,))
    yield _out(checked, shared)
    yield _private(checked, shared)
    for name, variant in profile.variants.items():
        # Options are listed with those of the document.
        for key in sorted(variant.model_fields_set - {OPTIONS}):
            path: FieldPath = (VARIANTS, name, key)
            yield places.setting(name, f"{_VARIANT}{name}.{key}", source.part(path).data, path)
    names = dict.fromkeys((*profile.template, *profile.variants))
    for task in profiles.tasks([checked], [*names]):
        yield from _of_document(task, places, library)


def _of_document(task: Task, places: _Places, library: Library) -> Iterator[_Setting]:
    template = library.require(task.template)
    found = templates.origins(template, task.profile, task.chosen)
    for name, (value, path) in sorted(found.items()):
        key = f"{OPTIONS}.{name}"
        if path is None:
            yield _Setting(task.name, key, value, f"default of {template.name}")
        else:
            yield places.setting(task.name, key, value, path)


def _out(checked: Checked, shared: Loaded | None) -> _Setting:
    """Return the folder of the person's documents."""
    named = shared.data.defaults.out if shared and shared.data else None
    folder = checked.out or named
    if shared is None or folder is None:
        return _Setting(None, "out", str(output_folder.default()), _BUILT_IN)
    for layer in reversed([*shared.layers(checked.person.name)]):
        if shared.source.find((*layer, "out")):
            span = shared.source.span((*layer, "out"))
            return _Setting(None, "out", folder, shared.layer_at(span), span.file, span.line)
    return _Setting(None, "out", folder, _BUILT_IN)


def _private(checked: Checked, shared: Loaded | None) -> _Setting:
    """Return what is private of ``contact``, with the place of the first setting of it."""
    fields = shared.private(checked.person.name) if shared else {}
    if shared is None or not fields:
        return _Setting(None, PRIVATE, (), _BUILT_IN)
    node = next(iter(fields.values()))
    span = Span(node.file or shared.source.name, *node.place)
    layer = shared.layer_at(span)
    return _Setting(None, PRIVATE, tuple(fields), layer, span.file, span.line)


class _Places(Struct, frozen=True):
    """Where the values of a person are from."""

    file: Path
    source: Source
    shared: Loaded | None

    def setting(self, document: str | None, key: str, value: Any, path: FieldPath) -> _Setting:
        """Return the setting with its origin; ``path`` is that of its value in the source."""
        if self.source.find(path) is None:
            return _Setting(document, key, value, _BUILT_IN)
        span, shared = self.source.span(path), self.shared
        is_shared = shared and span.file == shared.source.name
        layer = shared.layer_at(span) if shared and is_shared else span.file
        return _Setting(document, key, value, layer, span.file, span.line or None)


def _lines(name: str, settings: list[_Setting]) -> Iterator[str]:
    """Yield the lines of a person: what all documents have, then the options of each."""
    yield name
    width = max(len(one.in_short) for one in settings)
    values = max(len(_text(one.value)) for one in settings)
    title = ""
    for one in settings:
        if one.title != title:
            title = one.title
            yield f"  {title}"
        key = f"{'    ' if title else '  '}{one.in_short}"
        yield f"{key:{width + 4}}  {_text(one.value):{min(values, 30)}}  {one.origin}"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return ", ".join(map(_text, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_text(inner)}" for key, inner in value.items())
    return "–" if value in (None, "") else str(value)
