"""``--format rendercv``: a document as a YAML file that RenderCV 2.x builds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import DocumentError
from cvbuild.model.dates import Date
from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.rendercv import entries, head, words
from cvbuild.outputs.types import Made, Shown
from cvbuild.view.types import Content

#: Fields that have a form of their own there.
_OTHERWISE = ("date", "doi", "arxiv")
_WIDTH = 96
#: Brackets around those that a note has itself.
_BRACKETS = re.compile(r" \(\(([^()]*)\)\)")
#: A character after a backslash; code; emphasis; a link, before and after its words.
_MARKUP = re.compile(r"\\([^\w\s]|_)|`([^`]*)`|\*+|\[|\]\(([^()]*)\)")


class Format:
    """RenderCV 2.x."""

    name = "rendercv"
    suffix = ".rendercv.yaml"

    def make(self, shown: Shown) -> Made:
        """Return the view as YAML; raise DocumentError if a text of an item is missing from it."""
        data = document(shown)
        items = (group.items for section in shown.view.sections for group in section.groups)
        expected = [one for one in view_texts.walk(tuple(items)) if not _otherwise(one)]
        written = "\n".join(map(_plain, _texts(data)))
        if faults := view_texts.lost(written, expected, shown.task.source):
            raise DocumentError(faults)
        text = yaml.dump(data, Dumper=_Writer, allow_unicode=True, sort_keys=False, width=_WIDTH)
        return Made(text.encode(), {"texts": len(expected)}, tuple(_notes(shown)))


def document(shown: Shown) -> dict[str, Any]:
    """Return the document as the data of RenderCV's file."""
    view, sections = shown.view, dict[str, list[entries.Entry]]()
    dates = _dates(shown)
    for section in view.sections:
        for group in section.groups:
            parts = filter(None, (section.title, group.title))
            title = ": ".join(words.escaped(str(one)) for one in parts)
            # There are no notes: what the small print says stands in the heading.
            notes = (one for one in (section.note, group.note) if one)
            title += "".join(
                _BRACKETS.sub(" (\\1)", f" ({words.escaped(str(one))})") for one in notes
            )
            made = entries.of_group(section, group, view, dates)
            sections.setdefault(_unused(title, sections), []).extend(made)
    design: dict[str, Any] = {"theme": "classic"}
    if shown.options.get("paper") == "letter":
        design["page"] = {"size": "us-letter"}
    elif shown.options.get("paper") == "a4":
        design["page"] = {"size": "a4"}
    return {"cv": {**head.of(shown), "sections": sections}, "design": design}


def _notes(shown: Shown) -> Iterator[Diagnostic]:
    """Yield a note for each sign that RenderCV can't print, and that another one stands for."""
    for sign, other, texts in (
        ("`", words.LIKE_GRAVE, view_texts.contents(shown.view)),
        ('"', head.QUOTE, (shown.view.header.name,)),
    ):
        if found := next((one for one in texts if sign in str(one)), None):
            fact = f"RenderCV can't print {sign} here, so its file has {other}"
            yield Diagnostic("note", "rendercv-sign", fact, shown.task.source.span(found.path))


def _unused(title: str, sections: dict[str, Any]) -> str:
    """Return a title that no section has yet: two may have the same one."""
    number = 2
    found = title
    while found in sections:
        found, number = f"{title} ({number})", number + 1
    return found


def _dates(shown: Shown) -> entries.Dates:
    """Return the dates of items and roles by their path."""
    found: dict[Any, Date] = {}
    for section in shown.selected.sections:
        for group in section.groups:
            for path, item in group.items:
                parts = [(path, item)]
                roles = getattr(item, "roles", ())
                parts += [((*path, "roles", at), role) for at, role in enumerate(roles)]
                for place, part in parts:
                    if isinstance(date := getattr(part, "date", None), Date):
                        found[*place, "date"] = date
    return found


def _otherwise(one: Content) -> bool:
    """Return whether a text is written in another form, or is the number of an item."""
    return one.path[-1] in _OTHERWISE or str(one).isdecimal()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
    elif value is not None:
        yield str(value)


def _plain(text: str) -> str:
    """Return what a text shows, as a reader of its Markdown sees it."""
    shown = _MARKUP.sub(lambda found: found[1] or found[2] or f" {found[3] or ''}", text)
    return shown.replace(words.LIKE_GRAVE, "`")


class _Writer(yaml.SafeDumper):
    """Indents lists below their key, and has no anchors."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        """Indent lists below their key."""
        super().increase_indent(flow, indentless=False)

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
        """Write what stands in several places in each of them."""
        return True
