"""Check whether a letter greets or closes twice, or says what a new file's says.

It greets twice in its body, and as every letter does.

The words are those of the tables of ``locales`` and of greetings.toml, in the document's language
and in English.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from msgspec import Struct

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.inputs.letters import PATH
from cvbuild.inputs.yaml.source import Source
from cvbuild.model.letter_body import Body
from cvbuild.model.locales.words import language_of, table

#: How the letter of a new file begins (workspace-template/applications).
STARTER = "Two or three paragraphs: why this position, why you, what you would like to do there."
#: The most words of a greeting.
_MOST_WORDS = 8
#: Characters of a greeting in a script without spaces.
_MOST_CHARACTERS = 40
_WORDS = Path(__file__).with_name("greetings.toml")
#: What stands before a name and isn't a part of it.
_TITLES = frozenset(("dr", "prof", "mr", "mrs", "ms", "phd"))


def check(body: Body, source: Source, locale: str, name: str) -> Iterator[Diagnostic]:
    """Yield a warning for a greeting, a closing, and a new file's text in a letter by ``name``.

    ``source`` has the letter, ``locale`` is that of the document.
    """
    first, last = body.blocks[0], body.blocks[-1]
    if str(first.texts[0]) == STARTER:
        message, span = "the letter is still that of a new file", source.span((*PATH, "body", 0))
        yield Diagnostic("warning", "starter", message, span, "write your own")
    phrases = _phrases(language_of(locale) or "en")
    if first.kind == "paragraph" and phrases.greets(str(first.texts[0])):
        yield _twice("greeting", "opening", 0, source)
    texts = [str(block.texts[0]) for block in body.blocks]
    index = len(texts) - 1
    if index and not _without_name(texts[index], name):
        index -= 1  # The name is a paragraph of its own below the closing.
    if index and last.kind == "paragraph" and phrases.closes(texts[index], name):
        yield _twice("closing", "closing", index, source)


def _twice(noun: str, key: str, index: int, source: Source) -> Diagnostic:
    message = f"the letter gets a second {noun}: cvbuild writes one"
    hint = f"take it out of the body, or move it to {key}:"
    span = source.span((*PATH, "body", index))
    return Diagnostic("warning", f"letter-{key}", message, span, hint)


def _folded(text: str) -> str:
    """Return the words of a text, to compare."""
    return " ".join(re.findall(r"\w+", text.casefold()))


class _Phrases(Struct, frozen=True):
    """How letters of one language begin and end, all folded; ``own`` is what cvbuild writes."""

    own: tuple[str, str]
    openings: tuple[str, ...]
    alone: tuple[str, ...]
    closings: frozenset[str]
    farewells: tuple[str, ...]

    def greets(self, text: str) -> bool:
        """Return whether a paragraph begins with a greeting."""
        head, mark, rest = _partition(text)
        if len(head.split()) > _MOST_WORDS or (not mark and head.endswith(".")):
            return False
        folded = _folded(head)
        before, after = self.own
        is_short = len(text) <= _MOST_CHARACTERS
        if after and not before and is_short and _folded(text).endswith(after):
            return True
        if any(_begins(folded, one) for one in self.openings):
            return True
        greeting = max((one for one in self.alone if _begins(folded, one)), key=len, default=None)
        if greeting is None:
            return False
        names = head.split()[len(greeting.split()) :]
        return not rest.strip() or not any(word[0].islower() for word in (*names, rest.strip()))

    def closes(self, text: str, name: str) -> bool:
        """Return whether a paragraph ends with a closing, and perhaps with the name."""
        last = re.split(r"[.!?。！？]\s*", text.rstrip(" .!?。！？"))[-1]
        return any(
            _without_name(part, name) in self.closings or _folded(part).startswith(self.farewells)
            for part in (text, last)
        )


@cache
def _phrases(language: str) -> _Phrases:
    """Return the phrases of a language that has a table, with those of English."""
    words = table(language).words
    before, _, after = words["letter-opening-name"].partition("{name}")
    unnamed = " ".join(_folded(words["letter-opening"]).split()[:2])
    data = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
    known = [data["en"], *(data[one] for one in {language.partition("-")[0]} - {"en"})]
    listed = {
        key: [_folded(text) for one in known for text in one.get(key, ())]
        for key in ("openings", "alone", "closings", "farewells")
    }
    own = [one for one in (_folded(before), unnamed) if one]
    return _Phrases(
        (_folded(before), _folded(after)),
        tuple(listed["openings"]),
        (*listed["alone"], *own),
        frozenset((*listed["closings"], _folded(words["letter-closing"]))),
        tuple(listed["farewells"]),
    )


def _begins(text: str, words: str) -> bool:
    """Return whether a text begins with words; languages without spaces write on after them."""
    unspaced = re.search(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", words)
    return f"{text} ".startswith(words if unspaced else f"{words} ")


def _without_name(text: str, name: str) -> str:
    """Return the words of a text without the name, or parts of it, at its end or beginning."""
    words, names = _folded(text).split(), {*_folded(name).split(), *_TITLES}
    names |= {word[0] for word in names}
    while words and words[-1] in names:
        words.pop()
    while words and words[0] in names:
        words.pop(0)
    return " ".join(words)


def _partition(text: str) -> tuple[str, str, str]:
    """Return what is before the first mark that ends a greeting, the mark, and the rest."""
    match = re.search(r"[,:!،，：](?:\s|\Z)", text)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")
