"""A document's PDF with what is new since another version underlined, and a list of what is gone.

Compared is what both documents print, text by text: so a variant, a language, or what one page has
room for counts as a reader sees it. An underline is an annotation, which says what was there.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import pikepdf
from msgspec.structs import replace
from pikepdf import Array, Dictionary, Name, String

from cvbuild.applications.load import Part
from cvbuild.applications.packets import merge_pdf
from cvbuild.building import pipeline, profiles
from cvbuild.common.diagnostics import DocumentError
from cvbuild.common.files import safe_files
from cvbuild.inputs import changes
from cvbuild.inputs.person import person_file
from cvbuild.model.text.texts import escaped
from cvbuild.outputs import checks
from cvbuild.outputs.pdf import Expected
from cvbuild.outputs.pdf.output import as_pdf
from cvbuild.outputs.pdf.verify import text_places
from cvbuild.outputs.pdf.verify.pdf_facts import MAX_BYTES, Facts
from cvbuild.outputs.pdf.verify.text_places import TextPlace
from cvbuild.outputs.types import Task

_GONE = "What is gone"
_PRIVATE = "a text that is private by now"
#: The style of the list where the document's own has a single page.
_LONG = "plain"
#: Red, green and blue of the lines; their width, and how far they are below the letters, in pt.
_COLOUR, _WIDTH, _BELOW = "0.7 0.1 0.2", 0.8, 0.5
#: Words of what a text was before, in an annotation.
_MOST = 500


def make(old: Task, new: Task) -> tuple[bytes, list[str]]:
    """Return the PDF of the new version, and changed texts that couldn't be underlined."""
    blocks, request = as_pdf(pipeline.prepare(old)).rendered.blocks, new.request
    texts = [str(change) for block in blocks for change in block.contents]
    compared: list[tuple[Facts, Expected]] = []
    hook = request._replace(compared=lambda *both: compared.append(both), force=True)
    parts = [_part(replace(new, request=hook), str(new.profile.name.display))]
    facts, expected = compared[-1]
    places, contents = text_places.find(facts, expected), expected.contents
    marks: list[tuple[str, list[TextPlace]]] = []
    gone, unmarked = dict[int, str](), list[str]()
    private = (*new.source.private, *(() if new.private else person_file.secrets(new.person)))
    secrets = checks.secrets(private, new.profile.locale)
    for change in changes.compare(texts, after := [str(content) for content in contents]):
        was = change.before or ""
        if any(checks.exposed(secrets, "\n".join(after), [("", was)])):
            was = _PRIVATE
        if change.kind in ("removed", "changed"):
            gone[int(change.path[-1])] = was
        if change.kind in ("added", "changed"):
            path = contents[int(change.target[-1])].path
            where = [each for each in places if (each.path, each.words) == (path, change.after)]
            marks.append((f"was: {was[:_MOST]}" if was else "new", where))
            unmarked += [] if where else [change.after]
    if gone:
        parts.append(_part(_list_of([gone[at] for at in sorted(gone)], new), _GONE))
    about = merge_pdf.About(parts[0].title, parts[0].title, new.profile.locale, request.epoch)
    return _underlined(merge_pdf.merge(parts, about).content, marks), unmarked


def _part(task: Task, title: str) -> Part:
    """Make a document; raises DocumentError."""
    outcome = pipeline.build(task)
    if outcome.path is None:
        raise DocumentError(outcome.diagnostics)
    content = safe_files.read(outcome.path, MAX_BYTES, links=False)
    return Part(title, content, outcome.path.name, is_own=True)


def _list_of(texts: Iterable[str], task: Task) -> Task:
    """Return a document in the same style that shows these texts; raises CvbuildError."""
    request = task.request._replace(force=True)
    data: Any = task.source.data
    style, options = task.style, data.get("options", {})
    if task.variant:
        options = {**options, **data["variants"][task.variant].get("options", {})}
    if request.library.require(style).manifest.tex.density:
        style, options = _LONG, {}
    section = {"kind": "text", "title": {"en": _GONE}, "items": [*map(escaped, texts)]}
    kept = {"name": data["name"], "locale": task.profile.locale, "options": options}
    text = json.dumps({**kept, "template": style, "sections": [section]}, ensure_ascii=False)
    checked = profiles.check(task.person._replace(text=text), request.library)
    return profiles.task(checked, style, request)


def _underlined(pdf: bytes, marks: Sequence[tuple[str, list[TextPlace]]]) -> bytes:
    """Return a merged PDF with an annotation on each page for each mark of its first part."""
    with pikepdf.open(io.BytesIO(pdf)) as document:
        tree: Any = document.Root.StructTreeRoot
        owners, part = pikepdf.NumberTree(tree.ParentTree), tree.K.K[0]
        number = max(owners.keys()) + 1
        for words, places in marks:
            for page, lines in groupby(places, lambda mark: mark.page):
                sheet: Any = document.pages[page].obj
                x, _, _, y = (float(side) for side in sheet.get("/CropBox", sheet.MediaBox))
                # From its top left to its lower left corner.
                boxes = [
                    (x + left, y - top, x + right, y - bottom - _BELOW)
                    for left, top, right, bottom in (mark.box for mark in lines)
                ]
                # What is drawn is a line below each; the annotation says what was there.
                lefts, tops, rights, lows = zip(*boxes, strict=True)
                area = Array([min(lefts), min(lows) - _WIDTH, max(rights), max(tops)])
                drawn = "".join(f"{a:.2f} {d:.2f} m {c:.2f} {d:.2f} l S\n" for a, _, c, d in boxes)
                look = document.make_stream(f"{_COLOUR} RG {_WIDTH} w\n{drawn}".encode())
                look.Type, look.Subtype, look.BBox = Name.XObject, Name.Form, area
                note = Dictionary(Type=Name.Annot, Subtype=Name.Underline, F=4, P=sheet)
                corners = (n for a, b, c, d in boxes for n in (a, b, c, b, a, d, c, d))
                note.Rect, note.QuadPoints, note.AP = area, Array(corners), Dictionary(N=look)
                note.C, note.Contents = Array(map(float, _COLOUR.split())), String(words)
                note.StructParent, note = number, document.make_indirect(note)
                # Who hears the document is told of it by its tag.
                link = Dictionary(Type=Name.OBJR, Obj=note, Pg=sheet)
                element = Dictionary(Type=Name.StructElem, S=Name.Annot, P=part, K=link, Pg=sheet)
                owners[number] = element = document.make_indirect(element)
                part.K.append(element)
                sheet.Annots = Array([*sheet.get("/Annots", ()), note])
                sheet.Tabs, number = Name.S, number + 1
        tree.ParentTreeNextKey = number
        content, mode = io.BytesIO(), pikepdf.ObjectStreamMode.generate
        document.save(content, deterministic_id=True, object_stream_mode=mode)
    return content.getvalue()
