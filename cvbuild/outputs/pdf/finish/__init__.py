"""Turn what TeX wrote into the finished PDF: tagged, with metadata, links and attachment.

TeX writes marks and no more (``marks``). Here the marks become a structure tree, the file says what
it is and what it is about, and it is written once. The same input gives the same bytes.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import re
from html import escape
from pathlib import Path
from uuid import UUID

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from cvbuild.common.diagnostics import DocumentError, reading_errors
from cvbuild.outputs.pdf import ATTACHMENT, About, pdf_date
from cvbuild.outputs.pdf.finish.marks import Marks, Tree, UnbalancedError
from cvbuild.view.types import Content

#: The metadata around what is known of a document. PDF/A knows nothing of PDF/UA, so it explains
#: the one property that says the file is both.
_PACKET = Path(__file__).with_name("packet.xml")
#: A profile of version 4.2, made by littleCMS, with a fixed date and without an id.
_PROFILE = Path(__file__).with_name("srgb.icc")
#: What ``directions`` puts in order: a page that is mirrored, the mark of a run.
_MIRRORED, _RUN = "/CvbMirrored", re.compile(rb"/Cvb[RLE] MP")


def finish(pdf: bytes, about: About, epoch: int, ident: str) -> bytes:
    """Return TeX's PDF, finished."""
    # ``epoch`` is its date in seconds since 1970, ``ident`` 64 hexadecimal digits from which its
    # ids are made. Raises DocumentError if it can't be read, or if its marks don't nest.
    try:
        with pikepdf.open(io.BytesIO(pdf)) as document:
            _structure(document, about)
            _add_metadata(document, about, epoch, ident)
            # The colours are sRGB, as PDF/A wants it said.
            profile = pikepdf.Stream(document, _PROFILE.read_bytes())
            profile.N = 3
            intent = Dictionary(
                Type=Name.OutputIntent,
                S=Name.GTS_PDFA1,
                OutputConditionIdentifier=String("sRGB IEC61966-2.1"),
                Info=String("sRGB IEC61966-2.1"),
                DestOutputProfile=document.make_indirect(profile),
            )
            document.Root.OutputIntents = Array([document.make_indirect(intent)])
            for key in ("/OpenAction", "/Names", "/Outlines", "/PageMode", "/Dests"):
                if key in document.Root:
                    del document.Root[key]
            if about.attachment is not None:
                _attach(document, about.attachment, epoch)
            if "/ID" in document.trailer:
                del document.trailer["/ID"]
            result, mode = io.BytesIO(), pikepdf.ObjectStreamMode.generate
            document.save(
                result, force_version="1.7", object_stream_mode=mode, deterministic_id=True
            )
    except reading_errors() as error:
        hint = "the template's code changes the PDF in a way that cvbuild doesn't know"
        why = f": {error}" if isinstance(error, UnbalancedError) else ""
        fact = f"the PDF that TeX made can't be finished{why}"
        raise DocumentError.because("finish", fact, hint) from error
    return result.getvalue()


def _structure(document: pikepdf.Pdf, about: About) -> None:
    contents = []
    for page in document.pages:
        page.contents_coalesce()
        contents.append(page.Contents.read_bytes())
    mirrored = any(_MIRRORED in page.obj for page in document.pages)
    if mirrored or any(_RUN.search(content) for content in contents):
        from cvbuild.outputs.pdf.finish import directions  # few documents have such texts

        contents = directions.ordered(document, contents)
    marks, ids = Marks(), []
    for page, (marked, count) in zip(document.pages, marks.read(contents), strict=True):
        page.Contents = document.make_stream(marked)
        ids.append(count)
    Tree(document, about.shows).build(marks.pieces, ids)


# -- what it says about itself, and what is attached ---------------------------------


def _add_metadata(document: pikepdf.Pdf, about: About, epoch: int, ident: str) -> None:
    info = document.trailer.get("/Info")
    text = str(info.get("/Producer", "")) if isinstance(info, Dictionary) else ""
    # The engine's name, which it wrote; nothing that it says may break the metadata.
    producer = "".join(c for c in text if c.isprintable())[:100] or "TeX"
    known = {
        "/Title": _text(about.title),
        "/Author": _text(about.author),
        "/Subject": _text(about.subject),
        "/Keywords": ", ".join(map(_text, about.keywords)),
        "/Creator": "cvbuild",
        "/Producer": producer,
        **dict.fromkeys(("/CreationDate", "/ModDate"), pdf_date(epoch)),
    }
    entries = {key: String(text) for key, text in known.items() if text}
    document.trailer.Info = document.make_indirect(Dictionary(entries))
    # The same as XMP, where PDF/A and PDF/UA look for it.
    date = f"{dt.datetime.fromtimestamp(epoch, dt.UTC):%Y-%m-%dT%H:%M:%SZ}"
    title, subject, author, *words = (
        escape(_text(text)) for text in (about.title, about.subject, about.author, *about.keywords)
    )
    title, subject = (
        f'<rdf:Alt><rdf:li xml:lang="x-default">{text}</rdf:li></rdf:Alt>' if text else ""
        for text in (title, subject)
    )
    keywords = "".join(f"<rdf:li>{word}</rdf:li>" for word in words)
    properties = [
        f"<pdfaid:part>{3 if about.attachment else 2}</pdfaid:part>",
        "<pdfaid:conformance>B</pdfaid:conformance>",
        "<pdfuaid:part>1</pdfuaid:part>",
        "<dc:format>application/pdf</dc:format>",
        f"<dc:title>{title}</dc:title>",
        f"<dc:creator><rdf:Seq><rdf:li>{author}</rdf:li></rdf:Seq></dc:creator>",
        f"<dc:description>{subject}</dc:description>" if subject else "",
        f"<dc:subject><rdf:Bag>{keywords}</rdf:Bag></dc:subject>" if words else "",
        f"<dc:language><rdf:Bag><rdf:li>{escape(about.language)}</rdf:li></rdf:Bag></dc:language>",
        f"<pdf:Keywords>{', '.join(words)}</pdf:Keywords>" if words else "",
        f"<pdf:Producer>{escape(producer)}</pdf:Producer>",
        "<xmp:CreatorTool>cvbuild</xmp:CreatorTool>",
        *(f"<xmp:{name}Date>{date}</xmp:{name}Date>" for name in ("Create", "Modify", "Metadata")),
        f"<xmpMM:DocumentID>{UUID(ident[:32]).urn[4:]}</xmpMM:DocumentID>",
        f"<xmpMM:InstanceID>{UUID(ident[32:]).urn[4:]}</xmpMM:InstanceID>",
    ]
    packet = _PACKET.read_text(encoding="utf-8").rstrip("\n")
    whole = packet.format("\n".join(filter(None, properties)))
    xmp = pikepdf.Stream(document, whole.encode())
    xmp.Type, xmp.Subtype = Name.Metadata, Name.XML
    root = document.Root
    root.Metadata = document.make_indirect(xmp)
    root.Lang = String(about.language)
    root.ViewerPreferences = Dictionary(DisplayDocTitle=True)


def _attach(document: pikepdf.Pdf, content: bytes, epoch: int) -> None:
    """Attach ``content``, a JSON Resume of the date ``epoch``, as PDF/A-3 wants it."""
    file = pikepdf.Stream(document, content)
    file.Type, file.Subtype = Name.EmbeddedFile, Name("/application/json")
    checksum = hashlib.md5(content, usedforsecurity=False).digest()  # what PDF asks for
    file.Params = Dictionary(
        ModDate=String(pdf_date(epoch)), Size=len(content), CheckSum=String(checksum)
    )
    embedded = document.make_indirect(file)
    specification = document.make_indirect(
        Dictionary(
            Type=Name.Filespec,
            F=String(ATTACHMENT),
            UF=String(ATTACHMENT),
            Desc=String("The facts of this CV as JSON Resume"),
            AFRelationship=Name.Data,
            EF=Dictionary(F=embedded, UF=embedded),
        )
    )
    names = Dictionary(Names=Array([String(ATTACHMENT), specification]))
    document.Root.Names = Dictionary(EmbeddedFiles=document.make_indirect(names))
    document.Root.AF = Array([specification])


def _text(content: Content | None) -> str:
    """Return a text as one writes it who searches: no hyphens to break at, spaces as others."""
    return str(content).translate({0xAD: None, 0xA0: " ", 0x202F: " "}) if content else ""
