"""Find the terms of an advertisement, by rules that a reader can follow.

Words are cut at punctuation, at stop words, at what advertisements always say, and at numbers. What
is between two cuts is a term if it has one to four words. A word whose form shows that it is a name
(C++, CUDA, H100) is a term by itself. If a part of a longer stretch is a term elsewhere, it is one
here, too, and what is left over isn't.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from msgspec import Struct, field

from cvbuild.applications.match.advert import Line
from cvbuild.applications.match.lexicon import Lexicon, Word

#: The most words of a term, and the most terms of an advertisement.
LONGEST, MOST = 4, 200

#: What a mail address ends in. The most letters of a legal form, such as GmbH.
_MAIL = re.compile(r"\w@([\w.-]+)")
_LEGAL = 4
Key = tuple[str, ...]
_Run = tuple[Word, ...]


class Term(Struct, frozen=True):
    """What an advertisement speaks of: ``count`` times, first in ``line``.

    ``text`` is how it is written most often.
    """

    text: str
    count: int
    line: int
    score: int
    """``count`` times the words, three at most; a name or a word with a hyphen counts as two."""
    key: Key
    """Its words as they are compared."""
    pieces: Key
    """The same with the pieces of words with a hyphen: back end."""


class _Seen(Struct):
    words: _Run
    line: int
    forms: Counter[str] = field(default_factory=Counter)


def find(lines: Iterable[Line], lexicon: Lexicon) -> tuple[Term, ...]:
    """Return the terms of some lines, the highest score first, then by line; MOST at most."""
    runs = [(line.number, run) for line in lines for run in _runs(line.text, lexicon)]
    alone = {_key(run) for _, run in runs if 1 < len(run) <= LONGEST}
    seen: dict[Key, _Seen] = {}
    for number, run in runs:
        # Its parts that are terms elsewhere, else the run itself.
        parts = [*_inside(run, alone)] or ([run] if len(run) <= LONGEST else [])
        for part in parts:
            if len(part) > 1 or not lexicon.is_weak(part[0]):
                term = seen.setdefault(_key(part), _Seen(part, number))
                term.forms[" ".join(word.text for word in part)] += 1
    # Stable: equals stay in the order in which they come.
    terms = sorted(map(_term, seen.values()), key=lambda term: -term.score)
    return tuple(terms[:MOST])


def names(lines: Iterable[Line], employer: str) -> frozenset[str]:
    """Return an employer's name, without "GmbH" or "Ltd", and those in addresses, as letters."""
    words = employer.split()
    full = words[:-1] if len(words) > 1 and len(words[-1]) <= _LEGAL else words
    hosts = (host for line in lines for host in _MAIL.findall(line.text))
    labels = (label for host in hosts for label in host.split(".")[:-1] if len(label) > _LEGAL)
    return frozenset(_letters(one) for one in ("".join(words), "".join(full), *labels) if one)


def is_named(term: Term, names: frozenset[str]) -> bool:
    """Return whether a term begins with a name in capitals: Example Institute."""
    words = [*takewhile(lambda word: word[:1].isupper(), term.text.split())]
    return any(_letters("".join(words[: at + 1])) in names for at in range(len(words)))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def pieces(words: Iterable[Word]) -> Key:
    """Return words as they are compared, in their pieces."""
    return tuple(piece for word in words for piece in word.parts)


def _runs(text: str, lexicon: Lexicon) -> Iterator[_Run]:
    """Yield what is between two cuts; a name is cut from what isn't one."""
    for segment in lexicon.segments(text):
        run: list[Word] = []
        for at, word in enumerate(segment):
            cut = lexicon.breaks(word, first=at == 0 and len(segment) > 1)
            if run and (cut or word.technical):
                yield tuple(run)
                run = []
            if word.technical and not cut:
                yield (word,)
            elif not cut:
                run.append(word)
        if run:
            yield tuple(run)


def _inside(run: _Run, alone: set[Key]) -> Iterator[_Run]:
    """Yield the stretches of a run that stand alone elsewhere, preferring the longest."""
    start = 0
    while start < len(run):
        size = next(
            (
                size
                for size in range(min(LONGEST, len(run) - start), 1, -1)
                if size < len(run) and _key(run[start : start + size]) in alone
            ),
            0,
        )
        if size:
            yield run[start : start + size]
        start += size or 1


def _term(seen: _Seen) -> Term:
    words, count = seen.words, seen.forms.total()
    text = seen.forms.most_common(1)[0][0]
    weight = min(3, sum(2 if word.technical or "-" in word.text else 1 for word in words))
    return Term(text, count, seen.line, count * weight, _key(words), pieces(words))


def _key(words: Sequence[Word]) -> Key:
    return tuple(word.whole for word in words)
