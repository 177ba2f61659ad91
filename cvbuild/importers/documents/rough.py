"""Documents without commands, Word's and Markdown's: what their headings, tabs and dates mean."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers.documents import people, sections
from cvbuild.importers.documents.outline import Section
from cvbuild.importers.documents.parts import Parts, is_dated
from cvbuild.importers.draft import Draft
from cvbuild.importers.words import foreign_dates, headings
from cvbuild.importers.words.markdown_blocks import Block
from cvbuild.importers.words.runs import Run, markdown, plain

# Words of a document that are in no value of the person's file, and in no note.
#
# What the lines of a document mean is guessed, so a text could vanish where nobody expects it. Here
# every word is looked for once more: nothing is lost in silence.

_WORD = re.compile(r"[^\W\d_]{4,}")
#: Names of keys and of contacts that lines begin with, parts of addresses, and words for now.
_KEYS = frozenset(
    ("actualidad", "actuel", "address", "adresse", "advisor", "anlage", "anschrift", "aujourd",
     "betreuer", "birth", "company", "contact", "content", "courses", "coursework", "current",
     "curriculum", "date", "degree", "details", "dirección", "email", "employer", "enclosure",
     "expected", "geburtsdatum", "grade", "heute", "homepage", "html", "http", "https", "inhalt",
     "institution", "keywords", "kontakt", "label", "lebenslauf", "level", "linkedin", "location",
     "mail", "mailto", "mobil", "mobile", "name", "note", "phone", "position", "present",
     "presente", "profile", "présent", "resume", "résumé", "seit", "since", "supervisor", "telefon",
     "teléfono", "thesis", "titel", "title", "today", "téléphone", "vitae", "website", "with")
)  # fmt: skip


def lose(draft: Draft, lines: Iterable[tuple[Span, str]]) -> None:
    """List the words of each line, with its place, that the draft has nowhere."""
    there = {word for text in draft.texts() for word in _words(text)}
    for place, text in lines:
        words = dict.fromkeys(_WORD.findall(unicodedata.normalize("NFC", text)))
        missing = [word for word in words if _folded(word) not in there and not _is_known(word)]
        if missing:
            draft.lose("words without a place", " ".join(missing), place)


def _is_known(word: str) -> bool:
    """Return whether a word names a section, a month or a key: the file says that otherwise."""
    plain = word.casefold()
    is_title = _folded(word) in headings.words()
    return is_title or plain in _KEYS or foreign_dates.is_month(plain)


def _words(text: str) -> list[str]:
    return [_folded(word) for word in _WORD.findall(unicodedata.normalize("NFC", text))]


def _folded(word: str) -> str:
    plain = unicodedata.normalize("NFKD", word).casefold()
    return "".join(one for one in plain if not unicodedata.combining(one))


_BULLET = re.compile(r"^\s*(?:[•●▪■◦○‣⁃∙·➢►✓]|[–*-](?=\s))\s*")
_UPDATED = re.compile(r"(?i)(?:last )?(?:updated|modified|stand)\b|derni[èe]re mise|[úu]ltima act")
_CV = r"(?:curriculum vitae|cv|r[ée]sum[ée]|lebenslauf)"
_NAME_WORDS = re.compile(rf"(?i)^{_CV}(?:\s+(?:of|von|de)\b|\s*[:–—|-])\s*|\s*[:–—|-]\s*{_CV}$")


def fill(draft: Draft, blocks: list[Block]) -> None:
    """Put the blocks of a document into a person's file."""
    _Reading(draft, blocks).read()


class _Reading:
    def __init__(self, draft: Draft, blocks: list[Block]) -> None:
        self.draft = draft
        for one in blocks:
            if one.kind == "lost":
                draft.lose("not imported", one.plain, self._place(one))
            elif _UPDATED.match(one.plain) and len(one.plain) < 60:
                draft.lose("date of the document", one.plain, self._place(one))
                one.kind = "lost"
        kept = [_point_by_hand(one) for one in blocks if one.kind != "lost" and one.plain]
        has_headings = sum(one.kind == "heading" for one in kept) > 1
        self.blocks = kept if has_headings else _with_headings(kept)
        self.sections: list[Section] = []

    def _place(self, block: Block) -> Span:
        if not block.first:
            return Span(self.draft.file)
        return Span(self.draft.file, block.first, 1, block.last + 1, 1)

    def read(self) -> None:
        """Read the head, then the sections."""
        at = self._head()
        rest = self.blocks[at:]
        levels = [one.level for one in rest if one.kind == "heading"]
        top = min(levels, default=1)
        here: list[Block] = []
        opened: Block | None = None
        for one in [*rest, None]:
            if one is None or (one.kind == "heading" and one.level == top):
                self._section(opened, here)
                opened, here = one, []
            else:
                here.append(one)
        if "name" not in self.draft.data and not any(one.title for one in self.sections):
            message = "there is neither a name nor a heading in it"
            hint = "begin it with the name, and give its sections headings"
            place = self._place(self.blocks[0]) if self.blocks else Span(self.draft.file)
            raise CvbuildError([Diagnostic("error", "rough", message, place, hint)])
        sections.fill(self.draft, self.sections)
        lose(self.draft, ((self._place(one), one.plain) for one in self.blocks))

    def _head(self) -> int:
        """Read the name and what is before the first section; return where that begins."""
        at = 0
        while at < len(self.blocks) and people.is_document_title(self.blocks[at].plain):
            at += 1
        while at < len(self.blocks):
            block = self.blocks[at]
            if "name" not in self.draft.data and self._name(at):
                at += 1
                continue
            is_known = headings.kind_of(block.plain) is not None
            if block.kind == "heading" and (is_known or at > 1 or block.level > 2):
                break
            if block.kind == "heading" and self._opens(at):
                break
            for line in block.lines:
                people.line(self.draft, line, self._place(block))
            at += 1
        return at

    def _opens(self, at: int) -> bool:
        """Return whether a heading that is not known opens a section: later ones are like it."""
        block = self.blocks[at]
        later = [one.level for one in self.blocks[at + 1 :] if one.kind == "heading"]
        is_title = len(block.plain) < 40 and not re.search(r"[@|,]", block.plain)
        return bool(later) and min(later) == block.level and is_title

    def _name(self, at: int) -> bool:
        """Read the name, if a block is one; return whether it is."""
        block = self.blocks[at]
        first, *rest = block.lines
        name = _NAME_WORDS.sub("", plain(first))
        name, _, after = re.sub(r"\s*[|•·]\s*|\t", "\t", name).partition("\t")
        is_section = block.kind == "heading" and headings.kind_of(name) is not None
        is_sentence = name.rstrip().endswith((".", "!", ":")) or len(name.split()) > 6
        if is_section or is_sentence or len(name) > 60 or re.search(r"[@\d]|https?:", name):
            return False
        self.draft.put("name", name.strip())
        for line in ([[Run(after)]] if after else []) + rest:
            people.line(self.draft, line, self._place(block))
        return True

    def _section(self, heading: Block | None, blocks: list[Block]) -> None:
        if heading is None and not blocks:
            return
        title = (
            markdown([replace(run, styles=frozenset(), url="") for run in heading.runs])
            if heading
            else ""
        )
        title = title.rstrip(":").strip()
        if title.isupper() and len(title) > 4:
            title = re.sub(r"[^\W\d_]+", _capitalized, title)
        place = self._place(heading or blocks[0])
        section = Section(title, place)
        kind = (headings.kind_of(title) or ("", ""))[0]
        Parts(self._place, section, kind, blocks).read()
        if not section.parts and heading is not None:
            self.draft.lose("section without a text", title, place)
        self.sections.append(section)


_SMALL = frozenset(
    [
        "and",
        "of",
        "the",
        "for",
        "in",
        "und",
        "für",
        "der",
        "die",
        "das",
        "et",
        "de",
        "des",
        "du",
        "la",
        "le",
        "les",
        "y",
        "e",
        "a",
        "à",
    ]
)


def _capitalized(found: re.Match[str]) -> str:
    """Return a word of a heading in capitals with only its first letter as one."""
    word = found[0].lower()
    return word if word in _SMALL and found.start() else word.capitalize()


def _point_by_hand(block: Block) -> Block:
    """Return a paragraph that begins with a bullet as a point."""
    first = block.lines[0][0] if block.lines[0] else Run("")
    found = _BULLET.match(first.text)
    if block.kind != "paragraph" or not found or len(block.lines) > 1:
        return block
    rest = replace(first, text=first.text[found.end() :])
    return replace(block, kind="point", level=0, lines=[[rest, *block.lines[0][1:]]])


def _with_headings(blocks: list[Block]) -> list[Block]:
    """Return the blocks of a document without headings: lines that look like some are headings."""
    found: list[Block] = []
    for at, block in enumerate(blocks):
        text = block.plain.rstrip(":")
        is_line = block.kind == "paragraph" and len(block.lines) == 1 and len(text.split()) <= 6
        has_more = at + 1 < len(blocks)
        is_plain = not re.search(r"[@\d|\t]|https?:", "".join(run.text for run in block.lines[0]))
        runs = [run for run in block.lines[0] if run.text.strip()]
        is_bold = all("strong" in run.styles for run in runs)
        is_known = headings.kind_of(text) is not None
        is_title = (
            is_known
            or (text.isupper() and len(text) > 3)
            or (is_bold and _is_lone(found, blocks, at))
        )
        if at and is_line and has_more and is_plain and is_title:
            found.append(replace(block, kind="heading", level=9))
        else:
            found.append(block)
    return found


def _is_lone(found: list[Block], blocks: list[Block], at: int) -> bool:
    """Return whether a bold line is a heading, not the employer above a position."""
    has_known = any(one.kind == "heading" for one in found)
    after = blocks[at + 1] if at + 1 < len(blocks) else None
    return not has_known or (
        after is not None and after.kind == "paragraph" and not is_dated(after.lines)
    )
