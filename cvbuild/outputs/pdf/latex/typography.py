"""What a typesetter adds to a text: addresses of links, soft hyphens, spaces that don't break.

The patterns by which words are divided are LibreOffice's, which the package ``pyphen`` brings. They
are read and matched here: pyphen takes much longer to read a file, and divides at single letters
("Zusamme-n-a-r-beit").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.util import find_spec
from itertools import accumulate, pairwise
from pathlib import Path
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.model.text import rich_text, urls
from cvbuild.model.text.rich_text import Link, Node, Span, Text
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
        if isinstance(node, Link) and (shown := _address(node)):
            yield Text(" ")
            yield Span(ADDRESS, (Text(f"({shown})"),))


def _address(link: Link) -> str:
    """Return the short address of a link, with marks where it may break; "" if it needs none."""
    shown = urls.display(link.url)
    words = rich_text.plain(link.children).casefold()
    if len(shown) > _MOST or unquote(shown).casefold().removesuffix("/") in unquote(words):
        return ""
    return _JOINTS.sub("\\1\u200b", shown)


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
_DIGITS = "0123456789"
#: Lines such as asz1sz/sz=,2,1: the word is spelled differently where it is divided.
_RESPELLED = re.compile(rb"^([^\s/]+)/\S+$", re.MULTILINE)


class Divider(Struct, frozen=True):
    """Marks where the words of one text may be divided; ``language`` is a BCP 47 tag."""

    language: str
    prose: bool

    def __call__(self, text: str) -> str:
        """Return the text with soft hyphens where its words may be divided."""
        return _TOKEN.sub(self._token, text)

    def _token(self, token: re.Match[str]) -> str:
        prose = self.prose and not _IN_ADDRESS.search(token[0])
        return _RUN.sub(lambda run: self._run(run[0], prose=prose), token[0])

    def _run(self, run: str, *, prose: bool) -> str:
        if len(run) >= _TOO_LONG:
            points = tuple(_with_forced(run, _points(run, self.language)))
        elif prose and run.isalpha() and self._is_word(run):
            points = _points(run, self.language)
        else:
            return run
        return SOFT_HYPHEN.join(run[a:b] for a, b in pairwise((0, *points, len(run))))

    def _is_word(self, run: str) -> bool:
        """Return whether it is no abbreviation, no identifier and, by its capital, no name."""
        capitals = self.language.partition("-")[0] in _CAPITALS
        return (run[1:] if capitals else run).islower()


def divider(content: Content, language: str) -> Divider:
    """Return what divides the words of a text; ``language`` is the document's (BCP 47)."""
    prose = not _PROSE.isdisjoint(content.path) and len(str(content)) >= _PROSE_LEAST
    return Divider(content.language or language, prose)


def _with_forced(run: str, points: tuple[int, ...]) -> Iterator[int]:
    """Yield the points, and more of them in a part that would be longer than _PART letters."""
    for start, end in pairwise((0, *points, len(run))):
        if start:
            yield start
        parts = -(-(end - start) // _CUT) if end - start > _PART else 1
        yield from (start + (end - start) * part // parts for part in range(1, parts))


@lru_cache(maxsize=4096)
def _points(word: str, language: str) -> tuple[int, ...]:
    """Return the letters of a word, counted from 0, before which it may be divided."""
    lower = word.lower()
    if len(word) > _WORD or len(lower) != len(word) or not word.isalpha():
        return ()
    patterns = _patterns(language)
    return patterns.points(lower) if patterns else ()


class _Patterns(Struct, frozen=True):
    """Patterns with their digits, by their letters alone; all as bytes in a charset."""

    by_letters: dict[bytes, bytes]
    charset: str

    def points(self, word: str) -> tuple[int, ...]:
        """Return where a word may be divided, by the algorithm of F. M. Liang's thesis (1983)."""
        try:
            letters = [character.encode(self.charset) for character in f".{word}."]
        except UnicodeEncodeError:
            return ()
        levels = [0] * (len(letters) + 1)
        for start in range(len(letters)):
            pieces = accumulate(letters[start : start + _LONGEST])
            for pattern in filter(None, map(self.by_letters.get, pieces)):
                self._raise_levels(levels, start, pattern)
        places = [at for at in range(_ENDS, len(word) - _ENDS + 1) if levels[at + 1] % 2]
        # Patterns of compounds and of syllables contradict each other around a single letter.
        return tuple(at for at in places if at - 1 not in places and at + 1 not in places)

    def _raise_levels(self, levels: list[int], at: int, pattern: bytes) -> None:
        for character in pattern.decode(self.charset):
            if character in _DIGITS:
                levels[at] = max(levels[at], int(character))
            else:
                at += 1


@lru_cache(maxsize=4)
def _patterns(language: str) -> _Patterns | None:
    """Return the patterns of a language; None if there are none."""
    file = _file(language)
    if file is None:
        return None
    written = file.read_bytes()
    letters = written.translate(None, _DIGITS.encode())
    patterns = dict(zip(letters.split(b"\n"), written.split(b"\n"), strict=True))
    # Few languages have any, and to look for them takes as long as to read all others.
    for pattern in _RESPELLED.findall(written) if b"=," in written else ():
        # An even digit forbids what the odd one before it allows.
        forbidden = bytes(c + 1 if c in b"13579" else c for c in pattern).replace(b":", b"8")
        patterns[pattern.translate(None, _DIGITS.encode())] = forbidden
    charset = written[: written.index(b"\n")].strip().decode("ascii")
    return _Patterns(patterns, charset)


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
