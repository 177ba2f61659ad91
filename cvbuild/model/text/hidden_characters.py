"""Characters that a text hides: invisible ones, letters of another alphabet, turned directions.

What a language or a symbol needs is none of these: joiners in Persian, in Indic scripts and in
emoji, marks of direction in a text that runs right to left, words that are wholly in one alphabet.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from msgspec import Struct

#: What a text is: an address is looked at most strictly, prose only for what turns or tags it.
Use = Literal["address", "name", "headline", "prose"]

_OVERRIDES = "\u202d\u202e"
_JOINERS = "\u200c\u200d"
_DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
_TAGS = re.compile("[\U000e0000-\U000e007f]")
#: Signs of a script that count as format characters, and are seen.
_SEEN = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]")
_VARIATION = re.compile("[\ufe00-\ufe0f\u180b-\u180f\U000e0100-\U000e01ef]")
#: Scripts without spaces between words, where a zero width space stands in their place.
_SPACELESS = ("THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "CJK", "HIRAGANA", "KATAKANA")
_ALPHABETS = ("LATIN", "GREEK", "CYRILLIC")
#: Letters that look like those of another alphabet. Why few small Greek ones: they are signs.
_ALIKE = {
    "CYRILLIC": frozenset("аеорсухіјѕһԁԛԝАВЕЗКМНОРСТУХІЈЅ"),
    "GREEK": frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο"),
    "LATIN": frozenset("aeopcyxijshABEZHIKMNOPCTYXSJ"),
}
_WORD = re.compile(r"[^\W\d_]+")
#: The host of a web address; what else it has is encoded, and keeps its characters.
_HOST = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://)?[^/?#]*")


class Hidden(Struct, frozen=True):
    """A character and where it is in the text, with the fact and what to do."""

    character: str
    at: int
    code: str
    fact: str
    hint: str

    @property
    def name(self) -> str:
        """The character as U+200B (zero width space)."""
        name = unicodedata.name(self.character, "an unnamed character").lower()
        return f"U+{ord(self.character):04X} ({name})"


def find(text: str, use: Use) -> Hidden | None:
    """Return the first character of a text that it hides; None for a text as it seems."""
    if text.isascii() or not any(map(str.isprintable, text)):
        return None
    flags = [range(*flag.span()) for flag in _FLAG.finditer(text)]
    host = _HOST.match(text) if use == "address" else None
    end = host.end() if host else 0
    for at, character in enumerate(text):
        if character in _OVERRIDES:
            hint = "delete it, and the mark that ends it"
            return Hidden(character, at, "text-direction", "turns the order of letters", hint)
        if any(at in flag for flag in flags):
            continue
        strict = _TAGS.match(character) if use == "prose" else _is_invisible(character)
        if strict and (at < end or not _is_needed(text, at, use)):
            hint = "delete it, or type the words anew"
            return Hidden(character, at, "text-invisible", "is invisible", hint)
    return None if use == "prose" else _alike(text, use)


def removed(text: str) -> str:
    """Return a text without what it hides, but with all letters."""
    if text.isascii():
        return text
    return "".join(
        character
        for at, character in enumerate(text)
        if character not in _OVERRIDES
        and (not _is_invisible(character) or _is_needed(text, at, "name"))
    )


def _is_invisible(character: str) -> bool:
    if _VARIATION.match(character) or character in "\u034f\u17b4\u17b5":
        return True
    is_hieroglyph = "\U00013430" <= character <= "\U0001345f"
    is_format = unicodedata.category(character) == "Cf"
    return is_format and not is_hieroglyph and not _SEEN.match(character)


def _is_needed(text: str, at: int, use: Use) -> bool:
    """Return whether an invisible character has a purpose between those beside it."""
    character, before, after = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if not before:
        return character in _DIRECTIONS and _runs_left(text)
    if character == "\u00ad":
        return use == "headline" and before.isalpha() and after.isalpha()
    if character == "\u200b":
        return _script(before) in _SPACELESS or _script(after) in _SPACELESS
    if character in _DIRECTIONS:
        return _runs_left(text)
    if character in _JOINERS or character in "\u034f\u17b4\u17b5":
        return unicodedata.category(before)[0] in "LMS" and _script(before) not in _ALPHABETS
    if _VARIATION.match(character):
        return not before.isspace() and _script(before) not in _ALPHABETS
    return False


def _runs_left(text: str) -> bool:
    return any(unicodedata.bidirectional(one) in ("R", "AL") for one in text)


def _script(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0] if character else ""


def _alike(text: str, use: Use) -> Hidden | None:
    """Return the first letter that looks like one of the alphabet of the rest of its word."""
    for word in _WORD.finditer(text):
        if word[0].isascii():
            continue
        scripts = [_script(one) for one in word[0]]
        counted = {name: scripts.count(name) for name in _ALPHABETS if name in scripts}
        if len(counted) < 2:
            continue
        # Of a word with as many of both, the Latin letters are those that are meant.
        most = max(counted, key=lambda name: (counted[name], name == "LATIN"))
        others = [at for at, name in enumerate(scripts) if name in counted and name != most]
        alike = {one: _ALIKE[one] | frozenset("νρ" if use != "headline" else "") for one in counted}
        if all(word[0][at] in alike[scripts[at]] for at in others):
            fact = f"looks like a {most.title()} letter of the same word"
            at = word.start() + others[0]
            return Hidden(text[at], at, "text-alike", fact, "type the word anew in one alphabet")
    return None
