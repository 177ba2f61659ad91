"""How many of a CV's facts are in the text that a reader extracted.

The text is folded by ``FOLDS`` and by nothing else. The result is four figures: ``recall`` (the
facts that are there, exactly), ``order`` (of the entries), ``placed`` (the facts that are at their
own entry) and ``contact`` (what plain regular expressions find at the top). Pure.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tools.ats.facts import Block, Contact
from tools.ats.readers import CONTROLS, turned

#: The fold table: what counts as the same text, for the readers and for what is expected.
FOLDS = (
    ("[\ufffe\x02]", "-"),  # PDFium's marks for a hyphen at a line's end
    ("…", "..."),  # T1 fonts have none but three full stops
    (r"\. \. \.", "..."),  # some readers put these apart
    ("\u00ad", ""),  # a soft hyphen that isn't used can't be seen
    (CONTROLS, ""),  # poppler tells a text's direction by them; they can't be seen
    (r"[^\S\n]+", " "),  # any white space is one space, also what doesn't break
    (r" ?\n\s*", "\n"),  # the end of a line, with empty lines; it counts as a space
)
#: Letters of scripts that put no spaces between words: a line may end between any two.
CJK = "\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7a3\uff00-\uffef"
#: After these a line may end without a space: hyphens, dashes, and an address's marks.
BREAKS = "-–—/.?=&_@:,;+#"
#: A word of more letters may end a line anywhere: it is wider than a column.
LONG = 60
#: A word of so many letters may be divided at a line's end, with a hyphen.
DIVIDED = 14
_LETTER = rf"[^\W_{CJK}]"
_HAS_CJK = re.compile(f"[{CJK}]").search
_IS_LETTER = re.compile(_LETTER).match
_GONE = "\x00"

#: What finds a contact of each kind in a line.
PLAIN = {
    "email": re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII),
    "phone": re.compile(r"\+?[0-9][0-9 ().-]{6,}[0-9](?: ext\. ?[0-9]+)?"),
    "url": re.compile(r"(?:https?://)?(?:[\w-]+\.)+[a-z]{2,}(?:/[^\s·|]*)?", re.ASCII),
}
HEAD_LINES = 15


def fold(text: str) -> str:
    """Return the text after the fold table; lines stay separate."""
    for pattern, instead in FOLDS:
        text = re.sub(pattern, instead, text)
    return text.strip()


# From pages to one text -----------------------------------------------------------------------


def joined(pages: Sequence[str], name: str) -> str:
    """Return the folded text of all pages without the lines at the head and foot of each.

    A paragraph goes on over a page's end: the running head (the name and n/N, from page 2 on) and
    the foot's n/N are no part of it. They are removed only as whole lines, first or last.
    """
    return "\n".join(
        _without_footers(fold(page), number, len(pages), name)
        for number, page in enumerate(pages, 1)
    )


def _without_footers(text: str, number: int, count: int, name: str) -> str:
    figure = rf"{number}\D{{1,6}}{count}"
    head = rf"{re.escape(name)} ?(?:{figure})?|{figure}" if number > 1 else figure
    foot = rf"(?:{re.escape(name)} ?)?{figure}"
    lines = text.split("\n")
    for _ in range(2):
        if count > 1 and lines and re.fullmatch(head, lines[0]):
            del lines[0]
        if count > 1 and lines and re.fullmatch(foot, lines[-1]):
            del lines[-1]
    return "\n".join(lines)


# Facts in a text ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figures:
    """What a reader got of a document; shares of 1, and what is not as it should be."""

    recall: float
    order: float
    placed: float
    contact: float
    facts: int
    missing: tuple[str, ...] = field(default=(), compare=False)
    misplaced: tuple[str, ...] = field(default=(), compare=False)
    unread: tuple[str, ...] = field(default=(), compare=False)


def figures_of(
    text: str,
    blocks: Sequence[Block],
    contact: Contact,
    *,
    layout: bool,
    leftward: str | None = None,
) -> Figures:
    """Return the figures of a folded text; in ``layout`` mode dates may be between its lines.

    In a document that runs from right to left ``text`` is in logical order (see ``logical``), and
    ``leftward`` is the folded text as the reader returned it, in which contacts are searched.
    """
    places = locate(text, blocks, layout=layout, leftward=leftward is not None)
    facts = [(fact, block) for block in blocks for fact in block.facts]
    missing = [fact.text for fact, _ in facts if fact.path not in places]
    entries = [block for block in blocks if block.entry]
    titles = [places.get(block.title.path) for block in entries]
    starts = [place[0] for place in titles if place]
    misplaced = misplaced_facts(blocks, places)
    unread = unread_contacts(text if leftward is None else leftward, text, contact)
    return Figures(
        recall=1 - len(missing) / len(facts),
        order=longest_increasing(starts) / len(entries),
        placed=1 - len(misplaced) / len(facts),
        contact=1 - len(unread) / sum(map(len, contact.values())),
        facts=len(facts),
        missing=tuple(missing),
        misplaced=tuple(misplaced),
        unread=tuple(unread),
    )


def locate(
    text: str, blocks: Sequence[Block], *, layout: bool, leftward: bool = False
) -> dict[tuple[str | int, ...], tuple[int, int]]:
    """Return the position of each fact in a folded text, by its path: start and end.

    Every character of the text serves one fact only, longer ones first: so a year that occurs in
    three entries must be there three times, and a name inside a longer one doesn't count.
    Equal texts are given out in the document's order.
    """
    places = {}
    todo = [(fact, block) for block in blocks for fact in block.facts]
    # In layout mode dates are removed last: until then they are between the lines of other texts.
    for fact, block in sorted(
        todo, key=lambda pair: (layout and pair[0].text in pair[1].aside, -len(pair[0].text))
    ):
        aside = block.aside if layout and fact.text not in block.aside else ()
        forms = dict.fromkeys([fact.text, turned(fact.text)] if leftward else [fact.text])
        searched = (_search(form, aside, text) for form in forms)
        found = next((one for one in searched if one), None)
        if found is None:
            continue
        places[fact.path] = found.span()
        dates = [found.span(n) for n in range(1, len(found.groups()) + 1) if found[n] is not None]
        text = _without(text, found.span(), dates)
    return places


def _search(form: str, aside: Sequence[str], text: str) -> re.Match[str] | None:
    """Search ``pattern``; first without its ends, which take long to compile."""
    found = re.search(_inner(form, aside), text)
    if found is None:
        return None
    start, end = found.span()
    begun = _IS_LETTER(text, start) and start and _IS_LETTER(text, start - 1)
    goes_on = _IS_LETTER(text, end - 1) and _IS_LETTER(text, end)
    return re.search(pattern(form, aside), text) if begun or goes_on else found


def _without(text: str, span: tuple[int, int], excepted: Iterable[tuple[int, int]]) -> str:
    """Return the text without the span's characters, except the spans in ``excepted``."""
    start, end = span
    parts = [text[:start]]
    for first, last in excepted:
        parts += [_GONE * (first - start), text[first:last]]
        start = last
    return "".join([*parts, _GONE * (end - start), text[end:]])


def pattern(text: str, aside: Sequence[str] = ()) -> str:
    """Return a regular expression for a fact's text, exact except where a line may end.

    A space may be a line's end. Without a space a line may end after a mark of ``BREAKS``, next to
    a letter of ``CJK`` and in a word of more than ``LONG`` letters; after a hyphen in a word of
    ``DIVIDED`` letters or more. With ``aside`` (the entry's
    dates on the right edge), one of these may end the line on which the text breaks: then it is a
    group.
    """
    text = " ".join(fold(text).split())
    start = rf"(?<!{_LETTER})" if re.match(_LETTER, text) else ""
    end = rf"(?!{_LETTER})" if re.match(_LETTER, text[-1]) else ""
    return start + _inner(text, aside) + end


def _inner(text: str, aside: Sequence[str]) -> str:
    text = " ".join(fold(text).split())
    between = "".join(f"|( {re.escape(' '.join(fold(one).split()))})\n" for one in aside)
    line_end = f"(?:\n{between})?" if between else "\n?"
    return f"(?:[ \n]{between})".join(_word(word, line_end) for word in text.split(" "))


def _word(word: str, line_end: str) -> str:
    parts = [re.escape(word[0])]
    for before, after in pairwise(word):
        free = len(word) > LONG or before in BREAKS or _HAS_CJK(before + after)
        divided = "(?:-\n?)?" if len(word) >= DIVIDED and (before + after).isalpha() else ""
        parts.append(divided + (line_end if free else "") + re.escape(after))
    return "".join(parts)


def misplaced_facts(
    blocks: Sequence[Block], places: dict[tuple[str | int, ...], tuple[int, int]]
) -> list[str]:
    """Return the facts that are missing, or not between the titles around their block."""
    wrong = []
    titles = [places.get(block.title.path) for block in blocks]
    for at, block in enumerate(blocks):
        before = max((place[1] for place in titles[max(at - 1, 0) : at] if place), default=0)
        after = min((place[0] for place in titles[at + 1 : at + 2] if place), default=10**9)
        for fact in block.facts:
            place = places.get(fact.path)
            if place is None or not before <= place[0] <= place[1] <= after:
                wrong.append(fact.text)
    return wrong


def longest_increasing(numbers: Iterable[int]) -> int:
    """Return the length of the longest increasing subsequence.

    For places of entries in the text, taken in the document's order, this is the longest common
    subsequence of both orders.
    """
    ends: list[int] = []
    for number in numbers:
        at = bisect.bisect_left(ends, number)
        ends[at : at + 1] = [number]
    return len(ends)


def unread_contacts(text: str, named: str, contact: Contact) -> list[str]:
    """Return what plain expressions don't find in the first lines; ``named`` has the name."""
    lines = [line for line in text.split("\n") if line.strip()][:HEAD_LINES]
    unread = []
    for kind, expression in PLAIN.items():
        there = {match for line in lines for match in expression.findall(line)}
        unread += [fact.text for fact in contact[kind] if fact.text not in there]
    (name,) = contact["name"]
    if not any(re.search(pattern(name.text), line) for line in named.split("\n")[:HEAD_LINES]):
        unread.append(name.text)
    return unread
