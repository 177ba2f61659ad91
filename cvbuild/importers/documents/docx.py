"""CVs in Word's format: headings, paragraphs, lists and tables, text boxes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers import parsers
from cvbuild.importers.documents.docx_text import Reader, Styles
from cvbuild.importers.draft import Draft
from cvbuild.importers.parsers import Element
from cvbuild.importers.types import Given, Imported, Photo
from cvbuild.importers.words import headings
from cvbuild.importers.words.outline import Block

_DOCUMENT = "word/document.xml"
_MEDIA = re.compile(r"media/[\w.-]+\.(?:png|jpe?g)", re.IGNORECASE)
#: Widest picture of a person, in Word's units of 1/360,000 cm: others are banners.
_WIDEST = 8 * 360_000
#: Height of a picture of a person, in its widths.
_LEAST, _MOST = 0.9, 2.0
#: How the note on a picture begins.
_LOST = "image: "
#: Bytes of all parts that are read, unpacked: a CV has a tenth of a megabyte.
_LARGEST = 4 << 20
_MARGINS = re.compile(r"word/(?:header|footer)\d*\.xml")
_EMBEDDED = re.compile(r"word/(?:embeddings|activeX|charts|diagrams/data)[^/]*/?[^/]*")
_CONTACT = re.compile(r"@|https?:|www\.|\+?\d[\d ()-]{7,}")
_PARTS = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|word/(?:document|styles|numbering|footnotes|endnotes"
    r"|header\d*|footer\d*)\.xml|word/_rels/[\w.]+\.rels"
)


class Format:
    """A CV of Word or LibreOffice; what its texts mean is guessed."""

    name = "docx"
    title = "Word"

    def recognises(self, given: Given) -> bool:
        """Return whether an archive is a text of Word."""
        is_archive = given.has_parts and not given.is_folder
        return is_archive and _DOCUMENT in given.files.names()

    def read(self, given: Given) -> Imported:
        """Read the paragraphs; headers and footers first, which often have the address."""
        from cvbuild.importers.documents import rough

        draft = Draft(given.name, is_rough=True)
        trees = _trees(given, draft)
        blocks = _blocks(given, trees, draft)
        if not any(one.kind != "lost" for one in blocks):
            raise _error(given, "there is no text in it", "is the text a picture?")
        rough.fill(draft, blocks)
        found = draft.done()
        data = _portrait(given, trees)
        note = next((one.note for one in found.lost if one.note.message.startswith(_LOST)), None)
        return replace(found, photo=Photo(data, note)) if data and note else found


def _error(given: Given, message: str, hint: str) -> CvbuildError:
    return CvbuildError.because("docx", message, hint, Span(given.name))


def _trees(given: Given, draft: Draft) -> dict[str, Element]:
    """Return the parts that have texts; raise CvbuildError for what no CV has."""
    found: dict[str, Element] = {}
    size = 0
    for name in given.files.names():
        if not _PARTS.fullmatch(name):
            continue
        data = given.files.read(name) or b""
        size += len(data)
        if size > _LARGEST:
            message = f"more than {_LARGEST >> 20} MiB of text"
            raise _error(given, message, "is it a CV? Save it anew, or copy its text to a new file")
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            message = f"{name} has a document type or another encoding, which Word doesn't write"
            raise _error(given, message, "save it with Word or LibreOffice as .docx")
        try:
            found[name] = parsers.parse_xml(data, name)
        except CvbuildError as error:
            # Only the text itself has to be whole.
            if name != _DOCUMENT:
                draft.lose("part that can't be read", name, Span(given.name))
                continue
            fact, hint = f"{name} is damaged", "open it in Word or LibreOffice and save it"
            if error.diagnostics[0].code == "xml-limit":
                fact = "too many tables or fields inside each other"
                hint = "copy the text to a new document"
            raise _error(given, fact, hint) from None
    return found


def _blocks(given: Given, trees: Mapping[str, Element], draft: Draft) -> list[Block]:
    """Return the blocks of the headers and footers that say something, then those of the text."""
    styles, place = Styles(trees.get("word/styles.xml")), Span(given.name)

    def read(name: str) -> list[Block]:
        if name not in trees:
            return []
        links = {
            key: one.attributes.get("Target", "")
            for key, one in _relations(trees, name).items()
            if one.attributes.get("TargetMode") == "External"
        }
        reader = Reader(styles, links, lambda what, text: draft.lose(what, text, place))
        return reader.read(trees[name])

    body = read(_DOCUMENT)
    for note in (*read("word/footnotes.xml"), *read("word/endnotes.xml")):
        draft.lose("footnote", note.plain, place)
    whole = " ".join(one.plain for one in body)
    before: list[Block] = []
    known: set[str] = set()
    for name in sorted(one for one in trees if _MARGINS.fullmatch(one)):
        blocks = read(name)
        text = " ".join(one.plain for one in blocks)
        is_new = any(one.plain not in whole for one in blocks) and text not in known
        known.add(text)
        if is_new and (_CONTACT.search(text) or "header" in name):
            before += blocks
        elif is_new and re.search(r"[^\W\d_]{3}", re.sub(r"(?i)page|seite|of|von", "", text)):
            draft.lose("footer", text, place)
    for name in given.files.names():
        if _EMBEDDED.fullmatch(name):
            draft.lose("embedded object", name, place)
    return [*before, *body]


def _relations(trees: Mapping[str, Element], name: str) -> dict[str, Element]:
    """Return what a part refers to, by its id."""
    root = trees.get(f"word/_rels/{name.rpartition('/')[2]}.rels")
    return {one.attributes.get("Id", ""): one for one in (root.all("Relationship") if root else [])}


def _portrait(given: Given, trees: Mapping[str, Element]) -> bytes | None:
    """Return the picture of a person: the first one, upright, before the first section; or None."""
    for drawing in trees[_DOCUMENT].walk():
        if drawing.name == "p" and headings.exact_kind_of(_text(drawing)):
            return None
        inner = {one.name: one for one in drawing.walk()} if drawing.name == "drawing" else {}
        if "pic" in inner:
            break
    else:
        return None
    extent, picture = inner.get("extent"), inner.get("blip")
    if extent is None or picture is None:
        return None
    size = [extent.attributes.get(key, "") for key in ("cx", "cy")]
    width, height = (int(one) if re.fullmatch("[0-9]{1,9}", one) else 0 for one in size)
    is_upright = 0 < width <= _WIDEST and _LEAST * width <= height <= _MOST * width
    linked = _relations(trees, _DOCUMENT).get(picture.attributes.get("embed", ""))
    target = linked.attributes.get("Target", "") if linked else ""
    try:
        is_whole = is_upright and _MEDIA.fullmatch(target)
        return given.files.read(f"word/{target}") if is_whole else None
    except CvbuildError:
        return None


def _text(paragraph: Element) -> str:
    parts = (part for one in paragraph.walk() if one.name == "t" for part in one.parts)
    return " ".join("".join(part for part in parts if isinstance(part, str)).split())
