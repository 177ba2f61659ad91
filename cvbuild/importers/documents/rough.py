"""Documents without commands: what their headings, tabs and dates mean.

What the lines of a document mean is guessed, so a text could vanish where nobody expects it. At the
end every word is looked for once more: nothing is lost in silence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from cvbuild.common.diagnostics import CvbuildError, Span
from cvbuild.importers import dates, descriptions, headings
from cvbuild.importers.documents import (
    cells,
    citations,
    entries,
    items,
    labels,
    people,
    sections,
    vocabulary,
)
from cvbuild.importers.documents.parts import Parts
from cvbuild.importers.draft import Draft
from cvbuild.importers.outline import Block, Run, Section, markdown, plain
from cvbuild.model.text import texts

_UPDATED = re.compile(
    r"(?i)(?:last )?(?:updated|modified|compiled|stand)\b"
    r"|derni[èe]re mise|[úu]ltima act"
)
_NOT_NAME = re.compile(r"[@\d]|https?:|(?:\.|!|:)\s*$")
#: Kinds of which labels leave it open where an item begins.
_OF_LINES = ("skill", "language", "publication")
#: Below these there is nothing but text.
_PROSE = (headings.SUMMARY, headings.INTERESTS)

#: "C O N T A C T", where two blanks or a tab part words.
_SPACED = re.compile(r"[^\W_](?: [^\W_&]){2,}(?:(?:\s{2,}|\t| & )[^\W_](?: [^\W_])*)*")
_ICON = re.compile("[\U0001f000-\U0001fbff\u2600-\u26ff\ufe0f\u200d]+ *")
_SMALL = frozenset(vocabulary.TABLES["words"]["small"].split())
_WORD = re.compile(r"[^\W\d_]{3,}|\d{3,}")
#: Names of keys and of contacts at the beginning of a cell: the file says them by its own keys.
_LABEL = re.compile(r"(?:^|[|·•∙⋅;,(\t])\W{0,5}[^\W\d_][^:\d|\t]{0,38}:(?=\s|\Z|\*)")
#: What is before the name of an account.
_SITE = re.compile(r"(?<![\w.-])(?:https?://)?(?:[\w-]+\.)+[a-z]{2,}/(?:(?:in|user|profile|pub)/)?")
#: Words around dates, and of titles of documents.
_KEYS = frozenset(vocabulary.TABLES["words"]["keys"].split())


def fill(draft: Draft, blocks: list[Block]) -> None:
    """Put the blocks of a document into a person's file.

    Labels that were learned from many documents say what their cells are.
    """
    reading = _Reading(draft, blocks)
    found = reading.read()
    if "name" not in draft.data and not any(one.title for one in found):
        message = "there is neither a name nor a heading in it"
        hint = "begin it with the name, and give its sections headings"
        place = reading.place(reading.blocks[0]) if reading.blocks else Span(draft.file)
        raise CvbuildError.because("rough", message, hint, place)
    sections.fill(draft, found)
    # What is nowhere is listed.
    lose(draft, ((reading.place(one), one.cells) for one in reading.blocks if not one.is_said))


def sections_of(draft: Draft, blocks: list[Block]) -> list[Section]:
    """Return the sections of blocks; what is before the first of them is the head."""
    return _Reading(draft, blocks).read()


class _Reading:
    def __init__(self, draft: Draft, blocks: list[Block]) -> None:
        self.draft = draft
        for one in blocks:
            if one.kind == "lost":
                draft.lose("not imported", one.plain, self.place(one))
            elif _UPDATED.match(one.plain) and len(one.plain) < 60:
                draft.lose("date of the document", one.plain, self.place(one))
                one.kind = "lost"
            elif one is blocks[0] and people.is_document_title(one.plain):
                one.kind = "lost"
        kept = [one for one in blocks if one.kind != "lost" and (one.plain or one.part)]
        for one in kept:
            one.lines = [_closed_up(line) for line in one.lines]
        self.blocks = [part for one in kept for part in _points_by_hand(one)]
        self.sections: list[Section] = []

    def read(self) -> list[Section]:
        """Read the head; return the sections."""
        lines = cells.lines_of(self.blocks)
        found = labels.labels_of(lines)
        chances = [label.chance for label in found if label.name[-1] in entries.NAMES]
        self.draft.sureness = sum(chances) / len(chances) if chances else 1.0
        labelled = list(labels.labelled(lines, found))
        end = self._head_end(labelled)
        for at, block in enumerate(self.blocks[:end]):
            is_title = people.is_document_title(block.plain)
            if not is_title and ("name" in self.draft.data or not self._name(at)):
                people.block(self.draft, block.lines, self.place(block))
        inner = {id(block) for block in self.blocks[end:]}
        blocks = entries.Builder(
            self.place,
            lambda line: people.block(self.draft, [line.runs], self.place(line.block)),
        ).read(one for one in labelled if id(one[0].block) in inner)
        if blocks and blocks[0].level != 1:
            blocks.insert(0, replace(blocks[0], kind="heading", lines=[[]], level=1, part=None))
        starts = [at for at, one in enumerate(blocks) if one.kind == "heading" and one.level == 1]
        for start, end in pairwise([*starts, len(blocks)]):
            self._section(blocks[start], blocks[start + 1 : end])
        return self.sections

    def _head_end(self, labelled: Sequence[labels.Labelled]) -> int:
        """Return the number of the first block of a section; text above it is the head's."""
        has_title = any("S" in own for _, own, _ in labelled)
        of_head = {"H", "X"} if has_title else {"H"}
        others = (one.block for one, own, _ in labelled if not of_head.issuperset(own or "-"))
        first = next(others, None)
        end = next((at for at, one in enumerate(self.blocks) if one is first), len(self.blocks))
        # The first block is the head's if it is no title.
        is_title = self.blocks and headings.exact_kind_of(self.blocks[0].plain)
        return end if is_title else max(end, 1)

    def place(self, block: Block) -> Span:
        """Return the lines of a block."""
        if block.span:
            return block.span
        if not block.first:
            return Span(self.draft.file)
        return Span(self.draft.file, block.first, 1, block.last + 1, 1)

    def _name(self, at: int) -> bool:
        """Read the name, if a block is one; return whether it is."""
        block = self.blocks[at]
        first, *rest = block.lines
        name = people.name_in("".join(run.text for run in first))
        name, _, after = re.sub(r"\s*[|•·]\s*|\t", "\t", name).partition("\t")
        name = " ".join(name.split())
        is_section = block.kind == "heading" and headings.is_title(name)
        is_section |= after != "" and name.rstrip(":").lower() in people.LABELS
        if is_section or len(name.split()) > 6 or len(name) > 60 or _NOT_NAME.search(name):
            return False
        if name.isupper() and " " in name:
            name = re.sub(r"[^\W\d_]{2,}", lambda word: word[0].capitalize(), name)
        self.draft.put("name", name)
        is_styled = block.kind == "heading" or all(run.styles for run in first if run.text.strip())
        if at or not is_styled:
            self.draft.guess(self.draft.data, "name")
        for line in ([[Run(after)]] if after else []) + rest:
            people.line(self.draft, line, self.place(block))
        return True

    def _section(self, heading: Block, blocks: list[Block]) -> None:
        title = markdown([replace(run, styles=frozenset(), url="") for run in heading.runs])
        title = title.rstrip(":").strip()
        if title.isupper() and len(title) > 4:
            parts = re.split(r"((?!['’])[\W\d_]+)", title.lower())
            title = "".join(part if part in _SMALL else part.capitalize() for part in parts)
            title = title[:1].upper() + title[1:]
        place = self.place(heading)
        for address in dict.fromkeys(run.url for run in heading.runs if run.url):
            self.draft.lose("link of a title", address, place)
        if headings.is_contact(title):
            for one in blocks:
                people.block(self.draft, one.lines, self.place(one), is_contact=True)
            heading.is_said = headings.has_no_other_words(title)
            return
        section = Section(title, place)
        kind = (headings.kind_of(title) or ("", ""))[0]
        if kind in _OF_LINES:
            # In Markdown they are one paragraph; many write one in a line all the same.
            blocks = [part for one in blocks for part in _apart(kind, one)]
        Parts(self.place, section, kind, blocks).read()
        # An empty one is lost below. Of a key of the person, the title is nowhere.
        heading.is_said = bool(section.parts) and kind != ""
        if kind in _PROSE:
            heading.is_said &= headings.has_no_other_words(title)
        if not section.parts:
            self.draft.lose("section without a text", title, place)
        self.sections.append(section)


def _apart(kind: str, block: Block) -> list[Block]:
    """Return a block parted before each line that begins an item, if all do, or a skill.

    That is a reference, or a line with a label or a level, or one that lists several languages.
    """
    begins: list[object] = []
    for line in block.lines if block.kind == "paragraph" else ():
        text = plain(line)
        if kind == "publication":
            begins.append(citations.of_kind(kind, markdown(line)))
        else:
            is_list = kind == "language" and len(items.languages_in(text)) > 1
            begins.append(is_list or vocabulary.label(line) or vocabulary.level(text)[0])
    is_parted = begins and (all(begins) or kind == "skill")
    return _parted(block, begins) if is_parted else [block]


def lose(draft: Draft, lines: Iterable[tuple[Span, str]]) -> None:
    """List the words of each line, with its place, that the draft has nowhere."""
    known = unicodedata.normalize("NFC", "\n".join(draft.texts()))
    there = {texts.unaccented(word) for word in _WORD.findall(known)}
    # A number may be written without its blanks.
    digits = re.sub(r"\D", "", known)
    for place, text in lines:
        if headings.exact_kind_of(text) or vocabulary.inner_label(text):
            continue
        cells = unicodedata.normalize("NFC", dates.without_length(text)).split("\t")
        kept = "\t".join(one for one in cells if one.strip(" :").lower() not in people.LABELS)
        for label in _LABEL.findall(kept):
            # "Desired degree:" says more than the key does.
            if all(len(word) < 6 for word in vocabulary.other_words([[Run(label)]])):
                kept = kept.replace(label, " ", 1)
        shown = _SITE.sub(" ", people.NUMBERED.sub(" ", kept))
        missing = [
            word
            for word in dict.fromkeys(_WORD.findall(shown))
            if texts.unaccented(word) not in there
            and word not in digits
            # Keys and months are said by the file otherwise.
            and word.casefold() not in _KEYS
            and dates.month_of(word.casefold(), is_whole=True) is None
        ]
        if missing:
            draft.lose("words without a place", " ".join(missing), place)


# -- what people write by hand where a style would say it: bullets, spaced letters -----------------


def _closed_up(line: list[Run]) -> list[Run]:
    """Return a line without picture letters before it, and with words for spaced letters."""
    if line and (icon := _ICON.match(line[0].text)):
        line = _without_start(line, icon.end())
    text = "".join(run.text for run in line).strip()
    if not line or not _SPACED.fullmatch(text):
        return line
    words = [re.sub(r"\s", "", part) for part in re.split(r"\s{2,}|\t|(?= & )", text)]
    return [Run(" ".join(words).replace("&", "& "), line[0].styles, line[0].url)]


def _points_by_hand(block: Block) -> list[Block]:
    """Return a paragraph whose lines begin with bullets as points, below those before them."""
    starts = ("".join(run.text for run in line) for line in block.lines)
    signs = [descriptions.SIGN.match(text) for text in starts]
    if block.kind != "paragraph" or not any(signs):
        return [block]
    found = _parted(block, signs)
    points = found if signs[0] else found[1:]
    for part, sign in zip(points, filter(None, signs), strict=True):
        part.kind, part.level = "point", 0
        part.lines[0] = _without_start(part.lines[0], sign.end())
    return found


def _without_start(line: list[Run], count: int) -> list[Run]:
    kept: list[Run] = []
    for run in line:
        kept += [replace(run, text=run.text[count:])] if count < len(run.text) else []
        count = max(0, count - len(run.text))
    return kept


def _parted(block: Block, begins: Iterable[object]) -> list[Block]:
    """Return a block parted before each line that begins one."""
    found: list[Block] = []
    for at, (line, is_first) in enumerate(zip(block.lines, begins, strict=True)):
        if is_first or not found:
            found.append(replace(block, lines=[line], first=min(block.first + at, block.last)))
        else:
            found[-1].lines.append(line)
    return found
