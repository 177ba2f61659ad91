"""LaTeX sources of CVs: classes by their tables, others by what their commands look like.

Inside: ``source`` joins files and applies the person's own short commands, as texts; ``tree``
parses, ``words`` makes texts of nodes, ``tables`` says what commands mean, ``head`` and ``reader``
read them into blocks. Nothing is run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.types import Files, Given, Imported
from cvbuild.inputs.references import texts

_IS_LATEX = re.compile(
    rb"^[ \t]*\\(?:(?:documentclass|documentstyle|cvsection|section|cventry)\b"
    rb"|begin\s*\{(?:document|cventries)\})",
    re.MULTILINE,
)
#: How many sources of a folder are looked at.
_MOST = 100
_LANGUAGES = {
    "ngerman": "de", "german": "de", "french": "fr", "francais": "fr", "spanish": "es",
    "italian": "it", "portuguese": "pt", "dutch": "nl", "british": "en-GB", "ukenglish": "en-GB",
    "english": "en", "polish": "pl", "swedish": "sv", "brazil": "pt-BR",
}  # fmt: skip


class Format:
    """CVs of Awesome-CV, moderncv and plain LaTeX."""

    name = "latex"
    title = "LaTeX"

    def recognises(self, given: Given) -> bool:
        """Return whether a file begins a document or a section in LaTeX."""
        if given.has_parts:
            return _main(given) is not None
        head = given.head.replace(b"\r", b"\n")
        if b"\\" not in head:
            return False
        return bool(_IS_LATEX.search(head) or _IS_LATEX.search(_inputs(given)))

    def read(self, given: Given) -> Imported:
        """Read a source, with the files that it inputs."""
        from cvbuild.importers.documents import rough, sections
        from cvbuild.importers.documents.latex import source, tables, tree
        from cvbuild.importers.documents.latex.reader import Reader
        from cvbuild.importers.draft import Draft

        if given.has_parts:
            given = _main(given) or given
        text = texts.decoded(given.data)
        more = "" if "\\documentclass" in text else texts.decoded(_inputs(given))
        table = tables.of_source(source.without_comments(f"{text}\n{more}"))
        joined = source.Source(given, table)
        draft = Draft(given.name)
        for what, written, place in joined.lost:
            draft.lose(what, written, place)
        nodes = tree.parse(joined)
        language = _language(text)
        reader = Reader(draft, joined, table)
        names = [getattr(node, "environmentname", "") for node in nodes]
        at = names.index("document") if "document" in names else None
        reader.preamble(nodes[:at] if at is not None else [])
        inner = tree.inside(nodes[at]) if at is not None else nodes
        reader.read(inner)
        sections.fill(draft, reader.sections(), language)
        rough.lose(draft, reader.shown(inner))
        if not draft.data:
            hint = "name the file that has \\documentclass or \\section"
            place = Span(given.name, 1, 1, 1, 2)
            raise CvbuildError.because("latex", "there is no CV in it", hint, place)
        found = draft.done()
        if reader.unknown and not table.is_of_class:
            found = replace(found, warnings=(_unknown(given, reader.unknown), *found.warnings))
        # Without a section, what its commands mean wasn't understood.
        return found if "sections" in found.data else replace(found, draft=True)


def _unknown(given: Given, names: list[str]) -> Diagnostic:
    """Return what is said of commands that no table has: the PDF is read better."""
    listed = ", ".join("\\" + name for name in names[:3])
    fact = f"this file's own commands aren't known: {listed}"
    pdf = PurePosixPath(given.name).with_suffix(".pdf")
    hint = f"import its PDF instead: cvbuild import {pdf}"
    return Diagnostic("warning", "own-commands", fact, Span(given.name), hint)


def _inputs(given: Given) -> bytes:
    """Return the files that are input first thing: one of them may have \\documentclass."""
    names = re.findall(rb"^[ \t]*\\input\s*\{([^{}\n]{1,100})\}", given.head, re.MULTILINE)[:5]
    stems = [name.decode(errors="replace").strip().removesuffix(".tex") for name in names]
    return b"\n".join(given.files.read(f"{stem}.tex") or b"" for stem in stems)


def _main(given: Given) -> Given | None:
    """Return the file of a folder or an archive that begins a document: the uppermost one."""
    found: list[tuple[int, int, str, bytes]] = []
    for name in [one for one in given.files.names() if one.endswith(".tex")][:_MOST]:
        data = given.files.read(name) or b""
        if re.search(rb"\\document(?:class|style)", data) and b"{document}" in data:
            is_named = bool(re.search(r"(?i)(?:^|[^a-z])(?:cv|resume|main|lebenslauf)", name))
            found.append((name.count("/"), -is_named, name, data))
    if not found:
        return None
    _, _, name, data = min(found)
    return Given(f"{given.name}/{name}", data, _Below(given.files, name))


@dataclass(frozen=True)
class _Below:
    """The files of a folder or archive as a file in it names them."""

    files: Files
    main: str

    def names(self) -> tuple[str, ...]:
        return self.files.names()

    def read(self, name: str) -> bytes | None:
        folder = PurePosixPath(self.main).parent
        return self.files.read(str(folder / name))


def _language(text: str) -> str:
    """Return the language that babel or polyglossia is loaded with; none if it isn't."""
    found = re.search(
        r"(?m)^[ \t]*\\usepackage\s*\[([^\]]{0,200})\]\s*\{babel\}", text
    ) or re.search(r"(?m)^[ \t]*\\setdefaultlanguage\s*(?:\[[^\]]{0,200}\])?\{([^}]{0,40})\}", text)
    words = re.split(r"[,\s]+", found[1]) if found else []
    # The last language is the document's.
    last = next((one for one in reversed(words) if one in _LANGUAGES), "")
    return _LANGUAGES.get(last, "")
