"""What differs between two versions of a file's facts: by field, in words, and which facts are new.

Both are plain data of YAML. Items of lists are the same if they are equal, have the same ``id``,
tell of the same thing (``identity``), or have most words in common: moved, or reworded.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from difflib import SequenceMatcher
from functools import reduce
from operator import getitem
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs.references import identity
from cvbuild.model.text import texts

Kind = Literal["changed", "added", "removed", "moved"]
Words = Literal["same", "gone", "new"]
#: Keys that say what a thing is, in the order in which they are tried for its name.
_NAMES = ("title", "name", "employer", "institution", "organization", "label", "text", "kind")
#: The most pairs of items whose words are compared: more take seconds.
_MOST = 40_000
#: The characters of a text in a line.
_SHOWN = 100


class Change(Struct, frozen=True):
    """A value that isn't the same in both.

    ``path`` is its place in the first, and ``target`` in the second. What was added has its
    container's path in the first, with its key or index in the second.
    """

    kind: Kind
    path: FieldPath
    target: FieldPath
    before: Any = None
    after: Any = None


def compare(
    first: Any, second: Any, path: FieldPath = (), target: FieldPath = ()
) -> Iterator[Change]:
    """Yield all changes that make the second of the first; these are at a path and a target."""
    if first == second:
        return
    if isinstance(first, dict) and isinstance(second, dict):
        for key in first:
            if key not in second:
                yield Change("removed", (*path, key), (*target, key), first[key])
            else:
                yield from compare(first[key], second[key], (*path, key), (*target, key))
        for key in second.keys() - first.keys():
            yield Change("added", (*path, key), (*target, key), None, second[key])
    elif isinstance(first, list) and isinstance(second, list):
        pairs = _pairs(first, second)
        gone = [at for at in range(len(first)) if at not in pairs]
        yield from (Change("removed", (*path, at), (*target, at), first[at]) for at in gone)
        for at, to in pairs.items():
            yield from compare(first[at], second[to], (*path, at), (*target, to))
        # Those that keep their order among each other haven't moved.
        order = [*pairs.values()]
        blocks = SequenceMatcher(None, sorted(order), order, autojunk=False).get_matching_blocks()
        stays = {order[block.b + n] for block in blocks for n in range(block.size)}
        moved = [(at, to) for at, to in pairs.items() if to not in stays]
        for at, to in moved:
            yield Change("moved", (*path, at), (*target, to), first[at], second[to])
        new = sorted({*range(len(second))}.difference(order))
        yield from (Change("added", (*path, to), (*target, to), None, second[to]) for to in new)
    else:
        yield Change("changed", path, target, first, second)


def _pairs(first: list[Any], second: list[Any]) -> dict[int, int]:
    """Return the index in the second of each item of the first that is in both."""
    pairs: dict[int, int] = {}
    old, new = ([json.dumps(one, sort_keys=True) for one in items] for items in (first, second))
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        pairs |= {block.a + n: block.b + n for n in range(block.size)}
    left = {*range(len(first))} - {*pairs}
    right = {*range(len(second))} - {*pairs.values()}
    if len(left) * len(right) > _MOST:
        return pairs
    words = {
        id(item): Counter(" ".join(identity.texts_of(item)).casefold().split())
        for item in (*first, *second)
    }

    def likeness(one: Any, other: Any) -> float:
        """Return 3 for equal items, 2 for those of one thing, else the share of words or 0."""
        if one == other or _is_same(one, other):
            return 3 if one == other else 2
        these, those = words[id(one)], words[id(other)]
        common = 2 * (these & those).total() / max(1, these.total() + those.total())
        return common if common >= 0.5 else 0

    scored = [
        (likeness(first[at], second[to]), -abs(at - to), at, to) for at in left for to in right
    ]
    # Of several as like, the one at the same place: what was written twice stays where it is.
    for score, _, at, to in sorted(scored, reverse=True):
        if score > 0 and at in left and to in right:
            pairs[at] = to
            left.remove(at)
            right.remove(to)
    return dict(sorted(pairs.items()))


def _is_same(one: Any, other: Any) -> bool:
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return False
    if "id" in one or "id" in other:
        return one.get("id") == other.get("id")
    if "items" in one or "groups" in one:
        names = [(each.get("kind"), each.get("title")) for each in (one, other)]
        return names[0] == names[1]
    kind = next((name for name in identity.TELLING if identity.TELLING[name][0] in one), "")
    return identity.is_same_item(kind, one, other)


def place(one: Change, before: Any, after: Any) -> str:
    """Return the words for a change's place: "Experience › Example Cloud › bullets 2"."""
    data, path = (after, one.target) if one.kind == "added" else (before, one.path)
    names: list[str] = []
    for step in path:
        data = data[step]
        if isinstance(step, int):
            named = (
                next((data[key] for key in _NAMES if data.get(key)), "")
                if isinstance(data, dict)
                else ""
            )
            if name := identity.first_text(named):
                is_kind = name == data.get("kind")
                names.append(_short(name.replace("-", " ").capitalize() if is_kind else name, 50))
            elif names:
                names[-1] += f" {step + 1}"
            else:
                names.append(f"paragraph {step + 1}")
        elif step not in ("sections", "groups", "items"):
            names.append(step)
    return " › ".join(names) or "all"


def words(one: Change) -> list[tuple[Words, str]]:
    """Return what a change is in words: those of both, those that are gone, those that are new."""
    match one.kind:
        case "moved":
            return [("same", f"was number {int(one.path[-1]) + 1}, is {int(one.target[-1]) + 1}")]
        case "removed":
            return [("gone", _short(_text(one.before)))]
        case "added":
            return [("new", _short(_text(one.after)))]
    old, new = _text(one.before).split(), _text(one.after).split()
    marked: list[tuple[Words, str]] = []
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            marked.append(("same", " ".join(old[a:b])))
            continue
        if b > a:
            marked.append(("gone", " ".join(old[a:b])))
        if d > c:
            marked.append(("new", " ".join(new[c:d])))
    return marked


def _text(value: Any) -> str:
    return ", ".join(identity.texts_of(value)) or "nothing"


def _short(text: str, most: int = _SHOWN) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


# -- facts that a rewritten file has, and the one before hasn't ------------------------------------

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
_WORDS_OF = re.compile(r"[^\W\d_][\w’'.&+#-]*")
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


def find_new(before: Any, after: Any) -> tuple[NewFact, ...]:
    """Return the facts of the new data that aren't in the old, in the order of its fields."""
    everything = _known(before)
    facts: dict[NewFact, None] = {}
    for change in compare(before, after):
        if change.kind in ("removed", "moved") or _LOOK & {*change.target}:
            continue
        known = everything
        if "items" in change.path[:-1]:
            # The item of a section that the change is in, if it was there.
            place = change.path[: change.path.index("items") + 2]
            with suppress(LookupError, TypeError):
                item = reduce(getitem, place, before)
                known = (
                    _known(item) if item is not None and len(place) < len(change.path) else known
                )
        for path, text in _prose_in(change.after, change.target):
            facts |= dict.fromkeys(_of_text(text, path, known, everything))
    return tuple(facts)


class _Known(NamedTuple):
    """The words, their beginnings and the numbers of texts, as they are compared."""

    words: set[str]
    stems: set[str]
    numbers: set[str]


def _known(value: Any) -> _Known:
    whole = "\n".join(identity.texts_of(value))
    words = {_folded(word) for word in _WORDS_OF.findall(whole)}
    return _Known(words, {word[:5] for word in words}, {*_numbers(whole)})


def _prose_in(value: Any, path: FieldPath) -> Iterator[tuple[FieldPath, str]]:
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            if key not in _LOOK:
                yield from _prose_in(inner, (*path, key))
    elif isinstance(value, str) and ("variants" not in path or _field(path) in _PROSE):
        yield path, value


def _field(path: FieldPath) -> str:
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _of_text(text: str, path: FieldPath, known: _Known, everything: _Known) -> Iterator[NewFact]:
    for number in _numbers(text):
        if number not in known.numbers:
            yield NewFact("number", number, path)
    field = _field(path)
    for match in _WORDS_OF.finditer(text):
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
        elif _is_written_as_name(word, text, match.start()):
            yield NewFact("name", word, path)


def _is_written_as_name(word: str, text: str, at: int) -> bool:
    """Return whether a word is written as a name is: not only since a sentence begins with it."""
    if word == word.lower() or word == "I":
        return False
    if any(letter.isupper() for letter in word[1:]):
        return True
    if not _SENTENCE.search(text[:at]):
        return True
    following = _WORDS_OF.match(text[at + len(word) :].lstrip(" "))
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
