"""``--format json``: what a document shows as JSON Resume."""

from __future__ import annotations

import json
from dataclasses import replace

from cvbuild.model import kinds
from cvbuild.model.kinds.describe import Outlined
from cvbuild.outputs.checks import text_folding, view_texts
from cvbuild.outputs.jsonresume import export
from cvbuild.outputs.types import Made, Shown
from cvbuild.view.types import Content, Item

#: Labels that the names of keys say there: ``score``.
_LABELS = ("grade_label",)


class Format:
    """JSON Resume 1.0."""

    name = "json"
    suffix = ".json"

    def make(self, shown: Shown) -> Made:
        """Return what is selected; raise DocumentError if a text of an item is missing from it.

        It has to be where all programs look, unless its kind has no list in JSON Resume.
        """
        content = export.to_bytes(shown.selected)
        resume = json.loads(content)
        del resume["meta"]["cvbuild"]
        values = text_folding.in_json(json.dumps(resume, ensure_ascii=False))
        items = tuple(
            _values(item)
            for section in shown.view.sections
            if not isinstance(kinds.of(section.kind).json, Outlined)
            for item in section.items
        )
        expected = [*filter(view_texts.is_as_written, view_texts.walk(items))]
        figures = view_texts.require(values, expected, shown.task.source, ordered=False)
        return Made(content, figures)


def _values(item: Item | Content) -> object:
    if isinstance(item, Item):
        return replace(item, fields={n: v for n, v in item.fields.items() if n not in _LABELS})
    return item
