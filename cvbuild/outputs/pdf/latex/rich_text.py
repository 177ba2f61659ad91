"""Turn rich text into LaTeX runs, each with its face, language and direction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec.structs import replace

from cvbuild.model.text import rich_text
from cvbuild.model.text.rich_text import Break, Code, Link, Node, Span, Text
from cvbuild.outputs.pdf.latex import escape as latex
from cvbuild.outputs.pdf.latex.escape import Latex
from cvbuild.outputs.pdf.latex.typography import Divider
from cvbuild.outputs.pdf.scripts import bidi, runs
from cvbuild.outputs.pdf.scripts.runs import Face, Run, Setting
from cvbuild.view.types import Content

#: Vowels that begin a syllable of a script that writes no spaces: Thai and Lao.
_SYLLABLES = "เแโใไເແໂໃໄ"

#: Marks that end a sentence without a full stop of ours.
_STOPS = ("。", "！", "？")
_ALPHABETS = ("latin", "greek", "cyrillic")
#: Scripts whose signs are drawn before, above and below the letter that they follow.
_BRAHMIC = (
    "devanagari", "bengali", "gurmukhi", "gujarati", "oriya", "tamil", "telugu", "kannada",
    "malayalam", "sinhala", "khmer", "myanmar", "tibetan",
)  # fmt: skip


def preamble(setting: Setting) -> Latex:
    """Return the declarations of the faces in use."""
    lines: list[str] = []
    if setting.family:
        lines += [r"\CvbMaps", *_shapes(setting.family)]
        if setting.space:
            lines.append(rf"\CvbWordSpace{{{setting.space:g}}}")
    for face in setting.used:
        lines += _shapes(face)
        for character, slot in face.slots:
            # The character for TeX to name; those of ASCII need none.
            plain = "" if character.isascii() else character
            lines.append(rf"\CvbSlot{{{face.name}}}{{{ord(character):04X}}}{{{plain}}}{{{slot}}}")
    return Latex("\n".join(lines))


def _shapes(face: Face) -> list[str]:
    encoding = "" if face.words else "[U]"
    return [
        rf"\CvbShape{encoding}{{{face.name}}}{{{shape}}}{{{font}}}{{{face.scale:g}}}"
        for shape, font in face.shapes
    ]


def text_of(content: Content, setting: Setting, divide: Divider | None = None) -> Latex:
    """Return a text of the view as LaTeX; ``divide`` marks where its words may be divided."""
    verbatim = content.path[:1] == ("contact",)
    return nodes(content.nodes, setting, verbatim=verbatim, divide=divide)


def words_to_shape(contents: Iterable[Content], setting: Setting) -> set[tuple[str, str, bool]]:
    """Return the words of faces that shape: face, word, and whether it runs right to left."""
    asked = _Asked()
    for content in contents:
        text_of(content, replace(setting, words=asked))
    return asked.words


class _Asked(dict[tuple[str, str, bool], tuple[str, ...]]):
    """Remembers which words are looked up, and has none."""

    def __init__(self) -> None:
        super().__init__()
        self.words: set[tuple[str, str, bool]] = set()

    def __missing__(self, key: tuple[str, str, bool]) -> tuple[str, ...]:
        self.words.add(key)
        return ()


def nodes(
    tree: Iterable[Node], setting: Setting, *, verbatim: bool = False, divide: Divider | None = None
) -> Latex:
    """Return the tree as LaTeX; ``verbatim`` is for addresses and numbers (see Setting.base)."""
    parts = tuple(tree)
    plain = rich_text.plain(parts)
    if not setting.unicode:
        return Latex(_Writer(setting, [0] * len(plain), 0, divide).write(parts))
    base = setting.base(plain, verbatim=verbatim)
    # Outside of its texts, a document that runs right to left is at level -1.
    writer = _Writer(setting, bidi.levels(plain, base), -1 if setting.rtl else 0, divide)
    return Latex(writer.write(parts) + writer.go(writer.outside))


@dataclass
class _Writer:
    """Walks the tree with the levels of its characters, which go on across styles."""

    setting: Setting
    levels: list[int]
    level: int
    divide: Divider | None = None
    at: int = 0
    last: str = ""
    outside: int = field(init=False)

    def __post_init__(self) -> None:
        self.outside = self.level

    def go(self, level: int) -> str:
        """Return the commands that change to a level."""
        commands = r"\CvbEnd{}" * max(0, self.level - level)
        for step in range(self.level + 1, level + 1):
            commands += r"\CvbRtl{}" if step % 2 else r"\CvbLtr{}"
        self.level = level
        return commands

    def write(self, tree: Iterable[Node]) -> str:
        return "".join(self._node(node) for node in tree)

    def _node(self, node: Node) -> str:
        match node:
            case Text(text):
                return self._text(text)
            case Code(text):
                return rf"\CvbCode{{{self._text(text, code=True)}}}"
            case Break():
                self.at += 1
                return r"\CvbBreak{}"
            case Span("sup" | "sub" as style, children):
                return self._boxed(latex.STYLES[style], children)
            case Span(style, children):
                return f"{latex.STYLES[style]}{{{self.write(children)}}}"
            case Link(address, children):
                return rf"\CvbTextLink{{{latex.url(address)}}}{{{self._linked(children)}}}"

    def _linked(self, children: tuple[Node, ...]) -> str:
        """Return the text of a link; a style breaks one that is a single word by itself."""
        match children:
            case (Text(text),) if not self._needs_runs(text):
                self.at += len(text)
                return latex.address(self._divided(text))
        return self.write(children)

    def _needs_runs(self, text: str) -> bool:
        here = self.levels[self.at : self.at + len(text)]
        cut = self.setting.runs(text, here)
        return [(run.face, run.level) for run in cut if run.text] != [("", self.level)]

    def _boxed(self, command: str, children: tuple[Node, ...]) -> str:
        """Return a text in a box, at its lowest level; changes of level stay inside of the box."""
        length = len(rich_text.plain(children))
        lowest = min(self.levels[self.at : self.at + length], default=self.level)
        before, level = self.go(lowest), self.level
        self.level = self.outside
        inside = self.write(children) + self.go(self.outside)
        self.level = level
        return f"{before}{command}{{{inside}}}"

    def _text(self, text: str, *, code: bool = False) -> str:
        here = self.levels[self.at : self.at + len(text)]
        self.at += len(text)
        return "".join(self._run(run, code) for run in self.setting.runs(text, here, code=code))

    def _run(self, run: Run, code: bool) -> str:
        moved = self.go(run.level)
        if not run.text:
            return moved
        may_break = r"\CvbInter{}" if runs.breaks_between(self.last, run.text[0]) else ""
        self.last = run.text[-1]
        if run.face:
            # Spaces at the ends belong to the surrounding text.
            bare = run.text.strip(" ")
            lead, tail = run.text.partition(bare)[::2] if bare else (run.text, "")
            shaped = run.face in self.setting.shaped
            inner = self._shaped(run, bare) if shaped else _marked(self._divided(bare, code))
            set_text = rf"\CvbScript{{{run.face}}}{{{inner}}}"
            if bare.endswith(_STOPS):
                set_text += r"\CvbStopped{}"
            language = self.setting.languages().get(run.face)
            if language:
                set_text = rf"\CvbLanguage{{{language}}}{{{set_text}}}"
            return moved + may_break + lead + set_text + tail
        escape = latex.escape if code else latex.words
        if run.level % 2:
            return moved + may_break + _mirrored(run.text)
        return moved + may_break + escape(self._divided(run.text, code))

    def _divided(self, text: str, code: bool = False) -> str:
        """Return the text with marks where its words may be divided."""
        if self.divide is None:
            return text
        return replace(self.divide, prose=False)(text) if code else self.divide(text)

    def _shaped(self, run: Run, text: str) -> str:
        """Return a text in words that were shaped before."""
        parts, word = [], ""
        breaks = _breaks(text)
        for at, character in enumerate(f"{text} "):
            blank = character in runs.INVISIBLE
            if word and (blank or at in breaks):
                shapes = self.setting.words[run.face, word, bool(run.level % 2)]
                parts += [r"\CvbWord", *(f"{{{code}}}" for code in (*shapes, latex.escape(word)))]
                word = ""
            parts.append(breaks.get(at, ""))
            if blank:
                parts.append(str(latex.escape(character)))
            else:
                word += character
        return "".join(parts[:-1])


def _mirrored(text: str) -> str:
    """Return right-to-left text, whose brackets are drawn mirrored but extracted as written."""
    return "".join(
        rf"\CvbMirror{{{ord(c):04X}}}{{{latex.escape(bidi.MIRRORED[c])}}}{{{latex.escape(c)}}}"
        if c in bidi.MIRRORED
        else latex.escape(c)
        for c in text
    )


def _marked(text: str) -> str:
    """Return escaped text; words with combining marks and Indic words carry their actual text.

    Readers would move a mark high above a letter to a line of its own.
    """
    words = text.split(" ")
    return " ".join(
        rf"\CvbActual{{{_utf16(word, last=at == len(words))}}}{{{_broken(word)}}}"
        if _has_marks(word)
        else _broken(word)
        for at, word in enumerate(words, start=1)
    )


def _utf16(word: str, *, last: bool) -> str:
    """Return the word in hexadecimal, with the next space, which a sign at its end may hide."""
    return (word if last else f"{word} ").encode("utf-16-be").hex().upper()


def _has_marks(word: str) -> bool:
    scripts = {runs.script_of(character) for character in word}
    marked = any(runs.is_mark(character) for character in word)
    return not scripts.isdisjoint(_BRAHMIC) or (marked and not scripts.isdisjoint(_ALPHABETS))


def _broken(text: str) -> str:
    """Return escaped text, marked where a line may break inside a text without spaces."""
    breaks = _breaks(text)
    # Plain strings: a Markup would escape what is added to it.
    return "".join(breaks.get(at, "") + str(latex.escape(c)) for at, c in enumerate(text))


def _breaks(text: str) -> dict[int, str]:
    """Return the commands that let a line break before a character, by its index."""
    long = {at for run in latex.LONG_RUN.finditer(text) for at in range(run.start(), run.end(), 20)}
    breaks: dict[int, str] = {}
    before = ""
    for at, character in enumerate(text):
        if before and runs.breaks_between(before, character):
            breaks[at] = r"\CvbInter{}"
        elif before.isalnum() and (character in _SYLLABLES or at in long):
            breaks[at] = r"\CvbAllowBreak{}"
        before = character
    return breaks
