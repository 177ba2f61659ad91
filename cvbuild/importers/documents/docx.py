"""CVs in Word's format: headings, paragraphs, lists and tables, text boxes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
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

_DOCUMENT, _RELATIONS = "word/document.xml", "word/_rels/document.xml.rels"
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
        parts = _parts(given)
        blocks = _blocks(given, parts, draft)
        if not any(one.kind != "lost" for one in blocks):
            raise _error(given, "there is no text in it", "is the text a picture?")
        rough.fill(draft, blocks)
        found = draft.done()
        data = _portrait(given, parts, blocks)
        note = next((one.note for one in found.lost if one.note.message.startswith(_LOST)), None)
        return replace(found, photo=Photo(data, note)) if data and note else found


def _error(given: Given, message: str, hint: str) -> CvbuildError:
    return CvbuildError.because("docx", message, hint, Span(given.name))


def _parts(given: Given) -> dict[str, bytes]:
    """Return the parts that have texts; raise CvbuildError for what no CV has."""
    found: dict[str, bytes] = {}
    for name in given.files.names():
        if not _PARTS.fullmatch(name):
            continue
        data = given.files.read(name) or b""
        found[name] = data
        if sum(map(len, found.values())) > _LARGEST:
            message = f"more than {_LARGEST >> 20} MiB of text"
            raise _error(given, message, "is it a CV? Save it anew, or copy its text to a new file")
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            message = f"{name} has a document type or another encoding, which Word doesn't write"
            raise _error(given, message, "save it with Word or LibreOffice as .docx")
    return found


def _blocks(given: Given, parts: dict[str, bytes], draft: Draft) -> list[Block]:
    """Return the blocks of the headers and footers that say something, then those of the text."""
    styles = Styles(_tree(given, parts, "word/styles.xml", draft))
    body = _read(given, parts, _DOCUMENT, draft, styles)
    for name in ("word/footnotes.xml", "word/endnotes.xml"):
        for note in _read(given, parts, name, draft, styles):
            draft.lose("footnote", note.plain, Span(given.name))
    whole = " ".join(one.plain for one in body)
    before: list[Block] = []
    known: set[str] = set()
    for name in sorted(one for one in parts if _MARGINS.fullmatch(one)):
        blocks = _read(given, parts, name, draft, styles)
        text = " ".join(one.plain for one in blocks)
        is_new = any(one.plain not in whole for one in blocks) and text not in known
        known.add(text)
        if is_new and (_CONTACT.search(text) or "header" in name):
            before += blocks
        elif is_new and re.search(r"[^\W\d_]{3}", re.sub(r"(?i)page|seite|of|von", "", text)):
            draft.lose("footer", text, Span(given.name))
    for name in given.files.names():
        if _EMBEDDED.fullmatch(name):
            draft.lose("embedded object", name, Span(given.name))
    return [*before, *body]


def _read(
    given: Given, parts: dict[str, bytes], name: str, draft: Draft, styles: Styles
) -> list[Block]:
    """Return the blocks of a part, none if there is no such part."""
    root = _tree(given, parts, name, draft)
    if root is None:
        return []
    linked = _tree(given, parts, f"word/_rels/{name.rpartition('/')[2]}.rels", draft)
    relations = linked.all("Relationship") if linked else []
    links = {
        one.attributes.get("Id", ""): one.attributes.get("Target", "")
        for one in relations
        if one.attributes.get("TargetMode") == "External"
    }
    return Reader(styles, links, lambda what, text: draft.lose(what, text, Span(given.name))).read(
        root
    )


def _tree(given: Given, parts: dict[str, bytes], name: str, draft: Draft) -> Element | None:
    """Return the XML of a part; only the text itself has to be whole."""
    if name not in parts:
        return None
    try:
        return parsers.parse_xml(parts[name], name)
    except CvbuildError as error:
        if name != _DOCUMENT:
            draft.lose("part that can't be read", name, Span(given.name))
            return None
        if error.diagnostics[0].code == "xml-limit":
            message = "too many tables or fields inside each other"
            raise _error(given, message, "copy the text to a new document") from None
        raise _error(
            given, f"{name} is damaged", "open it in Word or LibreOffice and save it"
        ) from None


def _portrait(given: Given, parts: Mapping[str, bytes], blocks: Iterable[Block]) -> bytes | None:
    """Return the picture of a person: the first one, upright, before the first section; or None."""
    try:
        root = parsers.parse_xml(parts[_DOCUMENT], _DOCUMENT)
        relations = parsers.parse_xml(parts.get(_RELATIONS, b"<none/>"), _RELATIONS)
    except CvbuildError:
        return None
    drawing, before = _first(root)
    sections = {one.plain for one in blocks if headings.exact_kind_of(one.plain)}
    if drawing is None or sections & before or not _is_upright(drawing):
        return None
    key = next((one.attributes.get("embed") for one in drawing.walk() if one.name == "blip"), None)
    for one in relations.all("Relationship"):
        target = one.attributes.get("Target", "")
        if key and one.attributes.get("Id") == key and _MEDIA.fullmatch(target):
            return _media(given, f"word/{target}")
    return None


def _first(root: Element) -> tuple[Element | None, set[str]]:
    """Return the first drawing with a picture, and the lines before it."""
    before: set[str] = set()
    for one in root.walk():
        if one.name == "p":
            before.add(" ".join("".join(_texts(one)).split()))
        if one.name == "drawing" and any(inner.name == "pic" for inner in one.walk()):
            return one, before
    return None, before


def _texts(paragraph: Element) -> Iterator[str]:
    for one in paragraph.walk():
        if one.name == "t":
            yield from (part for part in one.parts if isinstance(part, str))


def _is_upright(drawing: Element) -> bool:
    extent = next((one for one in drawing.walk() if one.name == "extent"), None)
    try:
        width, height = (int(extent.attributes[key]) for key in ("cx", "cy")) if extent else (0, 0)
    except (KeyError, ValueError):
        return False
    return 0 < width <= _WIDEST and _LEAST * width <= height <= _MOST * width


def _media(given: Given, name: str) -> bytes | None:
    try:
        return given.files.read(name)
    except CvbuildError:
        return None
