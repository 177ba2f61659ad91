"""LaTeX sources of CVs: classes by their tables, others by what their commands look like.

Inside: ``source`` joins files and applies the person's own short commands, as texts; ``nodes``
parses, and makes texts of nodes; ``tables`` and ``arguments`` say what commands mean, and
``reader`` reads them into blocks. Nothing is run.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from pathlib import PurePosixPath

from cvbuild.common.diagnostics import CvbuildError, Diagnostic, Span
from cvbuild.importers.types import Given, Imported
from cvbuild.model.text import texts

_IS_LATEX = re.compile(
    rb"^[ \t]*\\(?:(?:documentclass|documentstyle|cvsection|section|cventry)\b"
    rb"|begin\s*\{(?:document|cventries)\})",
    re.MULTILINE,
)
#: How many sources of a folder are looked at.
_MOST = 100


class Format:
    """CVs of Awesome-CV, moderncv and plain LaTeX."""

    def recognises(self, given: Given) -> bool:
        """Return whether a file begins a document or a section in LaTeX."""
        if given.has_parts:
            return _main(given) is not None
        head = given.head.replace(b"\r", b"\n")
        files = head if b"\\" not in head else head + b"\n" + _inputs(given, PurePosixPath())
        return bool(_IS_LATEX.search(files))

    def read(self, given: Given) -> Imported:
        """Read a source, with the files that it inputs."""
        from cvbuild.importers.documents import rough, sections
        from cvbuild.importers.documents.latex import nodes, source, tables
        from cvbuild.importers.documents.latex.reader import Reader
        from cvbuild.importers.draft import Draft

        given, folder = _main(given) or (given, PurePosixPath())
        text = texts.decoded(given.data)
        more = "" if "\\documentclass" in text else texts.decoded(_inputs(given, folder))
        table = tables.of_source(source.without_comments(f"{text}\n{more}"))
        draft = Draft(given.name)
        joined = source.Source(draft, given, folder, table)
        parsed = nodes.parse(joined)
        reader = Reader(draft, joined, table)
        before, inner = nodes.document(parsed)
        reader.preamble(before)
        reader.read(inner)
        sections.fill(draft, reader.sections())
        rough.lose(draft, reader.shown(inner))
        if not draft.data:
            hint = "name the file that has \\documentclass or \\section"
            if above := re.search(r"\\input\s*\{((?:\.\./)+)", text):
                root = PurePosixPath(given.name).parent / above[1]
                hint = f"it needs files above its folder: cvbuild import {root}"
            place = Span(given.name, 1, 1, 1, 2)
            raise CvbuildError.because("latex", "there is no CV in it", hint, place)
        found = draft.done()
        if reader.unknown and not table.is_of_class:
            # The PDF is read better.
            listed = ", ".join("\\" + name for name in reader.unknown[:3])
            fact = f"this file's own commands aren't known: {listed}"
            pdf = PurePosixPath(given.name).with_suffix(".pdf")
            hint = f"import its PDF instead: cvbuild import {pdf}"
            told = Diagnostic("warning", "own-commands", fact, Span(given.name), hint)
            found = replace(found, warnings=(told, *found.warnings))
        # Without a section, what its commands mean wasn't understood.
        return found if "sections" in found.data else replace(found, draft=True)


def _inputs(given: Given, folder: PurePosixPath) -> bytes:
    """Return the files that are input first thing: one of them may have \\documentclass."""
    names = re.findall(rb"^[ \t]*\\input\s*\{([^{}\n]{1,100})\}", given.head, re.MULTILINE)[:5]
    stems = [name.decode(errors="replace").strip().removesuffix(".tex") for name in names]
    paths = [posixpath.normpath(folder / f"{stem}.tex") for stem in stems]
    return b"\n".join(given.files.read(path) or b"" for path in paths)


def _main(given: Given) -> tuple[Given, PurePosixPath] | None:
    """Return the file that begins a document, the uppermost of a folder, and where it is there."""
    if not given.has_parts:
        return given, PurePosixPath()
    found: list[tuple[bool, int, int, str, bytes]] = []
    for name in [one for one in given.files.names if one.endswith(".tex")][:_MOST]:
        data = given.files.read(name) or b""
        # The class may be in a file that is input.
        has_class = bool(re.search(rb"\\document(?:class|style)", data))
        if b"{document}" in data and (has_class or b"\\input" in data):
            is_named = bool(re.search(r"(?i)(?:^|[^a-z])(?:cv|resume|main|lebenslauf)", name))
            found.append((not has_class, name.count("/"), -is_named, name, data))
    if not found:
        return None
    *_, name, data = min(found)
    return Given(f"{given.name}/{name}", data, given.files), PurePosixPath(name).parent
