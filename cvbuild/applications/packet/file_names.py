"""File names that employers like: ``Gyeong-In-Yu_CV_Research-Scientist.pdf``.

A pattern is text with fields in braces. It isn't Python's format: a field is a word of ``FIELDS``
and nothing else. The result has only ASCII letters, digits, ``.``, ``_`` and ``-``, and is a valid
name in every folder, on every system.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from cvbuild.common.diagnostics import Span, quoted, suggest
from cvbuild.common.errors import CvbuildError
from cvbuild.common.safe_files import is_reserved
from cvbuild.model import language_tags, locales

#: The fields that a pattern may name.
FIELDS = (
    "name", "given", "family", "kind", "position", "employer", "date", "slug", "template",
    "variant",
)  # fmt: skip
DEFAULT = "{name}_{kind}_{position}"
#: The values of ``kind`` in English, and where a language has another script.
_ENGLISH = {"cv": "CV", "letter": "Cover-Letter", "application": "Application"}
#: The most characters of a name, including the extension.
LONGEST = 80
#: The most characters of a field.
_MOST = 40
_PIECE = re.compile(r"\{([^{}]*)\}|([^{}]+)|([{}])")


def kind(document: str, locale: str) -> str:
    """Return the value of ``kind`` for a ``cv``, a ``letter`` or an ``application`` with both.

    It is a word of the document's language, if that is in Latin script, else of English.
    """
    is_latin = language_tags.script(locale) == "Latn" and locales.language_of(locale) is not None
    is_english = language_tags.canonical(locale).partition("-")[0] == "en"
    if not is_latin or is_english:
        return _ENGLISH[document]
    return locales.table(locale).words[f"{document}-title"]


class Piece(Struct, frozen=True):
    """A piece of a pattern: text as it is, or the name of a field."""

    text: str
    is_field: bool


def parse(pattern: str, span: Span | None = None) -> tuple[Piece, ...]:
    """Return the pieces of a pattern; raises CvbuildError for one that can't name files."""
    pieces = []
    for field, text, brace in _PIECE.findall(pattern):
        if brace:
            what = f"{quoted(pattern)} has an unmatched brace"
            raise _error(what, "write fields as {name}, and no other braces", span)
        if text:
            pieces.append(Piece(text, False))
        elif field in FIELDS:
            pieces.append(Piece(field, True))
        else:
            known = suggest(field, FIELDS, "fields")
            raise _error(f"unknown field {quoted(field)} in {quoted(pattern)}", known, span)
    if not any(piece.is_field for piece in pieces):
        what = f"{quoted(pattern)} has no field, so all files would have one name"
        raise _error(what, f"add fields, such as {DEFAULT}", span)
    if any(re.search(r"[/\\]|\.\.|^~", piece.text) for piece in pieces):
        what = f"{quoted(pattern)} leads out of the folder"
        raise _error(what, "remove / \\ .. and ~", span)
    return tuple(pieces)


def file_name(
    pattern: str, fields: Mapping[str, str], extension: str = ".pdf", span: Span | None = None
) -> str:
    """Return the name of a file; ``extension`` is ours, with its full stop.

    A field that is absent or empty leaves no separator; of a long one the last words are left out.
    Raises CvbuildError for a pattern that can't name files.
    """
    texts = [
        _short(_word(fields.get(piece.text, ""))) if piece.is_field else _literal(piece.text)
        for piece in parse(_without(pattern, extension), span)
    ]
    stem = _tidy(_tidy("".join(texts))[: LONGEST - len(extension)])
    stem = stem or _tidy(_word(fields.get("kind", ""))) or "Document"
    if is_reserved(stem):
        stem = f"Document-{stem}"
    return stem + extension


def distinct(names: Iterable[str], span: Span | None, hint: str) -> None:
    """Raise CvbuildError if two of the names are the same file on some system."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if seen[name.lower()] is not name:
            both = quoted(name) if other == name else f"{quoted(other)} and {quoted(name)}"
            what = f"two documents would have the same file name: {both}"
            raise _error(what, hint, span)


def file_names(
    pattern: str,
    documents: Sequence[Mapping[str, str]],
    extension: str = ".pdf",
    span: Span | None = None,
) -> tuple[str, ...]:
    """Return a name for each document; raises CvbuildError where two are the same."""
    names = tuple(file_name(pattern, fields, extension, span) for fields in documents)
    hint = "put {kind} into the pattern"
    if "{kind}" in pattern:
        hint = "give each attachment a title of its own, or shorten the pattern"
    distinct(names, span, hint)
    return names


def _error(message: str, hint: str, span: Span | None) -> CvbuildError:
    return CvbuildError.because("file-name", message, hint, span)


def _without(pattern: str, extension: str) -> str:
    """Return the pattern without the extension, if it has it."""
    ends = extension and pattern.lower().endswith(extension.lower())
    return pattern[: -len(extension)] if ends else pattern


def _ascii(text: str) -> str:
    from anyascii import anyascii

    # Without it, marks that are separate from their letter would be lost.
    return anyascii(text).replace("'", "").replace("`", "")


def _word(value: str) -> str:
    """Return a field's value: words joined by hyphens, full stops only inside words."""
    text = re.sub(r"\.(?![A-Za-z0-9])|(?<![A-Za-z0-9])\.", " ", _ascii(value))
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")


def _literal(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", _ascii(text))


def _tidy(stem: str) -> str:
    """Remove repeated, leading and trailing separators; of several the strongest stays."""
    stem = re.sub(r"[._-]{2,}", lambda found: "_" if "_" in found[0] else "-", stem)
    return stem.strip("._-")


def _short(word: str) -> str:
    """Return the first words of a value that is long, or the beginning of a single word."""
    return word if len(word) <= _MOST else word[: _MOST + 1].rpartition("-")[0] or word[:_MOST]
