"""References without quotation marks, in the form that ``citations`` knows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from cvbuild.importers.documents import citations, dates
from cvbuild.importers.words import headings
from cvbuild.importers.words.blocks import Block
from cvbuild.importers.words.runs import Run, plain

#: The end of a sentence, not of an initial.
_END = re.compile(r"(?<![A-Z])(?<!\bal)(?<!\bet)[.?!]\s+|(?<=\bal)\.\s+")
#: Marks of equal contribution, of a note; what is in brackets after a name.
_MARKS = re.compile(r"\s*\([^()]*\)|[*†‡§¶∗︎]")
#: A line that has only an address, or also the venue in brackets; a DOI, as all of an address.
_ADDRESS = re.compile(r"(?i)(?:https?://|(?:doi:\s*)?10\.\d{4,9}/)\S+\s*(?=\(|$)")
_DOI = re.compile(r"(?i)(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)\s*")
#: Characters of a reference; of a text that isn't only a part of one; sentences that are looked at.
_LONGEST, _SHORT, _SENTENCES = 1_500, 60, 6


def quoted(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks of a document with the titles of publications in quotation marks."""
    found: list[Block] = []
    part: list[Block] = []
    is_list = False
    for one in blocks:
        if (one.kind, one.level) != ("heading", 2):
            part.append(one)
            continue
        found += [*(_references(part) if is_list else part), one]
        is_list = (headings.kind_of(one.plain) or ("", ""))[0] in ("publication", "patent")
        part = []
    return found + (_references(part) if is_list else part)


def _references(blocks: Sequence[Block]) -> list[Block]:
    whole: list[Block] = []
    for one in blocks:
        last = whole[-1] if whole else None
        is_rest = one.plain.startswith("(") or _ADDRESS.match(one.plain) is not None
        goes_on = is_rest and one.kind == "paragraph"
        if last is not None and last.kind in ("paragraph", "point") and goes_on:
            last.lines += one.lines
        else:
            whole.append(one)
    found = [one if one.kind == "heading" else _reference(one) for one in whole]
    if all(new is old for new, old in zip(found, whole, strict=True)):
        return whole
    # A paragraph among points would take the later ones as its own.
    return [
        replace(one, kind="point", level=0, lines=[one.runs])
        if one.kind == "paragraph" and len(one.plain) > _SHORT
        else one
        for one in found
    ]


def _reference(block: Block) -> Block:
    """Return a reference with its title in quotation marks; the same block for any other text."""
    cells = [
        [cell.strip() for cell in "".join(run.text for run in line).split("\t")]
        for line in block.lines
    ]
    date = next((cell for line in cells for cell in line if dates.is_date(cell)), "")
    texts = [_line([cell for cell in line if cell and cell != date]) for line in cells]
    links = [run.url for line in block.lines for run in line]
    doi = next((url for url in links if "doi.org" in url), "")
    for at, text in enumerate(texts):
        address = _ADDRESS.match(text) and _DOI.match(text)
        if at and address:
            texts[at], doi = text[address.end() :], doi or f"https://doi.org/{address[1]}"
    whole = " ".join(filter(None, texts))
    if len(whole) > _LONGEST:
        return block
    if citations.parsed(whole):
        return Block("point", [[Run(f"{whole} {date}"), *_more(doi, whole)]]) if date else block
    parts = _by_lines([text for text in texts if text]) or _by_style(block) or _by_sentences(whole)
    if parts is None:
        return block
    authors, title, venue = (part.strip(" .,;") for part in parts)
    text = f"{authors}. “{title}”. {venue}{', ' if date else ''}{date}"
    if not citations.parsed(text):
        return block
    return Block("point", [[Run(text), *_more(doi, text)]])


def _more(doi: str, text: str) -> list[Run]:
    return [Run(" "), Run(doi)] if doi and doi not in text else []


def _line(cells: Sequence[str]) -> str:
    """Return the cells of a line as one text; a tab may stand for the comma after a name."""
    listed = ", ".join(cells)
    return listed if _are_names(listed) else " ".join(cells)


def is_whole(text: str) -> bool:
    """Return whether a text is a reference to its end."""
    ends = text.rstrip()[-1:] == "." or re.search(r"\b(?:19|20)\d\d\)?$", text)
    return bool(ends) and (citations.parsed(text) is not None or _by_sentences(text) is not None)


def _are_names(text: str) -> bool:
    bare = _MARKS.sub("", re.sub(r"\d", "", text)).strip(" .,;:")
    return bool(bare) and len(bare.split()) < 80 and bool(citations.authors(bare))


def _by_lines(texts: Sequence[str]) -> tuple[str, str, str] | None:
    """Return authors, title and venue that stand on lines of their own."""
    for at, text in enumerate(texts[:4]):
        several = "," in text or " and " in text
        if at and several and _are_names(text):
            venue = " ".join(texts[at + 1 :]).strip("()")
            return _MARKS.sub("", text), " ".join(texts[:at]), venue
    return None


def _by_style(block: Block) -> tuple[str, str, str] | None:
    """Return authors, a title in italics or bold, and the venue: names and commas part them."""
    runs = [run for line in block.lines for run in line if run.text.strip() and run.text != "\t"]
    at = next((at for at, run in enumerate(runs) if run.styles), 0)
    names = plain(runs[:at]).strip()
    if not at or len(runs[at].text.split()) < 3 or not names.endswith(",") or not _are_names(names):
        return None
    return _MARKS.sub("", names), plain([runs[at]]), plain(runs[at + 1 :])


def _by_sentences(text: str) -> tuple[str, str, str] | None:
    """Return authors, title and venue that full stops part."""
    ends = list(_END.finditer(text))
    for at, end in enumerate(ends[:_SENTENCES]):
        before, later = text[: end.start() + 1], ends[at + 1 :]
        if len(before) > 4 and _are_names(before):
            after = next((one for one in later if one.start() - end.end() > 15), None)
            if after is None:
                return None
            mark = text[after.start()].replace(".", "")
            title = text[end.end() : after.start()] + mark
            return _MARKS.sub("", before), title, text[after.end() :]
    return None
