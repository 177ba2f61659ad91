"""What stands out: headings of sections, of which known ones teach how they look, and the name.

The name is the largest fitting text in the upper part of the first page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cvbuild.importers.documents import people, vocabulary
from cvbuild.importers.documents.pdf import lines
from cvbuild.importers.documents.pdf.lines import BULLET, Line, Piece, is_aside
from cvbuild.importers.documents.pdf.pdfium import Sheet
from cvbuild.importers.words import headings

#: Part of all letters that titles have at most; part of a look's lines that are known titles, and
#: of those in smaller type, in a sidebar.
_LETTERS, _KNOWN, _SMALL = 0.15, 0.3, 0.6
#: How a piece looks: font, size, colour, capitals.
Look = tuple[str, float, tuple[int, int, int], bool]


#: The lower part of the page, where no name stands.
_LOWER = 0.45
#: Size of a name that isn't set as the text, by that of the text.
LARGE = 1.25


@dataclass
class Titles:
    """Which lines are headings of sections; ``edges`` are where those of a look begin.

    ``count`` says how many of them are titles that sections of CVs have.
    """

    looks: set[Look] = field(default_factory=set)
    lone: set[int] = field(default_factory=set)
    edges: dict[Look, set[int]] = field(default_factory=dict)
    count: int = 0

    def has(self, line: Line) -> bool:
        """Return whether a line is one."""
        piece = line.first
        if id(line) in self.lone:
            return True
        if not _may_be(piece) or (self.count > 1 and _is_name(piece.text)):
            return False
        look = look_of(piece)
        edges = self.edges.get(look, ())
        aligned = not edges or any(abs(piece.x0 - edge) < 4 for edge in edges)
        return look in self.looks and aligned and _is_alone(line)


def look_of(piece: Piece) -> Look:
    """Return how a piece looks."""
    style = piece.style
    is_capital = piece.text.isupper() and len(piece.text) > 2
    return style.font, round(style.size * 2) / 2, style.colour, is_capital


def _is_exact(line: Line) -> bool:
    return headings.exact_kind_of(line.first.text) is not None


def _is_name(text: str) -> bool:
    """Return whether a text names an employer or a position, and no section is called so."""
    return vocabulary.is_named(text) and not headings.is_title(text)


def find(lines: Sequence[Line]) -> Titles:
    """Return the headings of a document: lines that look as the known ones among them."""
    letters: Counter[Look] = Counter()
    seen: Counter[Look] = Counter()
    known: Counter[Look] = Counter()
    exact: Counter[Look] = Counter()
    for line in lines:
        for cell in line.cells:
            letters[look_of(cell)] += len(cell.text)
        if _may_be(line.first) and _is_alone(line):
            look = look_of(line.first)
            seen[look] += 1
            known[look] += headings.is_title(line.first.text)
            exact[look] += _is_exact(line)
    body = letters.most_common(1)[0][0] if letters else None
    rare = {one for one in letters if letters[one] < _LETTERS * letters.total() and one != body}
    looks = {
        one for one, count in known.items()
        if one in rare and exact[one] and count >= _KNOWN * seen[one]
        and (count > 1 or seen[one] <= 3)
    }  # fmt: skip
    size = body[1] if body else 10.0
    if looks:
        # Of several, those as prominent as the one with the most known titles.
        top = max(looks, key=lambda one: (known[one], one[1]))
        looks = {
            one for one in looks
            if (one[1] >= 0.85 * top[1] and known[one] >= 0.15 * known[top])
            or (exact[one] > 1 and exact[one] >= _SMALL * seen[one] and one[1] > 1.05 * size)
        }  # fmt: skip
    lone: set[int] = set()
    if sum(known[one] for one in looks) < 2:
        lone = _lone(lines)
    return Titles(looks, lone, _edges(lines, looks), sum(known[one] for one in looks))


def _lone(lines: Sequence[Line]) -> set[int]:
    """Return known titles that stand alone on a line below a gap."""
    found: set[int] = set()
    above: Line | None = None
    for line in lines:
        gap = above is None or above.page != line.page or above.y - line.y > 1.3 * line.size
        if gap and len(line.cells) == 1 and headings.kind_of(line.first.text):
            found.add(id(line))
        above = line
    return found


def _edges(lines: Sequence[Line], looks: set[Look]) -> dict[Look, set[int]]:
    """Return where the known titles of each look begin, if it is in few places: not centred."""
    found: dict[Look, set[int]] = {}
    for look in looks:
        starts = Counter(
            round(line.first.x0 / 3) * 3
            for line in lines
            if look_of(line.first) == look and _is_exact(line)
        )
        if starts and 2 * len(starts) <= starts.total():
            found[look] = set(starts)
    return found


def _may_be(piece: Piece) -> bool:
    text = piece.text.strip(" :")
    return (
        0 < len(text.split()) <= 8
        and len(text) <= 70
        and len(re.findall(r"[^\W\d_]", text)) > 1
        and not BULLET.match(text)
        and not re.search(r"@|https?:", text)
        and not (re.search(r"\d", text) and is_aside(text) and headings.kind_of(text) is None)
    )


def _is_alone(line: Line) -> bool:
    """Return whether there is nothing beside a heading but a link, or in the margin its text."""
    is_margin = len(line.cells) > 2 and not is_aside(line.cells[1].text)
    beside = line.cells[1:2] if is_margin and headings.is_title(line.first.text) else line.cells[1:]
    return not any(is_aside(cell.text) for cell in beside)


def add_tags(lines: Sequence[Line], tags: Mapping[int, Mapping[int, tuple[str, int]]]) -> None:
    """Name the element that each line's text is in, by the structure tree of its page."""
    for line in lines:
        known = tags[line.page]
        # The element is that of the text, not of a date or a number beside it.
        texts: Counter[int] = Counter()
        for cell in line.cells if known else ():
            for word in cell.words if not is_aside(cell.text) else ():
                texts[word.tag] += len(word.text) if word.tag in known else 0
        if texts.total():
            role, block = known[texts.most_common(1)[0][0]]
            line.element = f"{line.page}.{block}.{'item' if role in ('LI', 'LBody') else ''}"


def name_pieces(pieces: list[Piece], sheet: Sheet, author: str) -> list[Piece]:
    """Return the pieces of the name in reading order; ``author`` is who the PDF says made it.

    A piece that has a headline after the name is parted.
    """
    usual = usual_size(pieces)
    upper = [one for one in pieces if one.y > _LOWER * sheet.height]
    for one in [one for one in upper if one.size > LARGE * usual]:
        # A headline after it, on one line: "Ada Example | Engineer".
        at = next((at for at, word in enumerate(one.words) if word.text in ("|", "·", "•")), 0)
        if at and _may_be_name(lines.joined(one.words[:at])):
            upper.append(one.cut(at))
            pieces.append(upper[-1])
    fit = [one for one in upper if _may_be_name(one.text)]
    if not fit:
        return []
    wanted = _words(author)

    def score(one: Piece) -> float:
        common = len(_words(one.text) & wanted)
        agrees = len(wanted) > 1 and common >= 2 and one.size >= usual
        return one.size * (2 if agrees else 1) + 0.001 * one.y

    best = max(fit, key=score)
    found = [best]
    for one in sorted(fit, key=lambda piece: -piece.y):
        if one is not best and best.size > LARGE * usual and _goes_with(one, found):
            found.append(one)
    return sorted(found, key=lambda piece: (-round(piece.y / 3), piece.x0))


def _goes_with(one: Piece, found: Sequence[Piece]) -> bool:
    """Return whether a piece is another part: "Ada" above "Lovelace", not a headline."""
    size = found[0].size
    near = min(abs(one.y - other.y) for other in found)
    aligned = near < 2 or any(
        one.x0 < other.x1 + size and one.x1 > other.x0 - size for other in found
    )
    counts = [len(other.text.split()) for other in (*found, one)]
    same = abs(one.size - size) < 0.06 * size and near < 1.6 * size
    return same and aligned and min(counts) == 1 and sum(counts) <= 5


def _words(text: str) -> set[str]:
    return {word.casefold() for word in re.findall(r"[^\W\d_]{2,}", text)}


def _may_be_name(text: str) -> bool:
    return (
        len(re.findall(r"[^\W\d_]", text)) > 1
        and len(text.split()) <= 6
        and len(text) <= 60
        and not re.search(r"[@\d|:/]|www\.", text)
        and not people.is_document_title(text)
        and not headings.is_title(text)
    )


def text_of(pieces: Iterable[Piece]) -> str:
    """Return a name; one in capitals or small letters only gets the usual ones."""
    parts: list[str] = []
    for piece in pieces:
        last = None
        for word in piece.words:
            # "Ada" and "Lovelace" in two weights have no blank between them.
            other = last is not None and last.style.font != word.style.font
            is_word = other and last is not None and min(len(last.text), len(word.text)) > 2
            if last is not None and word.joined and not is_word:
                parts[-1] += word.text
            else:
                parts.append(word.text)
            last = word
    text = " ".join(parts)
    if " " not in text:
        text = re.sub(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])", " ", text)
    # Small capitals of some fonts come as both.
    text = re.sub(r"[^\W\d_]*[a-zß-ÿ][A-ZÀ-Þ]+\b", lambda word: word[0].capitalize(), text)
    letters = re.sub(r"[\W\d_]", "", text)
    if (letters.isupper() and len(letters) > 4) or letters.islower():
        text = re.sub(r"[^\W\d_]+", lambda word: word[0].capitalize(), text)
    return text


def usual_size(pieces: Iterable[Piece]) -> float:
    """Return the size (pt) of most letters."""
    count: Counter[float] = Counter()
    for one in pieces:
        count[one.size] += len(one.text)
    return count.most_common(1)[0][0] if count else 10.0
