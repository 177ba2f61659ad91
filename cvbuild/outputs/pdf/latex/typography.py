"""Add what a typesetter adds to a text: addresses of links, soft hyphens, spaces; find its runs.

The patterns by which words are divided are LibreOffice's, which the package ``pyphen`` brings. They
are read and matched here: pyphen takes much longer to read a file, and divides at single letters
("Zusamme-n-a-r-beit").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from importlib.util import find_spec
from itertools import accumulate, chain, pairwise
from pathlib import Path
from string import digits
from urllib.parse import unquote

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.model.text import lines, rich_text
from cvbuild.model.text.rich_text import Link, Node, Span, Text
from cvbuild.outputs.pdf.latex import bidi
from cvbuild.view import texts
from cvbuild.view.types import Content

#: The style of the address that follows a link: see ``escape.STYLES``.
ADDRESS = "address"
#: Characters of the longest address that is printed: a longer one helps nobody on paper.
_MOST = 44
#: After these an address may break.
_JOINTS = re.compile(r"(?<=[\w])([/._?&=;:-])(?=\w)")


def typeset(content: Content, *, addresses: bool) -> Content:
    """Return a text as it is set: tied, and with the addresses of its links if asked for."""
    nodes = content.nodes
    if addresses and content.path[:1] not in texts.AS_WRITTEN:
        nodes = tuple(_addressed(nodes))
    tied = texts.tied(replace(content, nodes=nodes))
    return content if tied == content.nodes else replace(content, nodes=tied)


def _addressed(tree: Iterable[Node]) -> Iterator[Node]:
    for node in tree:
        if isinstance(node, Span):
            yield Span(node.style, tuple(_addressed(node.children)))
        else:
            yield node
        if isinstance(node, Link):
            shown = lines.short_url(node.url)
            words = unquote(rich_text.plain(node.children).casefold())
            # Unless it is too long, or is there.
            if len(shown) <= _MOST and unquote(shown).casefold().removesuffix("/") not in words:
                marked = _JOINTS.sub("\\1\u200b", shown)
                yield from (Text(" "), Span(ADDRESS, (Text(f"({marked})"),)))


SOFT_HYPHEN = "\u00ad"
#: Letters of alphabets whose words are divided with a hyphen: Latin, Greek, Cyrillic, Armenian,
#: Georgian.
_LETTERS = "A-Za-zªºÀ-ÖØ-öø-ɏͰ-ͽͿ-҂Ҋ-Ֆա-ևႠ-ჿḀ-῿"
#: Words of prose may be divided from so many letters on, all others only so that none is too long
#: for its line: then a part of more than _PART letters is cut after _CUT letters or fewer.
_LEAST, _TOO_LONG, _PART, _CUT = 14, 31, 20, 10
#: Letters at both ends of a word that stay together; no word has more than _WORD.
_ENDS, _WORD = 3, 100
_RUN = re.compile(rf"[{_LETTERS}0-9]{{{_LEAST},}}")
_TOKEN = re.compile(rf"\S{{{_LEAST},}}")
#: What is in addresses and names of files, but not in words of prose.
_IN_ADDRESS = re.compile(rf"[@_\\{SOFT_HYPHEN}]|://|\w\.\w|/\S*/")
#: Languages in which not only names have capitals.
_CAPITALS = ("de", "lb")
#: Fields of running text, and the characters that it has at least.
_PROSE = frozenset(("body", "bullets", "note", "notes", "quote", "summary", "text"))
_PROSE_LEAST = 40
#: The file of a tag without a country, where it isn't the first of those of its countries.
_USUAL = {"en": "en_us", "no": "nb_no"}
#: Characters of the longest pattern, about.
_LONGEST = 40
#: Lines such as asz1sz/sz=,2,1: the word is spelled differently where it is divided.
_RESPELLED = re.compile(rb"^([^\s/]+)/\S+$", re.MULTILINE)


class Divider(Struct, frozen=True):
    """Marks where the words of one text may be divided; ``language`` is a BCP 47 tag."""

    language: str
    prose: bool

    @classmethod
    def of(cls, content: Content, language: str) -> Divider:
        """Return what divides the words of a text; ``language`` is the document's (BCP 47)."""
        prose = not _PROSE.isdisjoint(content.path) and len(str(content)) >= _PROSE_LEAST
        return cls(content.language or language, prose)

    def __call__(self, text: str) -> str:
        """Return the text with soft hyphens where its words may be divided."""

        def divided(token: re.Match[str]) -> str:
            prose = self.prose and not _IN_ADDRESS.search(token[0])
            return _RUN.sub(lambda run: self._run(run[0], prose=prose), token[0])

        return _TOKEN.sub(divided, text)

    def _run(self, run: str, *, prose: bool) -> str:
        # By its first letter no name; no abbreviation and no identifier.
        start = int(self.language.partition("-")[0] in _CAPITALS)
        points: list[int] = []
        if len(run) >= _TOO_LONG:
            # And more points in a part that would be longer than _PART letters.
            for start, end in pairwise((0, *_points(run, self.language), len(run))):
                parts = -(-(end - start) // _CUT) if end - start > _PART else 1
                points += [start] if start else []
                points += [start + (end - start) * at // parts for at in range(1, parts)]
        elif prose and run.isalpha() and run[start:].islower():
            points += _points(run, self.language)
        else:
            return run
        return SOFT_HYPHEN.join(run[a:b] for a, b in pairwise((0, *points, len(run))))


@lru_cache(maxsize=4096)
def _points(word: str, language: str) -> tuple[int, ...]:
    """Return the letters of a word, counted from 0, before which it may be divided."""
    lower = word.lower()
    if len(word) > _WORD or len(lower) != len(word) or not word.isalpha():
        return ()
    patterns, charset = _patterns(language)
    try:
        letters = [character.encode(charset) for character in f".{lower}."]
    except UnicodeEncodeError:
        return ()
    # The algorithm of F. M. Liang's thesis (1983).
    levels = [0] * (len(letters) + 1)
    for start in range(len(letters)):
        pieces = accumulate(letters[start : start + _LONGEST])
        for pattern in filter(None, map(patterns.get, pieces)):
            at = start
            for character in pattern.decode(charset):
                if character in digits:
                    levels[at] = max(levels[at], int(character))
                else:
                    at += 1
    places = [at for at in range(_ENDS, len(word) - _ENDS + 1) if levels[at + 1] % 2]
    # Patterns of compounds and of syllables contradict each other around a single letter.
    return tuple(at for at in places if at - 1 not in places and at + 1 not in places)


@lru_cache(maxsize=4)
def _patterns(language: str) -> tuple[dict[bytes, bytes], str]:
    """Return patterns with their digits, by their letters alone: bytes in a charset; and that."""
    file = _file(language)
    if file is None:
        return {}, "ascii"
    written = file.read_bytes()
    letters = written.translate(None, digits.encode())
    patterns = dict(zip(letters.split(b"\n"), written.split(b"\n"), strict=True))
    # Few languages have any, and to look for them takes as long as to read all others.
    for pattern in _RESPELLED.findall(written) if b"=," in written else ():
        # An even digit forbids what the odd one before it allows.
        forbidden = bytes(c + 1 if c in b"13579" else c for c in pattern).replace(b":", b"8")
        patterns[pattern.translate(None, digits.encode())] = forbidden
    return patterns, written[: written.index(b"\n")].strip().decode("ascii")


def _file(language: str) -> Path | None:
    """Return the file of a language, or of a country that has it: de-CH, de; None without one."""
    package = find_spec("pyphen")
    if package is None or package.origin is None:
        return None
    folder = Path(package.origin).parent / "dictionaries"
    listed = sorted(path for path in folder.iterdir() if path.suffix == ".dic")
    files = {path.stem.removeprefix("hyph_").casefold(): path for path in listed}
    parts = language.casefold().split("-")
    for count in range(len(parts), 0, -1):
        if file := files.get("_".join(parts[:count])):
            return file
    if usual := files.get(_USUAL.get("_".join(parts), "")):
        return usual
    return next((files[name] for name in files if name.startswith(f"{parts[0]}_")), None)


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
#: They select a variant of the character before them.
VARIATIONS = re.compile("[\ufe00-\ufe0f]")
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


class FaceFiles(Struct, frozen=True):
    """Font files by LaTeX's series and shape: of a typeface, or of a face of a script.

    ``language`` is a BCP 47 tag, ``features`` are those that are on and off: -kern;+lnum.
    """

    shapes: tuple[tuple[str, Path], ...]
    index: int = 0
    scale: float = 1.0
    language: str = ""
    features: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, each once."""
        return tuple(dict.fromkeys(str(path) for _, path in self.shapes))


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
    def by_name(self) -> dict[str, Face]:
        """The faces in use by their names."""
        return {face.name: face for face in self.used}

    def runs(self, text: str, levels: list[int], *, code: bool = False) -> list[Run]:
        """Return the text in runs, with ``levels`` of its characters; controls are left out."""
        if not self.unicode and not self.faces:
            return [Run(text)] if text else []
        open_runs: list[tuple[list[str], str, int]] = []
        at = 0
        for piece in chain.from_iterable(
            [word] if (word, code) in self.faces else pieces(word) for word in words(text)
        ):
            face = self.faces.get((piece, code), "")
            for offset, character in enumerate(piece):
                level = levels[at + offset]
                if character in bidi.CONTROLS:
                    # Nothing to print, but it may separate two runs.
                    open_runs.append(([], "", level))
                    continue
                if character in JOINERS and not face:
                    continue
                blank = character in INVISIBLE
                last, its_face, its_level = open_runs[-1] if open_runs else ([], "", -1)
                if last and its_level == level and (blank or its_face == face):
                    last.append(character)
                else:
                    open_runs.append(([character], "" if blank else face, level))
            at += len(piece)
        return [Run("".join(letters), face, level) for letters, face, level in open_runs]


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


def is_mark(character: str) -> bool:
    """Return whether the character is a mark on another one."""
    return unicodedata.category(character) in ("Mn", "Mc", "Me")


def words(text: str) -> list[str]:
    """Return all of the text in words, with the punctuation at them, and what is between."""
    return [part for part in _BLANK.split(text) if part]


def pieces(text: str) -> Iterator[str]:
    """Yield all of the text, in order, in pieces that need one face each."""
    # A piece is a word of an alphabet, or one character with its marks; joiners belong to the piece
    # before them, quotation marks of a Chinese sentence to the character beside them.
    piece, script = "", ""
    quoted = bool(_QUOTED.search(text))
    for character in text:
        mine = script_of(character)
        joined = is_mark(character) or character in JOINERS or bool(VARIATIONS.match(character))
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
