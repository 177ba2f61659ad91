"""Find the scripts of a text, where its lines may break, and the runs it is set in. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field

from cvbuild.outputs.pdf.latex import bidi

#: Scripts whose characters begin with the script's name in Unicode.
_NAMED = frozenset((
    "latin", "greek", "cyrillic", "armenian", "hebrew", "arabic", "syriac", "thaana",
    "devanagari", "bengali", "gurmukhi", "gujarati", "oriya", "tamil", "telugu", "kannada",
    "malayalam", "sinhala", "thai", "lao", "tibetan", "myanmar", "georgian", "ethiopic",
    "cherokee", "khmer", "mongolian", "hangul",
))  # fmt: skip
_HAN = frozenset(("cjk", "ideographic", "fullwidth", "kangxi", "bopomofo"))
_KANA = frozenset(("hiragana", "katakana", "halfwidth"))
#: Scripts whose words stay in one face, so that a name doesn't change its look at one letter.
_WORDS = _NAMED - {"hangul"}
#: Scripts in which a line may break between any two characters.
EAST_ASIAN = frozenset(("han", "kana"))
#: Characters without a shape of their own; TeX acts on some of them.
INVISIBLE = frozenset("\t\n\r \u00a0\u00ad\u200b\u202f\u2060\ufeff") | bidi.CONTROLS
_BLANK = re.compile(f"([{''.join(sorted(INVISIBLE))}]+)")
#: Characters that join or separate the shapes of their neighbours.
JOINERS = "\u200c\u200d"
NO_JOINERS = dict.fromkeys(map(ord, JOINERS))
#: No line begins with these (JIS X 4051, shortened), none ends with those.
_NOT_FIRST = frozenset(
    "、。，．・：；？！゛゜ヽヾゝゞ々ー’”）〕］｝〉》」』】〙〗〟｠»ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ…‥—"
    ")]},.:;?!%"
)
_NOT_LAST = frozenset("‘“（〔［｛〈《「『【〘〖〝｟«([{")
#: Quotation marks that Latin and Chinese share, and where they are those of a Chinese sentence.
_QUOTES = "“”‘’"
_SQUARE = "[\u3001-\u30ff\u3400-\u9fff\uff01-\uff60]"
_QUOTED = re.compile(f"{_SQUARE}[“‘]|[”’]{_SQUARE}")


class Run(Struct, frozen=True):
    """Characters of one face and one level; ``face`` is empty for the family's own face."""

    text: str
    face: str = ""
    level: int = 0


class _OpenRun(NamedTuple):
    """A run to which characters are still added."""

    characters: list[str]
    face: str
    level: int


class FaceFiles(Struct, frozen=True):
    """Font files by LaTeX's series and shape: of a typeface, or of a face of a script.

    ``language`` is a BCP 47 tag, ``features`` are those that are on and off: -kern;+lnum.
    """

    shapes: tuple[tuple[str, Path], ...]
    index: int = 0
    scale: float = 1.0
    language: str = ""
    features: str = ""


class Face(Struct, frozen=True):
    """How TeX loads the fonts of a face: ``name`` has only letters.

    ``shapes`` are LaTeX's series and shape, each with the name of a TFM. ``files`` are the font
    files.
    """

    name: str
    shapes: tuple[tuple[str, str], ...]
    files: tuple[str, ...]
    scale: float = 1.0
    language: str = ""
    """BCP 47 tag of the language that the script implies; empty where it implies none."""
    slots: tuple[tuple[str, int], ...] = ()
    """The slots of the document's characters, but those of LaTeX's T1 encoding."""
    words: bool = True
    """Whether it sets words, with ASCII, as the document's typeface does."""
    shaping: FaceFiles | None = None
    """What its words are shaped with before TeX runs, if they are."""


class Setting(Struct, frozen=True, dict=True):
    """How the texts of one document are set.

    ``family`` is the document's own typeface; without it the style's. ``faces`` is the face that a
    piece of text needs, a word or even a character: (piece, in code) -> name of a Face; other
    pieces are set in the family. ``unicode`` is false where all of a text runs from left
    to right. ``space`` is the space between words in em, 0 for the font's own.
    ``words`` is the TeX that sets a word of a face that shapes, by face, word, and whether it runs
    right to left: in each shape of the face, empty where that is no different from the first.
    """

    unicode: bool = False
    rtl: bool = False
    language: str = ""
    family: Face | None = None
    space: float = 0.0
    used: tuple[Face, ...] = ()
    faces: Mapping[tuple[str, bool], str] = field(default_factory=dict)
    words: Mapping[tuple[str, str, bool], tuple[str, ...]] = field(default_factory=dict)

    @property
    def files(self) -> tuple[Path, ...]:
        """The font files, each once."""
        every = (*((self.family,) if self.family else ()), *self.used)
        return tuple(dict.fromkeys(Path(file) for face in every for file in face.files))

    @cached_property
    def shaped(self) -> frozenset[str]:
        """The names of the faces whose words are shaped before TeX runs."""
        return frozenset(face.name for face in self.used if face.shaping)

    def languages(self) -> dict[str, str]:
        """Return the language of each face, where it isn't the document's."""
        main = self.language.partition("-")[0]
        return {
            face.name: face.language
            for face in self.used
            if face.language and face.language.partition("-")[0] != main
        }

    def base(self, text: str, *, verbatim: bool = False) -> int:
        """Return the level of a text by itself: 1 if it runs right to left.

        In a document that runs right to left every text with such letters does; elsewhere the
        first letter decides. ``verbatim``: a text without letters, such as a phone number, runs
        left to right.
        """
        if not self.unicode:
            return 0
        first = bidi.first_strong(text)
        if first is None:
            return 0 if verbatim else int(self.rtl)
        return 1 if self.rtl and bidi.runs_right(text) else first

    def runs(self, text: str, levels: list[int], *, code: bool = False) -> list[Run]:
        """Return the text in runs, with ``levels`` of its characters; controls are left out."""
        if not self.unicode and not self.faces:
            return [Run(text)] if text else []
        open_runs: list[_OpenRun] = []
        at = 0
        for piece in self._units(text, code):
            face = self.faces.get((piece, code), "")
            for offset, character in enumerate(piece):
                level = levels[at + offset]
                if character in bidi.CONTROLS:
                    # Nothing to print, but it may separate two runs.
                    open_runs.append(_OpenRun([], "", level))
                    continue
                if character in JOINERS and not face:
                    continue
                blank = character in INVISIBLE
                last = open_runs[-1] if open_runs else _OpenRun([], "", -1)
                if last.characters and last.level == level and (blank or last.face == face):
                    last.characters.append(character)
                else:
                    open_runs.append(_OpenRun([character], "" if blank else face, level))
            at += len(piece)
        return [Run("".join(one.characters), one.face, one.level) for one in open_runs]

    def _units(self, text: str, code: bool) -> Iterator[str]:
        """Yield all of the text in parts that have one face each."""
        for word in words(text):
            if (word, code) in self.faces:
                yield word
            else:
                yield from pieces(word)


@lru_cache(maxsize=8192)
def script_of(character: str) -> str:
    """Return a character's script, "han" or "kana" for East Asian marks too; empty if none."""
    name = unicodedata.name(character, "")
    first = re.split(r"[ -]", name, maxsplit=1)[0].lower()
    if first in _HAN:
        return "han"
    if first in _KANA:
        return "hangul" if "HANGUL" in name else "kana"
    if "\u3001" <= character <= "\u303f" or "\u3200" <= character <= "\u33ff":
        return "han"
    return first if first in _NAMED else ""


def scripts_of(text: str) -> frozenset[str]:
    """Return the scripts of a text."""
    return frozenset(filter(None, map(script_of, text)))


def first_script(text: str) -> str:
    """Return the first script in a text; empty if it has none."""
    return next(filter(None, map(script_of, text)), "")


def is_mark(character: str) -> bool:
    """Return whether the character is a mark on another one."""
    return unicodedata.category(character) in ("Mn", "Mc", "Me")


def is_variation(character: str) -> bool:
    """Return whether the character selects a variant of the one before it."""
    return "\ufe00" <= character <= "\ufe0f"


def words(text: str) -> list[str]:
    """Return all of the text in words, with the punctuation at them, and what is between."""
    return [part for part in _BLANK.split(text) if part]


def pieces(text: str) -> Iterator[str]:
    """Yield all of the text, in order, in pieces that need one face each.

    A piece is a word of an alphabet, or one character with its marks; joiners belong to the piece
    before them, quotation marks of a Chinese sentence to the character beside them.
    """
    piece, script = "", ""
    quoted = bool(_QUOTED.search(text))
    for character in text:
        mine = script_of(character)
        joined = is_mark(character) or character in JOINERS or is_variation(character)
        if quoted and character in _QUOTES:
            joined = joined or script in EAST_ASIAN
        elif quoted and piece and mine in EAST_ASIAN and not piece.strip(_QUOTES):
            piece, script = piece + character, mine
            continue
        together = joined or (mine == script and mine in _WORDS)
        if piece and together and piece[-1] not in INVISIBLE:
            piece += character
            continue
        if piece:
            yield piece
        piece, script = character, mine
    if piece:
        yield piece


def breaks_between(before: str, after: str) -> bool:
    """Return whether a line may break between two characters of an East Asian text."""
    if not before or before in INVISIBLE or after in INVISIBLE or is_mark(after):
        return False
    if after in _NOT_FIRST or before in _NOT_LAST:
        return False
    return script_of(before) in EAST_ASIAN or script_of(after) in EAST_ASIAN
