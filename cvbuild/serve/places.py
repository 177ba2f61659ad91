"""Places for the browser: a box on a page, the field that it shows, and where that is written."""

from __future__ import annotations

from collections.abc import Iterable

from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.source import Source
from cvbuild.outputs.pdf.verify.text_places import TextPlace
from cvbuild.outputs.task import Task
from cvbuild.selection import variant_rules

Json = dict[str, object]


def as_json(found: Iterable[TextPlace], task: Task) -> list[Json]:
    """Return plain objects for the browser; what isn't written in the person's file is left out."""
    _, source = variant_rules.applied(task.profile, task.source, task.variant)
    file = source_stage.name_of(task.person.path)
    plain = (_plain(one, source, file) for one in found)
    return [one for one in plain if one]


def _plain(place: TextPlace, source: Source, file: str) -> Json | None:
    span = source.span(place.path)
    is_whole = span == source.span(())  # A template's own word, such as "Thesis".
    if span.file != file or not span.line or is_whole:
        return None
    return {
        "page": place.page,
        "box": [round(side, 2) for side in place.box],
        "path": list(place.path),
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }
