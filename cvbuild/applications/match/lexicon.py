"""Split a text into words, and tell which of them are the same word to a reader.

Stop words come from the package ``stop-words``, stems from ``snowballstemmer``.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from cvbuild.common import plugins
from cvbuild.common.errors import UsageError
from cvbuild.model import language_tags

_TABLE = Path(__file__).with_name("advert.toml")
#: Letters, and marks that have no composed form with a letter.
_LETTER = r"[^\W_\u0300-\u036f]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff]"
_PART = rf"(?:{_LETTER})+"
#: C++, C#, .NET, Ph.D, Node.js, R&D, e-mail.
_WORD = re.compile(rf"(?<![\w.])\.?{_PART}(?:[-.'&]{_PART})*(?:\+\+|#)?")
#: Of "Ada's" and of "GPUs": no stemmer takes the latter for a plural.
_ENDING = re.compile(r"'[sS]$|(?<=[A-Z0-9]{2})s$")
_SPACED = re.compile(r"\S+")
_DOMAIN = re.compile(r"\.(?:com|edu|html?|org)(?!\w)")
#: Characters that are invisible in the middle of a word.
_UNSEEN = {0xAD: None, 0x200B: None, 0x200C: None, 0x200D: None, 0x2060: None, 0xFEFF: None}
_PLAIN = str.maketrans({"’": "'", "‐": "-", "‑": "-", "_": " "}) | _UNSEEN
#: The most characters of a word; what is longer is ignored.
_LONGEST = 60
#: Languages that are written without spaces between words.
_UNSPACED = frozenset(["ja", "km", "lo", "my", "th", "zh"])
#: Languages that leave out a vowel before another: l'ordinateur.
_ELIDING = frozenset(["ca", "fr", "it"])
#: Languages whose stop words are under another tag.
_SAME = MappingProxyType({"no": "nb", "nn": "nb", "iw": "he"})


class Word(Struct, frozen=True):
    """A word of a text: as it is written, and as it is compared.

    ``whole`` compares it as one word (``backend``), ``parts`` as its pieces (``back``, ``end``).
    """

    text: str
    whole: str
    parts: tuple[str, ...]
    technical: bool = False
    """Whether its form alone says that it is a name: C++, CUDA, PyTorch, H100."""


@dataclass(frozen=True)
class Lexicon:
    """The words of a language; ``stem`` is the rule of its endings."""

    language: str
    stop: frozenset[str]
    filler: frozenset[str]
    joining: frozenset[str]
    cased: frozenset[str]
    stem: Callable[[str], str]
    _words: dict[tuple[str, bool], Word] = field(default_factory=dict, repr=False, compare=False)

    def segments(self, text: str) -> Iterator[tuple[Word, ...]]:
        """Yield the words between two punctuation marks; addresses count as punctuation."""
        text = unicodedata.normalize("NFKC", text).translate(_PLAIN)
        if self.language in _ELIDING:
            text = text.replace("'", " ")
        text = _SPACED.sub(lambda word: ";" if _is_address(word[0]) else word[0], text)
        shouted = self._is_shouted(text)
        words: list[Word] = []
        end = 0
        for word in _WORD.finditer(text):
            if words and not text[end : word.start()].isspace():
                yield tuple(words)
                words = []
            if word.end() - word.start() <= _LONGEST:
                words.append(self._known(word[0], shouted=shouted))
            end = word.end()
        if words:
            yield tuple(words)

    def breaks(self, word: Word, *, first: bool) -> bool:
        """Return whether a term ends before this word; ``first``: a sentence may begin with it."""
        if not any(map(str.isalpha, word.text)):
            return True
        low = _bare(word.text)
        if len(low) == 1:
            return word.text not in self.cased
        common = low in self.filler or (low in self.stop and low not in self.joining)
        if word.text in self.cased:
            return common and first
        if word.technical:
            # Two capitals are rather an acronym (AI, IT) than an emphasised word.
            return common and word.text.isupper() and (len(low) > 2 or low in self.filler)
        return common

    def is_weak(self, word: Word) -> bool:
        """Return whether a word says nothing alone."""
        return _bare(word.text) in self.joining or len(word.whole) < 2

    def _is_shouted(self, text: str) -> bool:
        """Return whether a line is in capitals for its looks: they say nothing of its words."""
        if text.upper() != text or text.lower() == text:
            return False
        words = [word[0].lower() for word in _WORD.finditer(text)]
        return any(len(w) > 7 or w in self.filler or (len(w) > 2 and w in self.stop) for w in words)

    def _known(self, text: str, *, shouted: bool) -> Word:
        """Return the word, mostly from the cache."""
        name = (text, shouted)
        if name not in self._words:
            self._words[name] = self._word(text, shouted=shouted)
        return self._words[name]

    def _word(self, text: str, *, shouted: bool) -> Word:
        text = _ENDING.sub("", text)
        pieces = text.split("-")
        technical = not shouted and any(map(_is_technical, pieces))
        if text in self.cased or (text.isupper() and self._is_common(text)):
            # In other letters it is another word: Go, REST, IT.
            return Word(text, f"={text}", (f"={text}",), technical)
        parts = tuple(self.stem(_bare(piece)) for piece in pieces)
        whole = parts[0] if len(parts) == 1 else self.stem(_bare(text.replace("-", "")))
        return Word(text, whole, parts, technical)

    def _is_common(self, text: str) -> bool:
        low = text.lower()
        return len(low) <= 4 and (low in self.stop or text in self.cased)


def load(tag: str) -> Lexicon:
    """Return the lexicon of a language; ``tag`` is a known BCP 47 tag.

    Raises UsageError if a package that this needs is missing, or the language has no spaces between
    words or no stop words.
    """
    code = language_tags.canonical(tag).partition("-")[0]
    code = _SAME.get(code, code)
    try:
        import stop_words

        stem = _stem(code)
    except ImportError as error:
        raise plugins.missing("match", "match", error) from None
    if code in _UNSPACED or code not in stop_words.LANGUAGE_MAPPING:
        message = f"terms can't be told from other words in {language_tags.name(tag)}"
        hint = f"if the advertisement is in another language: --locale {_known()}"
        raise UsageError.because("match-language", message, hint)
    stop = frozenset(word.lower().replace("’", "'") for word in stop_words.get_stop_words(code))
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    own = table.get(code, {})
    lists = (own.get("filler", ""), own.get("joining", ""), table["cased"])
    filler, joining, cased = (frozenset(text.split()) for text in lists)
    return Lexicon(code, stop, filler, joining, cased, stem)


def _stem(code: str) -> Callable[[str], str]:
    """Return how a language's words lose their endings; unchanged if Snowball lacks it."""
    import snowballstemmer

    language = language_tags.locale(code)
    # Snowball calls a language by its English name.
    name = language.name.lower().partition(" ")[0] if language else ""
    if name not in snowballstemmer.algorithms():
        return str
    stem: Callable[[str], str] = cache(snowballstemmer.stemmer(name).stemWord)
    return stem


def _known() -> str:
    import stop_words

    return ", ".join(sorted(set(stop_words.LANGUAGE_MAPPING) - _UNSPACED))


def _is_address(text: str) -> bool:
    return "@" in text or "://" in text or bool(_DOMAIN.search(text))


def _bare(text: str) -> str:
    """Return small letters without inner full stops and apostrophes: phd, nodejs; but .net."""
    start = "." if text.startswith(".") else ""
    return start + text.casefold().replace(".", "").replace("'", "")


def _is_technical(text: str) -> bool:
    """Return whether symbols, digits or inner capitals make it a name."""
    if text[-1:] in "+#" or text[:1] == "." or "&" in text:
        return True
    if "." in text:
        return text != text.lower() or len(text) > 5
    letters = sum(map(str.isupper, text))
    if letters > 1 or (letters == 1 and not text[0].isupper()):
        return True
    return text[0].isalpha() and any(map(str.isdigit, text))
