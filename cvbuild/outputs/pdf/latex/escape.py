"""Turn text into LaTeX: the only place where text is escaped."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from cvbuild.model.text import rich_text
from cvbuild.model.text.rich_text import Break, Code, Link, Node, Span, Text
from cvbuild.outputs.pdf.latex import bidi, typography
from cvbuild.outputs.pdf.latex.bidi import CONTROLS
from cvbuild.outputs.pdf.latex.typography import Divider, Run, Setting
from cvbuild.view.types import Content


class Latex(Markup):
    """LaTeX code; the only kind of string that a template may print.

    A subclass of Markup because Jinja's autoescaping lets Markup pass and joins it as Markup.
    """


ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "#": r"\#",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "\u00a0": "~",
    "\u202f": "~",
    "\u00ad": r"\-",
    "\u200b": r"\CvbAllowBreak{}",
    "\n": " ",
    "\r": " ",
    "\t": " ",
    # Characters that only order the text have had their effect before.
    **dict.fromkeys((*CONTROLS, "\u2060", "\ufeff"), ""),
}
#: Two of these in a row are a ligature in T1 fonts: -- ,, and the quotes' input forms.
_PAIRS = re.compile("([-,\u2018\u2019])(?=\\1)")
#: A word of more than 40 characters may break after its punctuation. More than 30 letters in a row
#: break after every 20, if they are of a script without hyphens: others are divided before
#: (typography.py).
_LONG_WORD = re.compile(r"\S{41,}")
_PUNCTUATION = re.compile(r"(?<=[\w)])([/._?&=;:,+-])(?=\w)")
LONG_RUN = re.compile(r"[^\W_]{31,}")
_URL_ESCAPES = {"%": r"\%", "#": r"\#", "&": r"\&", "_": r"\_", "~": r"\~"}
STYLES = {
    "strong": r"\CvbStrong", "emph": r"\CvbEmph", "sup": r"\CvbSup", "sub": r"\CvbSub",
    "address": r"\CvbAddress",
}  # fmt: skip
_TABLE = str.maketrans(ESCAPES)
_URL_TABLE = str.maketrans(_URL_ESCAPES)


def escape(text: str) -> Latex:
    """Return LaTeX that prints exactly the characters of ``text``."""
    # Pairs are separated first, by a mark that no clean text has (see model.base.clean).
    separated = _PAIRS.sub("\\1\x00", text)
    escaped = separated.translate(_TABLE).replace("\x00", "{}").replace("\x03", r"\CvbAllowBreak{}")
    return Latex(escaped)


def url(target: str) -> Latex:
    r"""Return an ASCII URL (RFC 3986) as an argument, as the first one of ``\CvbLink``."""
    return Latex(target.translate(_URL_TABLE))


#: One argument, with groups in it that have none.
_ARGUMENT = r" ?\{(?:[^{}\\]|\\.|\{(?:[^{}\\]|\\.)*\})*\}"
_TOKEN = re.compile(
    # What these say first is not shown: a face, a language, a target, what readers get instead.
    rf"\\Cvb(?:Script|Actual|Language|Link){_ARGUMENT}"
    rf"|\\CvbWord(?:{_ARGUMENT}){{4}}"
    rf"|\\CvbMirror{_ARGUMENT}{_ARGUMENT}"
    r"|\\(?P<word>[A-Za-z]+) ?|\\(?P<sign>.)|[{}]|(?P<space>~)",
    re.DOTALL,
)
_WORDS = {
    tex.removeprefix("\\").removesuffix("{}"): character
    for character, tex in ESCAPES.items()
    if tex.endswith("{}") and not tex.startswith("\\Cvb")
} | {"CvbBreak": " "}


def unescape(tex: str) -> str:
    """Return the text that ``tex`` shows; commands that ``escape`` doesn't write show nothing."""

    def character(match: re.Match[str]) -> str:
        if match["word"]:
            return _WORDS.get(match["word"], "")
        if match["sign"]:
            return "" if match["sign"] == "-" else match["sign"]
        return " " if match["space"] else ""

    return _TOKEN.sub(character, tex)


# -- rich text: runs, each with its face, language and direction -----------------------------------


#: Vowels that begin a syllable of a script that writes no spaces: Thai and Lao.
_SYLLABLES = "เแโใไເແໂໃໄ"

#: Marks that end a sentence without a full stop of ours.
_STOPS = ("。", "！", "？")


def preamble(setting: Setting) -> Latex:
    """Return the declarations of the faces in use."""
    lines = [r"\CvbMaps"] if setting.family else []
    for face in (*([setting.family] if setting.family else []), *setting.used):
        encoding = "" if face.words else "[U]"
        lines += [
            rf"\CvbShape{encoding}{{{face.name}}}{{{shape}}}{{{font}}}{{{face.scale:g}}}"
            for shape, font in face.shapes
        ]
        if face is setting.family and setting.space:
            lines.append(rf"\CvbWordSpace{{{setting.space:g}}}")
        for character, slot in face.slots:
            # The character for TeX to name; those of ASCII need none.
            plain = "" if character.isascii() else character
            lines.append(rf"\CvbSlot{{{face.name}}}{{{ord(character):04X}}}{{{plain}}}{{{slot}}}")
    return Latex("\n".join(lines))


def text_of(content: Content, setting: Setting, divide: Divider | None = None) -> Latex:
    """Return a text of the view as LaTeX; ``divide`` marks where its words may be divided."""
    plain, tag = str(content), content.language
    # Outside of its texts, a document that runs right to left is at level -1.
    outside, levels = -1 if setting.rtl else 0, [0] * len(plain)
    if setting.unicode:
        # The first letter decides; in a document that runs right to left any such letter does.
        first = bidi.first_strong(plain)
        base = 1 if setting.rtl and bidi.runs_right(plain) else first
        if first is None:
            # A phone number runs left to right.
            base = int(setting.rtl and content.path[:1] != ("contact",))
        levels = bidi.levels(plain, base or 0)
    writer = _Writer(setting, levels, outside, outside, divide)
    text = Latex(writer.write(content.nodes) + writer.go(outside))
    return Latex(rf"\CvbLanguage{{{escape(tag)}}}{{{text}}}") if tag else text


def words_to_shape(contents: Iterable[Content], setting: Setting) -> set[tuple[str, str, bool]]:
    """Return the words of faces that shape: face, word, and whether it runs right to left."""
    # Those that are looked up.
    asked: dict[tuple[str, str, bool], tuple[str, ...]] = defaultdict(tuple)
    for content in contents:
        text_of(content, replace(setting, words=asked))
    return {*asked}


class _Writer(Struct):
    """Walks the tree with the levels of its characters, which go on across styles."""

    setting: Setting
    levels: list[int]
    outside: int
    level: int
    divide: Divider | None = None
    at: int = 0
    last: str = ""

    def go(self, level: int) -> str:
        commands = r"\CvbEnd{}" * max(0, self.level - level)
        for step in range(self.level + 1, level + 1):
            commands += r"\CvbRtl{}" if step % 2 else r"\CvbLtr{}"
        self.level = level
        return commands

    def write(self, tree: Iterable[Node]) -> str:
        parts: list[str] = []
        for node in tree:
            match node:
                case Text(text):
                    parts.append(self._text(text))
                case Code(text):
                    parts.append(rf"\CvbCode{{{self._text(text, code=True)}}}")
                case Break():
                    self.at += 1
                    parts.append(r"\CvbBreak{}")
                case Span("sup" | "sub" as style, children):
                    # In a box, at its lowest level; changes of level stay inside of it.
                    length = len(rich_text.plain(children))
                    lowest = min(self.levels[self.at : self.at + length], default=self.level)
                    parts.append(self.go(lowest))
                    level, self.level = self.level, self.outside
                    inside = self.write(children) + self.go(self.outside)
                    self.level = level
                    parts.append(f"{STYLES[style]}{{{inside}}}")
                case Span(style, children):
                    parts.append(f"{STYLES[style]}{{{self.write(children)}}}")
                case Link(target, children):
                    text = rich_text.plain(children)
                    here = self.levels[self.at : self.at + len(text)]
                    runs = [(run.face, run.level) for run in self.setting.runs(text, here)]
                    if children == (Text(text),) and runs == [("", self.level)]:
                        self.at += len(text)
                        # A style breaks a single word after punctuation by itself, except where it
                        # has a command; there it is marked where it may break.
                        text = self._divided(text)
                        shown = str(escape(text))
                        if "{" in shown:
                            shown = str(escape(_PUNCTUATION.sub("\\1\x03", text)))
                    else:
                        shown = self.write(children)
                    parts.append(rf"\CvbTextLink{{{url(target)}}}{{{shown}}}")
        return "".join(parts)

    def _text(self, text: str, *, code: bool = False) -> str:
        here = self.levels[self.at : self.at + len(text)]
        self.at += len(text)
        return "".join(self._run(run, code) for run in self.setting.runs(text, here, code=code))

    def _run(self, run: Run, code: bool) -> str:
        moved = self.go(run.level)
        if not run.text:
            return moved
        may_break = r"\CvbInter{}" if typography.breaks_between(self.last, run.text[0]) else ""
        self.last = run.text[-1]
        if run.face:
            # Spaces at the ends belong to the surrounding text.
            bare = run.text.strip(" ")
            lead, tail = run.text.partition(bare)[::2] if bare else (run.text, "")
            face = self.setting.by_name[run.face]
            if face.shaping:
                inner = self._shaped(run, bare)
            else:
                divided = self._divided(bare, code)
                breaks = _breaks(divided)
                # Plain strings: a Markup would escape what is added to it.
                parts = (breaks.get(at, "") + str(escape(c)) for at, c in enumerate(divided))
                inner = "".join(parts)
            set_text = rf"\CvbScript{{{run.face}}}{{{inner}}}"
            if bare.endswith(_STOPS):
                set_text += r"\CvbStopped{}"
            main, language = (
                tag.partition("-")[0] for tag in (self.setting.language, face.language)
            )
            if language not in ("", main):
                set_text = rf"\CvbLanguage{{{face.language}}}{{{set_text}}}"
            return moved + may_break + lead + set_text + tail
        divided = self._divided(run.text, code)
        if not code:
            # Very long words may break after their punctuation, too.
            divided = _LONG_WORD.sub(lambda word: _PUNCTUATION.sub("\\1\x03", word[0]), divided)
        shown = str(escape(divided))
        if run.level % 2:
            # Brackets are drawn mirrored, but extracted as written.
            shown = "".join(
                rf"\CvbMirror{{{ord(c):04X}}}{{{escape(bidi.MIRRORED[c])}}}{{{escape(c)}}}"
                if c in bidi.MIRRORED
                else escape(c)
                for c in run.text
            )
        return moved + may_break + shown

    def _divided(self, text: str, code: bool = False) -> str:
        if self.divide is None:
            return text
        return replace(self.divide, prose=False)(text) if code else self.divide(text)

    def _shaped(self, run: Run, text: str) -> str:
        parts, word = [], ""
        breaks = _breaks(text)
        for at, character in enumerate(f"{text} "):
            blank = character in typography.INVISIBLE
            if word and (blank or at in breaks):
                shapes = self.setting.words[run.face, word, bool(run.level % 2)]
                parts += [r"\CvbWord", *(f"{{{code}}}" for code in (*shapes, escape(word)))]
                word = ""
            parts.append(breaks.get(at, ""))
            if blank:
                parts.append(str(escape(character)))
            else:
                word += character
        return "".join(parts[:-1])


def _breaks(text: str) -> dict[int, str]:
    """Return the commands that let a line break before a character, by its index."""
    long = {at for run in LONG_RUN.finditer(text) for at in range(run.start(), run.end(), 20)}
    breaks: dict[int, str] = {}
    before = ""
    for at, character in enumerate(text):
        if before and typography.breaks_between(before, character):
            breaks[at] = r"\CvbInter{}"
        elif before.isalnum() and (character in _SYLLABLES or at in long):
            breaks[at] = r"\CvbAllowBreak{}"
        before = character
    return breaks
