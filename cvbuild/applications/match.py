"""Which terms of an advertisement a document has, by rules that a reader can follow.

Words are cut at punctuation, at stop words, at what advertisements always say, and at numbers. What
is between two cuts is a term if it has one to four words. A word whose form shows that it is a name
(C++, CUDA, H100) is a term by itself.

Stop words come from the package ``stop-words``, stems from ``snowballstemmer``. An advertisement is
anybody's: it is read up to ``MAX_BYTES`` as text, in a time that is that of its length.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path

from msgspec import Struct

from cvbuild.common import diagnostics
from cvbuild.common.diagnostics import FieldPath, ProfileError, Span, UsageError
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.source import MAX_BYTES
from cvbuild.model.locales import SAME
from cvbuild.model.text import language_tags
from cvbuild.outputs import checks
from cvbuild.outputs.types import Shown, Task
from cvbuild.selection.selected import shortened

#: The most words of a term, and the most terms of an advertisement.
LONGEST, MOST = 4, 200
#: Letters, and marks that have no composed form with a letter.
_LETTER = r"[^\W_\u0300-\u036f]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0966-\u0dff]"
_PART = rf"(?:{_LETTER})+"
#: C++, C#, .NET, Ph.D, Node.js, R&D, e-mail.
_WORD = re.compile(rf"(?<![\w.])\.?{_PART}(?:[-.'&]{_PART})*(?:\+\+|#)?")
#: Of "Ada's" and of "GPUs": no stemmer takes the latter for a plural.
_ENDING = re.compile(r"'[sS]$|(?<=[A-Z0-9]{2})s$")
_ADDRESS = re.compile(r"\S*(?:@|://|\.(?:com|edu|html?|org)(?!\w))\S*")
#: Characters that are invisible in the middle of a word.
_UNSEEN = {0xAD: None, 0x200B: None, 0x200C: None, 0x200D: None, 0x2060: None, 0xFEFF: None}
_PLAIN = str.maketrans({"’": "'", "‐": "-", "‑": "-", "_": " "}) | _UNSEEN
#: The most characters of a word; what is longer is ignored.
_LONGEST_WORD = 60
#: The letters of a word in capitals that is no acronym.
_SHOUTED = 5
#: Languages that are written without spaces between words.
_UNSPACED = frozenset(["ja", "km", "lo", "my", "th", "zh"])
#: Languages that leave out a vowel before another: l'ordinateur.
_ELIDING = frozenset(["ca", "fr", "it"])
#: Words that stand together, after the line of the file in which they begin.
Line = tuple[int, str]


class Word(Struct, frozen=True):
    """A word of a text: as it is written, and the stems of its pieces (``back``, ``end``).

    ``technical``: its form alone says that it is a name, as of C++, CUDA, PyTorch, H100.
    """

    text: str
    stems: tuple[str, ...]
    technical: bool = False


class Term(Struct, frozen=True):
    """What an advertisement speaks of: ``count`` times, first in ``line``; ``text`` as most often.

    ``score`` is ``count`` times the words, three at most, where a name or a word with a hyphen is
    two. ``key`` are its stems in one word: back end, back-end and backend are the same.
    """

    text: str
    count: int
    line: int
    score: int
    key: str


class Lexicon(Struct):
    """The words of a language; ``stem`` is the rule of its endings."""

    language: str
    stop: frozenset[str]
    filler: frozenset[str]
    joining: frozenset[str]
    cased: frozenset[str]
    stem: Callable[[str], str]

    def segments(self, text: str) -> Iterator[tuple[Word, ...]]:
        """Yield the words between two punctuation marks; addresses count as punctuation."""
        text = unicodedata.normalize("NFKC", text).translate(_PLAIN)
        if self.language in _ELIDING:
            text = text.replace("'", " ")
        text = " ".join(";" if _ADDRESS.fullmatch(part) else part for part in text.split())
        if text.isupper() and any(len(word) >= _SHOUTED for word in _WORD.findall(text)):
            # It is in capitals for its looks: they say nothing of its words.
            text = text.lower()
        words: list[Word] = []
        end = 0
        for match in _WORD.finditer(text):
            if words and not text[end : match.start()].isspace():
                yield tuple(words)
                words = []
            if match.end() - match.start() <= _LONGEST_WORD:
                word = _ENDING.sub("", match[0])
                pieces, low = word.split("-"), word.lower()
                stems = tuple(self.stem(_bare(piece)) for piece in pieces)
                if word in self.cased or (word.isupper() and len(low) <= 4 and low in self.stop):
                    # In other letters it is another word: Go, REST, IT.
                    stems = (f"={word}",)
                words.append(Word(word, stems, any(map(_is_technical, pieces))))
            end = match.end()
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


def load_lexicon(tag: str) -> Lexicon:
    """Return a language's lexicon; raises UsageError without its package, or without stop words."""
    code = language_tags.canonical(tag).partition("-")[0]
    code = SAME.get(code, code)
    try:
        import snowballstemmer
        import stop_words
    except ImportError as error:
        raise diagnostics.missing("match", "match", error) from None
    if code in _UNSPACED or code not in stop_words.LANGUAGE_MAPPING:
        known = ", ".join(sorted(set(stop_words.LANGUAGE_MAPPING) - _UNSPACED))
        message = f"terms can't be told from other words in {language_tags.name(tag)}"
        hint = f"if the advertisement is in another language: --locale {known}"
        raise UsageError.because("match-language", message, hint)
    stop = frozenset(word.lower().replace("’", "'") for word in stop_words.get_stop_words(code))
    table = tomllib.loads(Path(__file__).with_name("match_words.toml").read_text("utf-8"))
    own = table.get(code, {})
    lists = (own.get("filler", ""), own.get("joining", ""), table["cased"])
    filler, joining, cased = (frozenset(text.split()) for text in lists)
    # Snowball calls a language by its English name; words of those that it lacks stay as they are.
    language = language_tags.locale(code)
    name = language.name.lower().partition(" ")[0] if language else ""
    stem: Callable[[str], str] = str
    if name in snowballstemmer.algorithms():
        stem = cache(snowballstemmer.stemmer(name).stemWord)
    return Lexicon(code, stop, filler, joining, cased, stem)


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


def find_terms(lines: Iterable[Line], lexicon: Lexicon) -> tuple[Term, ...]:
    """Return the terms of some lines, the highest score first, then by line; MOST at most."""
    forms: dict[str, Counter[str]] = {}
    first: dict[str, tuple[int, tuple[Word, ...]]] = {}
    for number, line in lines:
        # What is between two cuts; a name is cut from what isn't one.
        runs: list[list[Word]] = []
        for segment in lexicon.segments(line):
            runs.append([])
            for at, word in enumerate(segment):
                if lexicon.breaks(word, first=at == 0 and len(segment) > 1):
                    runs.append([])
                elif word.technical:
                    runs += [word], []
                else:
                    runs[-1].append(word)
        for run in filter(None, runs):
            key = "".join(stem for word in run for stem in word.stems)
            # One word alone must say something.
            is_weak = not run[1:] and (_bare(run[0].text) in lexicon.joining or len(key) < 2)
            if len(run) <= LONGEST and not is_weak:
                first.setdefault(key, (number, tuple(run)))
                forms.setdefault(key, Counter())[" ".join(word.text for word in run)] += 1
    terms = []
    for key, (number, words) in first.items():
        count, text = forms[key].total(), forms[key].most_common(1)[0][0]
        weight = sum(2 if word.technical or "-" in word.text else 1 for word in words)
        terms.append(Term(text, count, number, count * min(3, weight), key))
    # Stable: equals stay in the order in which they come.
    return tuple(sorted(terms, key=lambda term: -term.score)[:MOST])


#: How web pages, PDFs, archives such as Word documents, old Word documents and RTF begin.
_OTHER = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b|%PDF-|PK\x03\x04|\xd0\xcf\x11\xe0|\{\\rtf",
    re.IGNORECASE,
)
#: The address of a link in Markdown.
_TARGET = re.compile(r"(?<=\])\([^()\s]*\)")


class Advert(Struct, frozen=True):
    """What an advertisement says; ``name`` is how messages call its file."""

    name: str
    lines: tuple[Line, ...]


class Match(Struct, frozen=True):
    """A term, and where a document has it: the places in the person's file, with first words."""

    term: Term
    places: tuple[tuple[Span, str], ...] = ()


def load(path: Path) -> Advert:
    """Read an advertisement; raises UsageError or ProfileError if it is no text."""
    name = source_stage.name_of(path)
    try:
        data = source_stage.bytes_of(path)
    except ProfileError as error:
        (fault,) = error.diagnostics
        if fault.code == "file-kind":
            fault = dataclasses.replace(fault, hint="name a text file")
        elif fault.code != "file-missing":
            raise
        raise UsageError([fault]) from None
    is_utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    is_page = path.suffix.lower() in (".html", ".htm", ".xhtml")
    if is_page or _OTHER.match(data) or (b"\0" in data and not is_utf16):
        hint = "save the advertisement as text or Markdown, in UTF-8"
        raise ProfileError.because("job-not-text", "this is not a text", hint, Span(name))
    return read(source_stage.decoded(data, name), name)


def read(text: str, name: str) -> Advert:
    """Return an advertisement's lines that have words; raises ProfileError if it is too large."""
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        message, hint = "the advertisement is larger than 1 MiB", "paste only the advertisement"
        raise ProfileError.because("job-too-large", message, hint, Span(name))
    lines = enumerate(re.split(r"\r\n|\r|\n", _TARGET.sub("", text)), 1)
    return Advert(name, tuple((number, line) for number, line in lines if line.strip()))


def as_json(task: Task, name: str, language: str, matches: Iterable[Match]) -> dict[str, object]:
    """Return a plain object for ``--json``; ``name`` and ``language`` are the advertisement's."""
    return {
        "language": language,
        "person": task.person.name,
        "variant": task.variant,
        "template": task.style,
        "job": name,
        "terms": [
            {
                "term": match.term.text,
                "status": "has" if match.places else "nowhere",
                "count": match.term.count,
                "line": match.term.line,
                "items": [
                    {"title": title, "file": span.file, "line": span.line or None}
                    for span, title in match.places
                ],
            }
            for match in matches
        ],
        "diagnostics": [],
    }


def run(chosen: Shown, advert: Advert, language: str | None = None) -> tuple[Match, ...]:
    """Compare what a document shows with an advertisement; raises ProfileError, UsageError."""
    lexicon = load_lexicon(language or chosen.profile.locale)
    wanted = find_terms(advert.lines, lexicon)
    if not wanted:
        fact = "there are no terms in this file"
        hint = "save what a browser shows of the advertisement as text"
        raise ProfileError.because("job-empty", fact, hint, Span(advert.name))
    texts: dict[FieldPath, str] = {}
    for content in checks.contents(chosen.view):
        texts[content.path] = f"{texts.get(content.path, '')}\n{content}".lstrip()
    source = chosen.source
    return tuple(
        Match(term, tuple((source.span(path), shortened(texts[path])) for path in paths))
        for term, paths in find(wanted, texts, lexicon)
    )


def find(
    wanted: Sequence[Term], texts: Mapping[FieldPath, str], lexicon: Lexicon
) -> Iterator[tuple[Term, tuple[FieldPath, ...]]]:
    """Yield each term with the fields whose texts have it."""
    fields: dict[str, dict[FieldPath, None]] = {term.key: {} for term in wanted}
    for path, text in texts.items():
        for segment in lexicon.segments(text):
            stems = [stem for word in segment for stem in word.stems]
            for at in range(len(stems)):
                for key in fields.keys() & {*accumulate(stems[at : at + 2 * LONGEST])}:
                    fields[key][path] = None
    for term in wanted:
        yield term, tuple(fields[term.key])
