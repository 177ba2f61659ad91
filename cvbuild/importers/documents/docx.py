"""CVs in Word's format: headings, paragraphs, lists and tables, as mammoth reads them."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.common.plugins import missing
from cvbuild.importers.draft import Draft
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.words.markdown_blocks import html_blocks

_DOCUMENT = "word/document.xml"
#: Bytes of all parts that are read, unpacked: a CV has a tenth of a megabyte.
_LARGEST = 4 << 20
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Name'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='List Bullet 2'] => ul|ol > li > ul > li:fresh
p[style-name='List Bullet 3'] => ul|ol > li > ul > li > ul > li:fresh
r[style-name='Strong'] => strong
r[style-name='Intense Emphasis'] => em
r[style-name='Emphasis'] => em
"""
_MARGINS = re.compile(r"word/(?:header|footer)\d*\.xml")
_EMBEDDED = re.compile(r"word/(?:embeddings|activeX|charts|diagrams/data)[^/]*/?[^/]*")
_MARGIN_ROOT = re.compile(rb"(<)w:(?:hdr|ftr)\b([^>]*>)")
_NO_RELS = b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>'
_NOTE_MARK = re.compile(r'<sup><a href="#(?:foot|end)note-[^"]*"[^<>]*>\[\d+\]</a></sup>')
_NOTES = re.compile(r'<ol><li id="(?:foot|end)note-.*\Z', re.DOTALL)
_CONTACT = re.compile(r"@|https?:|www\.|\+?\d[\d ()-]{7,}")
_PARTS = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|word/(?:document|styles|numbering|footnotes|endnotes|comments"
    r"|header\d*|footer\d*)\.xml|word/_rels/[\w.]+\.rels"
)


class Format:
    """A CV of Word or LibreOffice; what its texts mean is guessed."""

    name = "docx"
    title = "Word"

    def recognises(self, given: Given) -> bool:
        """Return whether an archive is a text of Word."""
        if given.is_folder or not given.data.startswith(b"PK\x03\x04"):
            return False
        try:
            return _DOCUMENT in given.files.names()
        except CvbuildError:
            return False

    def read(self, given: Given) -> Imported:
        """Read the paragraphs; headers and footers first, which often have the address."""
        from cvbuild.importers.documents import rough

        draft = Draft(given.name, is_rough=True)
        parts = _parts(given)
        blocks = html_blocks(_html(given, parts, draft))
        if not any(one.kind != "lost" for one in blocks):
            raise _error(given, "there is no text in it", "is the text a picture?")
        rough.fill(draft, blocks)
        return draft.done()


def _error(given: Given, message: str, hint: str) -> CvbuildError:
    return CvbuildError([Diagnostic("error", "docx", message, Span(given.name), hint)])


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


def _html(given: Given, parts: dict[str, bytes], draft: Draft) -> str:
    """Return the HTML of the headers and footers that say something, then that of the text."""
    body = _converted(given, parts, _DOCUMENT, draft)
    body = _NOTE_MARK.sub("", body)
    if notes := _NOTES.search(body):
        for note in html_blocks(notes[0]):
            draft.lose("footnote", note.plain.rstrip(" ↑"), Span(given.name))
        body = body[: notes.start()]
    whole = " ".join(one.plain for one in html_blocks(body))
    found: list[str] = []
    for name in sorted(one for one in parts if _MARGINS.fullmatch(one)):
        html = _converted(given, parts, name, draft)
        words = [one.plain for one in html_blocks(html) if one.kind != "lost"]
        text = " ".join(words)
        is_new = any(one not in whole for one in words) and html not in found
        if is_new and (_CONTACT.search(text) or "header" in name):
            found.append(html)
        elif is_new and re.search(r"[^\W\d_]{3}", re.sub(r"(?i)page|seite|of|von", "", text)):
            draft.lose("footer", text, Span(given.name))
    for name in given.files.names():
        if _EMBEDDED.fullmatch(name):
            draft.lose("embedded object", name, Span(given.name))
    return "".join([*found, body])


def _converted(given: Given, parts: dict[str, bytes], name: str, draft: Draft) -> str:
    """Return the HTML of a part of the document, without any image."""
    mammoth = _mammoth()
    content = parts.get(name, b"")
    rels = f"word/_rels/{name.rpartition('/')[2]}.rels"
    used = {key: data for key, data in parts.items() if not _MARGINS.search(key)}
    if name != _DOCUMENT:
        content = _MARGIN_ROOT.sub(rb"\1w:document\2<w:body>", content, count=1)
        content = re.sub(rb"</w:(?:hdr|ftr)\s*>\s*$", b"</w:body></w:document>", content)
        used[f"word/_rels/{_DOCUMENT.rpartition('/')[2]}.rels"] = parts.get(rels, _NO_RELS)
    used[_DOCUMENT] = content
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for key, data in used.items():
            archive.writestr(key, data)

    def image(one: Any) -> list[Any]:
        draft.lose(
            "image", one.alt_text or one.content_type or "without a description", Span(given.name)
        )
        return []

    try:
        result = mammoth.convert_to_html(
            packed, style_map=_STYLES, convert_image=image, include_embedded_style_map=False
        )
    except RecursionError:
        message = "too many tables or fields inside each other"
        raise _error(given, message, "copy the text to a new document") from None
    except Exception:  # noqa: BLE001
        # mammoth has no error of its own: what is damaged fails in it in many ways.
        if name != _DOCUMENT:
            draft.lose("header or footer that can't be read", name, Span(given.name))
            return ""
        raise _error(
            given, f"{name} is damaged", "open it in Word or LibreOffice and save it"
        ) from None
    html: str = result.value
    return html


def _mammoth() -> Any:
    try:
        import mammoth
    except ImportError as error:
        raise missing("importing Word", "formats", error) from None
    return mammoth
