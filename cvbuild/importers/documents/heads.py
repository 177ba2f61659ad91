"""Where an entry begins among the blocks of a section: a dated or bold line, a pair of lines."""

from __future__ import annotations

import re
from dataclasses import replace

from cvbuild.importers.documents import people, vocabulary
from cvbuild.importers.documents.guesses import (
    LONGEST,
    OF_ENTRIES,
    OF_TEXT,
    has_tab,
    is_dated,
    is_head,
)
from cvbuild.importers.words import dates
from cvbuild.importers.words.outline import Block, Run, plain

#: Kinds whose entries are lines.
_OF_LINES = ("award", "certificate", "talk", "teaching", "service")


class Heads:
    """The blocks of a section, read one after the other; ``at`` is the next of them."""

    def __init__(self, kind: str, blocks: list[Block]) -> None:
        self.kind = kind
        is_paired = kind in ("education", "experience", "volunteer")
        self.blocks = _paired(blocks, kind) if is_paired else blocks
        self.at = 0
        #: Whether there may be entries: a section that no title announces has them if it has dates.
        self.has_dates = bool(kind) or any(is_dated(block.lines) for block in self.blocks)
        #: Lines of an entry without any mark that stand before the one with its date.
        self.leads = _leads(self.blocks)

    def next_block(self) -> Block | None:
        """Return the next block, None at the end."""
        return self.blocks[self.at] if self.at < len(self.blocks) else None

    def has_date_at(self, at: int) -> bool:
        """Return whether a block is the line of a date under a heading."""
        block = self.blocks[at] if at < len(self.blocks) else None
        return (
            block is not None
            and block.kind == "paragraph"
            and any(
                dates.is_date(part.strip("*() "))
                for part in re.split(r"[|·•\t]|, ", plain(block.lines[0]))
            )
        )

    def has_roles(self, block: Block) -> bool:
        """Return whether headings with dates are below one: positions at an employer."""
        for at, after in enumerate(self.blocks[self.at :], self.at + 1):
            if after.kind == "heading":
                if after.level <= block.level:
                    return False
                if is_dated(after.lines) or self.has_date_at(at):
                    return True
        return False

    def further(self, lines: list[list[Run]]) -> list[list[Run]]:
        """Return the lines after a heading that belong to the head of its entry."""
        found: list[list[Run]] = []
        block = self.next_block()
        while block is not None and block.kind == "paragraph" and len(found) < 3:
            taken = 0
            has_date_below = self.has_date_at(self.at + 1)
            for line in block.lines:
                text = plain(line)
                begins = is_head([line]) or bool(
                    dates.ends_in(text)[1]
                    or dates.begins_with(text)[1]
                    or dates.is_date(text)
                    or (has_date_below and (vocabulary.is_place(text) or vocabulary.is_town(text)))
                )
                if not begins or len(text) > 120 or vocabulary.label(line):
                    break
                taken += 1
            found += block.lines[:taken]
            if taken < len(block.lines):
                block.lines = block.lines[taken:]
                break
            self.at += 1
            if any(
                dates.ends_in(plain(line))[1] or dates.is_date(plain(line))
                for line in [*lines, *found]
            ):
                break
            block = self.next_block()
        return found

    def has_mail_after(self) -> bool:
        """Return whether the next lines say how to reach somebody."""
        after = self.blocks[self.at : self.at + 4]
        lone = [one for one in after if one.kind == "paragraph" and len(one.lines) == 1]
        return any(people.is_reachable(one.lines) and len(one.plain) < 60 for one in lone)

    def head_of(self, block: Block) -> list[list[Run]]:
        """Return the lines that begin an entry: this paragraph's, and those after it; or none."""
        if self.kind in OF_TEXT:
            return []
        lines = block.lines
        if dates.is_date(dates.unbracketed(plain(lines[0]))) and self.kind:
            return self._after_date(block)
        if is_head(lines):
            if is_dated(lines):
                return lines
            after = self.next_block()
            if len(lines) == 1 and after is not None and after.kind == "paragraph":
                if is_dated(after.lines[:2]) and is_head(after.lines):
                    return [*lines, *after.lines]
                if self.kind in OF_ENTRIES - {""} and is_dated(after.lines[:1]):
                    return [*lines, *after.lines[:1]]
            is_line = self.kind in _OF_LINES and has_tab(lines)
            if self._is_bold_alone(block) or is_line:
                return lines
        return self._plain_head() if self.kind in OF_ENTRIES - {""} else []

    def _after_date(self, block: Block) -> list[list[Run]]:
        """Return a line that is a date alone, and the lines after it that it belongs to."""
        after = self.next_block()
        if len(block.lines) > 1:
            return block.lines[:3]
        if after is None or after.kind != "paragraph" or len(after.plain) > LONGEST:
            return []
        return [] if is_dated(after.lines) else [*block.lines, *after.lines[:2]]

    def _is_bold_alone(self, block: Block) -> bool:
        """Return whether a bold line is an entry without a date: points follow it."""
        after = self.next_block()
        shown = [run for run in block.runs if run.text.strip()]
        first = shown[0]
        if block.plain.endswith(":") and all("strong" in run.styles for run in shown):
            return self.kind in OF_ENTRIES - {""}
        is_bold = "strong" in first.styles and len(block.lines) == 1
        is_entry = self.kind in OF_ENTRIES - {""} and not vocabulary.label(block.lines[0])
        return is_bold and is_entry and after is not None and after.kind == "point"

    def _plain_head(self) -> list[list[Run]]:
        """Return the short lines up to one with a date, if they are as many as in the first entry.

        Nothing but their order says that they begin an entry.
        """
        lines: list[list[Run]] = []
        at = 0
        for block in self.blocks[self.at - 1 : self.at + 2]:
            if block.kind != "paragraph":
                break
            for line in block.lines:
                text = plain(line)
                is_label = vocabulary.label(line) and not dates.ends_in(text)[1]
                if len(text) > LONGEST or is_label or re.search(r"[a-z)]{2}\.$", text):
                    return []
                lines.append(line)
                if is_dated([line]):
                    more = block.lines[block.lines.index(line) + 1 :]
                    is_short = len(more) < 3 and all(len(plain(one)) < LONGEST for one in more)
                    lines += more if is_short and not re.search(r"[.:]", block.plain) else []
                    return lines if at == self.leads else []
                at += 1
        return []

    def go_past(self, block: Block, head: list[list[Run]]) -> None:
        """Leave the lines of a head behind, and of its last paragraph what is not in it."""
        left = len(head) - len(block.lines)
        while left > 0 and (after := self.next_block()) is not None:
            taken = min(left, len(after.lines))
            left -= taken
            if taken < len(after.lines):
                after.lines = after.lines[taken:]
                return
            self.at += 1
        if left < 0:
            self.blocks.insert(self.at, replace(block, lines=block.lines[left:]))


def _leads(blocks: list[Block]) -> int:
    """Return how many lines of a section stand before the first with a date: at most two."""
    lines = [line for block in blocks[:3] if block.kind == "paragraph" for line in block.lines]
    return next((at for at, line in enumerate(lines[:3]) if is_dated([line])), 0)


def _paired(blocks: list[Block], kind: str) -> list[Block]:
    """Return blocks with pairs of points joined: a degree and a university, one after the other."""
    if not blocks or len(blocks) % 2 or any(one.kind != "point" or one.level for one in blocks):
        return blocks
    mark = vocabulary.DEGREE if kind == "education" else vocabulary.POSITION
    named = vocabulary.ORGANIZATION

    def alternate(first: re.Pattern[str], second: re.Pattern[str]) -> bool:
        return all(
            first.search(one.plain) and second.search(other.plain) and not first.search(other.plain)
            for one, other in zip(blocks[::2], blocks[1::2], strict=True)
        )

    if not (alternate(mark, named) or alternate(named, mark)):
        return blocks
    return [
        Block("paragraph", [*one.lines, *other.lines], 0, one.first, other.last)
        for one, other in zip(blocks[::2], blocks[1::2], strict=True)
    ]
