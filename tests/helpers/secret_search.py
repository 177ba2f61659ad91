"""Whether a text is anywhere in a file, in any of the ways in which a PDF may hold it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pikepdf

from cvbuild.outputs.pdf.verify import pdf_facts


def forms(text: str) -> set[bytes]:
    """The bytes of a text: UTF-8, UTF-16, hexadecimal, as octal escapes; with and without gaps."""
    found: set[bytes] = set()
    for one in (text, re.sub(r"\s", "", text), text.casefold()):
        for code in ("utf-8", "utf-16-be", "utf-16-le"):
            plain = one.encode(code)
            octal = "".join(f"\\{byte:03o}" for byte in plain).encode()
            # As TeX's engines write UTF-16 in a PDF: \000 before a letter that is itself.
            mixed = b"".join(
                bytes((byte,)) if 0x20 < byte < 0x7F else b"\\%03o" % byte for byte in plain
            )
            found |= {plain, plain.hex().encode(), plain.hex().upper().encode(), octal, mixed}
    return found


def in_bytes(data: bytes, texts: dict[str, tuple[str, ...]]) -> set[str]:
    return {
        name
        for name, ways in texts.items()
        if any(form in data for way in ways for form in forms(way))
    }


def in_pdf(path: Path, texts: dict[str, tuple[str, ...]]) -> set[str]:
    """The same for all that a PDF holds; it must hold something of each kind that is looked at."""
    return in_bytes(b"\n".join(pieces(path)), texts)


def pieces(path: Path) -> Iterator[bytes]:
    """The file, every stream unpacked, every string and name, and the text of its pages."""
    yield path.read_bytes()
    facts = pdf_facts.read(path)
    page = "\n".join(one.text for one in facts.pages)
    assert len(page) > 100
    yield page.encode()
    yield re.sub(r"\s|[\x02\ufffe]", "", page).encode()
    streams = strings = 0
    with pikepdf.open(path) as document:
        for one in document.objects:
            if isinstance(one, pikepdf.Stream):
                streams += 1
                yield unpacked(one)
            for text in leaves(one):
                strings += 1
                yield text
        yield from leaves(document.trailer)
        if "/Metadata" in document.Root:
            assert b"<x:xmpmeta" in unpacked(document.Root.Metadata)
        assert [spec.filename for spec in document.attachments.values()] == ["resume.json"]
        if "/StructTreeRoot" in document.Root:
            dictionaries = [one for one in document.objects if isinstance(one, pikepdf.Dictionary)]
            assert sum(one.get("/Type") == "/StructElem" for one in dictionaries) > 20
    assert streams > 5
    assert strings > 50


def unpacked(stream: pikepdf.Object) -> bytes:
    try:
        return stream.read_bytes()
    except pikepdf.PdfError:
        return stream.read_raw_bytes()


def leaves(value: object) -> Iterator[bytes]:
    if isinstance(value, pikepdf.String):
        yield bytes(value)
        yield str(value).encode("utf-8", "replace")
    elif isinstance(value, pikepdf.Name):
        yield str(value).encode()
    elif isinstance(value, pikepdf.Array):
        for inner in value:
            if not (isinstance(inner, pikepdf.Object) and inner.is_indirect):
                yield from leaves(inner)
    elif isinstance(value, pikepdf.Dictionary | pikepdf.Stream):
        for key in value.keys():  # noqa: SIM118 - a stream can't be iterated
            yield key.encode()
            inner = value[key]
            if not (isinstance(inner, pikepdf.Object) and inner.is_indirect):
                yield from leaves(inner)
