"""Which facts a rewritten file has that the one before hasn't: what a rewriting may not invent.

A rewording may say the same in other words. A number, a date, a name, a degree, or a word of scope
("led", "sole", "award-winning") that isn't in what was written before is a new fact; of numbers and
words of scope, in what was written before of the same item. Fields that aren't prose are facts
with each of their words. Pure: no file, no clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs import changes
from cvbuild.inputs.references import same_items, texts

#: Fields in which sentences stand.
_PROSE = frozenset(
    ("bullets", "summary", "text", "notes", "note", "description", "body", "headline", "opening",
     "closing", "subject", "keywords", "quote")
)  # fmt: skip
#: Fields that say how something is shown, and nothing of the person.
_LOOK = frozenset(
    ("template", "formats", "options", "locale", "order", "priority", "tags", "id",
     "keep", "private", "numbering")
)  # fmt: skip
#: Words of how large a part somebody had in something, by what they begin with.
_SCOPE = re.compile(
    r"(?:co-?)?(?:led|lead(?:s|er|ing)?|own(?:s|ed|er|ing)|found(?:ed|er|ing)|head(?:ed|ing)"
    r"|manag(?:e[drs]?|ing|ement)|direct(?:ed|or|ing)|chair(?:ed|s|ing)?|supervis(?:e[ds]?|or|ing)"
    r"|spearhead(?:ed|ing)?|architect(?:ed|ing)|pioneer(?:ed|ing)?|invent(?:ed|or|ing)|launch(?:ed"
    r"|ing)|initiat(?:ed|or|ing)|award(?:ed|-winning)|won|sole(?:ly)?|single-?handed(?:ly)?"
    r"|principal|chief|senior|expert|fluent|native|first|only|best|top|leading|world-class"
    r"|internationally|nationally|patented|certified|promoted|leitete|geleitet|gegründet|gründete"
    r"|verantwortlich|allein|führend|ausgezeichnet)",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    r"(?:Ph\.?D|Dr|Prof|Professor|M\.?Sc|B\.?Sc|M\.?A|B\.?A|M\.?B\.?A|M\.?D|LL\.?[BM]|B\.?Eng|M\.?Eng"
    r"|Diplom\w*|Master(?:'s|s)?|Bachelor(?:'s|s)?|Doctor(?:ate)?)\.?"
)
_NUMBER = re.compile(r"\d(?:[\d.,:/-]*\d)?(?:\s?(?:%|k|M|bn|million|billion|thousand)\b|%|\+)?")
_WORD = re.compile(r"[^\W\d_][\w’'.&+#-]*")
_SENTENCE = re.compile(r"(?:^|[.!?:;]\s+|\n\s*(?:[-*•]\s+)?)[\"“(*]*$")
_COUNTED = {
    word: str(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve")
    )
} | {"dozen": "12", "dozens": "12", "hundred": "100", "hundreds": "100", "thousands": "1000",
     "twice": "2", "doubled": "2", "tripled": "3", "halved": "2"}  # fmt: skip


class NewFact(Struct, frozen=True):
    """A word or a number of the new text that is no fact of the old one."""

    kind: str
    """number, name, degree, scope, or the field: title, date, employer."""
    words: str
    path: FieldPath
    """Its field in the new file."""


def find(before: Any, after: Any) -> tuple[NewFact, ...]:
    """Return the facts of the new data that aren't in the old, in the order of its fields."""
    everything = _Known(same_items.texts_of(before))
    found: dict[NewFact, None] = {}
    for one in changes.compare(before, after):
        if one.kind in ("removed", "moved") or _LOOK & {*one.target}:
            continue
        item = _item(before, one.path)
        known = everything if item is None else _Known(same_items.texts_of(item))
        for path, text in _texts(one.after, one.target):
            found |= dict.fromkeys(_of_text(text, path, known, everything))
    return tuple(found)


class _Known:
    """The words, numbers and names of texts, as they are compared."""

    def __init__(self, known: Iterable[str]) -> None:
        whole = "\n".join(known)
        self.words = {_folded(word) for word in _WORD.findall(whole)}
        self.stems = {word[:5] for word in self.words}
        self.numbers = set(_numbers(whole))


def _item(data: Any, path: FieldPath) -> Any:
    """Return the item of a section that a path leads into; None if it leads into none."""
    if "items" not in path[:-1]:
        return None
    place = path[: path.index("items") + 2]
    try:
        for step in place:
            data = data[step]
    except (LookupError, TypeError):
        return None
    return data if len(place) < len(path) else None


def _texts(value: Any, path: FieldPath) -> Iterator[tuple[FieldPath, str]]:
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            if key not in _LOOK:
                yield from _texts(inner, (*path, key))
    elif isinstance(value, str) and ("variants" not in path or _field(path) in _PROSE):
        yield path, value


def _field(path: FieldPath) -> str:
    """Return the last key of a path."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _of_text(text: str, path: FieldPath, known: _Known, everything: _Known) -> Iterator[NewFact]:
    for number in _numbers(text):
        if number not in known.numbers:
            yield NewFact("number", number, path)
    field = _field(path)
    for match in _WORD.finditer(text):
        word = match[0].rstrip(".'’-")
        folded = _folded(word)
        if not folded or folded in known.words or folded in _COUNTED:
            continue
        if _DEGREE.fullmatch(word):
            if folded not in everything.words:
                yield NewFact("degree", word, path)
        elif _SCOPE.fullmatch(word):
            if folded[:5] not in known.stems:
                yield NewFact("scope", word, path)
        elif folded in everything.words:
            continue
        elif field not in _PROSE:
            yield NewFact(field, word, path)
        elif _is_name(word, text, match.start()):
            yield NewFact("name", word, path)


def _is_name(word: str, text: str, at: int) -> bool:
    """Return whether a word is written as a name is: not only since a sentence begins with it."""
    if word == word.lower() or word == "I":
        return False
    if any(letter.isupper() for letter in word[1:]):
        return True
    if not _SENTENCE.search(text[:at]):
        return True
    following = _WORD.match(text[at + len(word) :].lstrip(" "))
    return bool(following and following[0][0].isupper())


def _numbers(text: str) -> Iterator[str]:
    """Yield the numbers of a text, each in one form: 1,200 and 1200, five and 5, 40 % and 40%."""
    for match in _NUMBER.finditer(text):
        for part in re.split(r"[/:-]", re.sub(r"(?<=\d)[,.](?=\d{3}(?!\d))", "", match[0])):
            if part := re.sub(r"\s|(?<=\d)\+", "", part):
                yield (part.lstrip("0") or "0").replace("%", "")
    for word in re.findall(r"[a-z]+", text.casefold()):
        if word in _COUNTED:
            yield _COUNTED[word]


def _folded(word: str) -> str:
    return re.sub(r"[\W_]+", "", texts.unaccented(word)).casefold().removesuffix("s")
