r"""LaTeX in values of other programs, such as ``{\"O}stlund`` or ``$O(n)$``, as readable texts.

Nothing is run: accents and symbols become characters, emphasis and links become Markdown, HTML of
databases is read, too. pylatexenc knows most commands, ``latex_text.toml`` and ``journals.toml``
what it lacks. Of an unknown command, what is printed goes into ``unread``.
"""

from __future__ import annotations

import html
import re
import tomllib
import unicodedata
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from cvbuild.common.diagnostics import missing
from cvbuild.model.text import rich_text, texts

#: Each command that isn't known, or "" for a text that is nested too deep, and what is printed.
Unread = list[tuple[str, str]]
#: Characters of Unicode that no text has; they stand for marks of Markdown until all is escaped.
_MARKS = {"\ue000": "**", "\ue001": "*", "\ue002": "`", "\ue003": "^", "\ue004": "~",
          "\ue005": "[", "\ue006": "](", "\ue007": ")"}  # fmt: skip
_BOLD, _ITALIC, _CODE, _SUPER, _SUB, _OPEN, _MIDDLE, _CLOSE = _MARKS
_SIGNS = {mark: sign for sign, mark in _MARKS.items()}
_ANY_MARK = re.compile("[\ue000-\ue008]")
_LINK = re.compile(f"{_OPEN}([^{_OPEN}]*){_MIDDLE}([^{_CLOSE}]*){_CLOSE}")
#: Empty braces, which part what would be read as a whole: -{}-, \\&{}amp;.
_NOTHING = "\ue008"
#: Where Markdown has no escapes, and where a blank needs one.
_VERBATIM = re.compile(f"{_MIDDLE}[^{_CLOSE}]*{_CLOSE}|{_CODE}[^{_CODE}]*{_CODE}")
_SCRIPT = re.compile(f"{_SUPER}[^{_SUPER}]*{_SUPER}|{_SUB}[^{_SUB}]*{_SUB}")
#: Characters that would end the address of a link in Markdown.
_ENDING = {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E"}
#: In LaTeX it never opens a quotation: '22.
_ELISION = re.compile(r"(?<![\w'])'(?=\d)")
_TOKEN = re.compile(
    r"\\(operatorname\*|[hv]space\*|[A-Za-z]+)(\s*)|\\(\S|\s+|$)|---?|``|''|[?!]`|\s+|\$\$?|"
    r"[^\\\s{}$^_~'`?!&-]+|.",
    re.DOTALL,
)
_ESCAPED_MATH = re.compile(r"\{\\(?:textdollar|\$)\}(.*?)\{\\(?:textdollar|\$)\}")
_BLANKS = re.compile(r"\s*")
_ENTITY = re.compile(r"&(#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
_TAG = re.compile(r"(</?[A-Za-z][\w:.-]*(?:\s+[\w:-]+\s*=[^<>]*)?\s*/?>|< /?[a-z]+>)")
_POWER = re.compile(
    r"<(?:mml:)?(msup|msub)>\s*<[^<>]+>([^<>]*)<[^<>]+>\s*<[^<>]+>([^<>]*)<[^<>]+>\s*</(?:mml:)?\1>"
)


def _words(table: dict[str, str]) -> dict[str, str]:
    """Return a table whose keys stand for each of the words of their values, by these words."""
    return {word: key for key, words in table.items() for word in words.split()}


_FOLDER = Path(__file__).parent
_TABLES = tomllib.loads((_FOLDER / "latex_text.toml").read_text("utf-8"))
_STYLES, _SILENT, _HTML, _ACCENTS, _LIGATURES = (
    _words(_TABLES[name]) for name in ("styles", "silent", "html", "accents", "ligatures")
)
_SYMBOLS = tomllib.loads((_FOLDER / "journals.toml").read_text("utf-8"))
_SYMBOLS |= _words(_TABLES["signs"]) | {" ": " ", "\\": " "}
_SYMBOLS |= {name: name for name in [*_TABLES["names"]["words"].split(), *"$&#%_{}"]}
_TEMPLATES = {name: key or "{0}" for name, key in _words(_TABLES["texts"]).items()}
_PREFIXES, _UNITS, _POWERS = (
    dict(unit.split("=") for unit in _TABLES["units"][name].split())
    for name in ("prefixes", "symbols", "powers")
)
_FOLDS = str.maketrans(_TABLES["letters"])
_SWITCHES = frozenset(_TABLES["switches"]["words"].split())


def markdown(latex: str, unread: Unread | None = None) -> str:
    """Return inline Markdown of a text with LaTeX in it, on one line."""
    whole = _ELISION.sub("’", texts.line(_read(latex, unread)))
    if not _ANY_MARK.search(whole):
        return texts.plain(whole)
    if whole[0] in (_BOLD, _ITALIC) and whole[-1] == whole[0] and whole.count(whole[0]) == 2:
        # All of it in one style says nothing: the document's own style does.
        whole = whole[1:-1]
    # Marks where Markdown has none, such as around signs inside of words, are left out.
    for left_out in ("", _CODE, _CODE + _BOLD, _CODE + _BOLD + _ITALIC):
        styled = re.sub(f"[{left_out}]", "", whole) if left_out else whole
        for escape in (texts.plain, texts.escaped):
            marked = _VERBATIM.sub(lambda part: re.sub(r"\\(.)", r"\1", part[0]), escape(styled))
            marked = _SCRIPT.sub(lambda part: part[0].replace(" ", r"\ "), marked)
            marked = "".join(_MARKS.get(char, char) for char in marked)
            if rich_text.plain(texts.nodes(marked) or ()) == _unmarked(styled):
                return marked
    return texts.plain(_unmarked(_LINK.sub(r"\1 (\2)", whole)))


def plain(latex: str, unread: Unread | None = None) -> str:
    """Return a text with LaTeX in it as plain characters on one line."""
    return _unmarked(texts.line(_read(latex, unread)))


def address(latex: str) -> str:
    r"""Return an address or identifier as it is, without TeX's and HTML's escapes."""
    text = re.sub(r"^\\(?:url|href|path)\s*\{([^{}]*)\}.*$", r"\1", latex.strip())
    text = re.sub(r"\$\s*\\sim\s*\$|\\~\{\}", "~", text)
    text = re.sub(r"\$(\\[A-Za-z]+|[<>])\$", r"{\1}", text)
    if re.search(r"[\\{}]", text):
        with suppress(RecursionError):
            text = _Reader(text, [], is_verbatim=True).words()
    return _unmarked(texts.line(_entities(_entities(text)))).strip("{} ")


def _unmarked(text: str) -> str:
    return _ANY_MARK.sub("", _LINK.sub(r"\1", text))


def _read(latex: str, unread: Unread | None) -> str:
    """Return the text with private characters as marks."""
    text = _ESCAPED_MATH.sub(_unescaped, _ANY_MARK.sub("", latex))
    unread = [] if unread is None else unread
    if re.search(r"[\\{}$~`]|--|''", text):
        try:
            text = _Reader(text, unread).words()
        except RecursionError:
            text = re.sub(r"[{}]", "", text)
            unread.append(("", text))
    text = _entities(_entities(text))
    text = (_untagged(text) if "<" in text else text).replace(_NOTHING, "")
    # Letters that typefaces have, in place of those of formulas.
    for char in set(text) if not text.isascii() else ():
        kind, _, code = unicodedata.decomposition(char).partition(" ")
        if kind == "<font>" and char != "ℓ":
            text = text.replace(char, chr(int(code, 16)))
    for char, word in _TABLES["subscripts"].items() if _SUB in text else ():
        text = text.replace(f"{_SUB}{char}{_SUB}", f"{_SUB}{word}{_SUB}")
    return text.translate(_FOLDS)


def _unescaped(match: re.Match[str]) -> str:
    """Return a formula whose signs a database escaped: ``{\\$}{\\textbackslash}ell{\\_}1{\\$}``."""
    inner = (
        match[1].replace(r"{\textbackslash}", "\\").replace(r"{\^{}}", "^").replace(r"{\^}", "^")
    )
    inner = re.sub(
        r"\{?\\([_^{}])(\}?)", lambda sign: sign[1] + sign[2] * (sign[0][0] != "{"), inner
    )
    return f"${inner}$" if re.search(r"[\\^_]", inner) else match[0]


def _entities(text: str) -> str:
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text) if "&" in text else text


def _untagged(text: str) -> str:
    marks = {"msup": _SUPER, "msub": _SUB}
    text = _POWER.sub(lambda tag: f"{tag[2]}{marks[tag[1]]}{tag[3]}{marks[tag[1]]}", text)
    parts: list[str] = []
    opened: list[tuple[str, int]] = []
    for part in _TAG.split(text):
        match = re.match(r"<\s?(/?)(\w+:)?([\w.-]+)", part)
        name = match[3].lower() if match else ""
        sign = _HTML.get(name, "" if match and match[2] else None)
        if match is None or sign is None or sign not in _SIGNS:
            parts.append(part if sign is None else sign)
        elif not match[1]:
            opened.append((name, len(parts)))
        elif opened and opened[-1][0] == name:
            start = opened.pop()[1]
            parts[start:] = [_styled("".join(parts[start:]), _SIGNS[sign])]
    return "".join(parts)


@cache
def _known(name: str) -> tuple[Any, str]:
    """Return what pylatexenc prints for a command, and the signs of its arguments: ``[{``."""
    spec, arguments = (table.get_macro_spec(name) for table in _tables())
    printed = spec and (spec.simplify_repl or "".join)
    signs = getattr(arguments and arguments.args_parser, "argspec", None) or ""
    if callable(printed):
        return "".join, signs
    return printed, signs + "{" * ((printed or "").count("%s") - len(signs))


@cache
def _tables() -> tuple[Any, Any]:
    """Return what pylatexenc prints for commands, and their arguments."""
    try:
        from pylatexenc import latex2text, latexwalker
    except ImportError as error:
        raise missing("reading LaTeX", "formats", error) from None
    both = latex2text, latexwalker
    return tuple(module.get_default_latex_context_db() for module in both)


@cache
def _accent(name: str) -> str:
    """Return the character that a command puts on a letter; empty for another command."""
    if name in _ACCENTS or not callable(_known(name)[0]) or name in ("input", "include"):
        return _ACCENTS.get(name, "")
    from pylatexenc.latex2text import LatexNodes2Text

    letter = unicodedata.normalize("NFD", LatexNodes2Text().latex_to_text(f"\\{name}{{x}}"))
    return letter[1] if letter[:1] == "x" and len(letter) == 2 else ""


class _Reader(Struct):
    """Reads a text from its beginning to its end; raises RecursionError for a deep one."""

    text: str
    unread: Unread
    is_math: bool = False
    is_verbatim: bool = False
    at: int = 0

    def words(self, until: str = "") -> str:
        """Return the words up to a sign, which is passed, too, or to the end."""
        parts: list[str] = []
        switched: list[tuple[int, str]] = []
        while match := _TOKEN.match(self.text, self.at):
            sign = match[0]
            if until and self.text.startswith(until, self.at):
                self.at += len(until)
                break
            if sign == "}" and until:
                break
            self.at = match.end()
            if match[1] in _SWITCHES:
                switched.append((len(parts), _SIGNS[_STYLES[match[1]]]))
            elif sign == "{":
                parts.append(self.words("}") or _NOTHING)
            elif sign[0] == "\\":
                parts.append(self._command(match, "".join(parts[-2:])[-40:]))
            elif sign != "}":
                parts.append(sign if self.is_verbatim else self._sign(sign))
        for start, mark in reversed(switched):
            parts[start:] = [_styled("".join(parts[start:]), mark)]
        return "".join(parts)

    def _sign(self, sign: str) -> str:
        """Return what signs other than commands print."""
        if sign in ("$", "$$"):
            return self._math(sign) if self.text.find(sign, self.at) > 0 else sign
        if sign in ("^", "_") and (self.is_math or self.text.startswith("{", self.at)):
            words = _script(self._argument(), _SUPER if sign == "^" else _SUB)
            return words + " " * (self.is_math and self.text[self.at - 1].isspace())
        if self.is_math and sign in ("'", "''", "-", "&"):
            return {"'": "′", "''": "″", "-": "−", "&": " "}[sign]
        return " " if sign.isspace() else _LIGATURES.get(sign, sign)

    def _math(self, until: str) -> str:
        outside, self.is_math = self.is_math, True
        words = self.words(until).strip()
        self.is_math = outside
        return words

    def _argument(self) -> str:
        self.at = _BLANKS.match(self.text, self.at).end()  # type: ignore[union-attr]
        match = _TOKEN.match(self.text, self.at)
        if match is None or match[0] == "}":
            return ""
        sign = match[0][0]
        self.at = match.end() if sign in "\\{" else self.at + 1
        words = self.words("}") if sign == "{" else ""
        if words or sign == "{":
            return words
        return self._command(match, "") if sign == "\\" else self._sign(sign)

    def _option(self) -> str:
        """Pass an argument in square brackets, and return it."""
        if not self.text.startswith("[", self.at):
            return ""
        end = self.text.find("]", self.at)
        start, self.at = self.at + 1, end + 1 if end > 0 else self.at + 1
        return self.text[start : self.at - 1]

    def _raw(self) -> str:
        if not self.text.startswith("{", self.at):
            return ""
        depth, start = 0, self.at + 1
        for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(self.text, self.at):
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if not depth:
                self.at = match.end()
                return self.text[start : match.start()]
        self.at = len(self.text)
        return self.text[start:]

    def _formula(self, latex: str) -> str:
        return _Reader(latex, self.unread, is_math=True).words()

    def _command(self, match: re.Match[str], before: str) -> str:
        name = match[1] or match[3]
        if name in "([":
            return self._math("\\)" if name == "(" else "\\]")
        if name in _SILENT:
            if name in ("left", "right") and self.text.startswith(".", self.at):
                self.at += 1
            for _ in range(int(_SILENT[name])):
                self._argument()
            return ""
        if name in _STYLES:
            mark = _SIGNS[_STYLES[name]]
            return (_script if mark in (_SUPER, _SUB) else _styled)(self._argument(), mark)
        if name in ("url", "href", "path"):
            target = "".join(_ENDING.get(char, char) for char in address(self._raw()))
            words = (self._argument() if name == "href" else "") or target
            return target if name == "path" else f"{_OPEN}{words}{_MIDDLE}{target}{_CLOSE}"
        if name in ("SI", "qty", "num", "si", "unit", "ang", "ce"):
            return self._science(name)
        return self._text(name, match[2], before)

    def _text(self, name: str, space: str | None, before: str) -> str:
        blank = " " if space and self.is_math and before[-1:] == " " else ""
        if sign := _SYMBOLS.get(name.strip() or " ", ""):
            return sign if self.is_verbatim else self._spaced(sign, before, blank)
        if name in _TEMPLATES:
            template, option = _TEMPLATES[name], self._option()
            values = [self._argument() for _ in range(2 if "{1}" in template else 1)]
            if name.endswith("frac") or name == "sqrt":
                values = [v if re.fullmatch(r"[\w.]*", v) else f"({v})" for v in values]
            degree = _script(option, _SUPER) if name == "sqrt" else ""
            return degree + template.format(*values)
        if accent := _accent(name):
            words = self._argument().replace("ı", "i").replace("ȷ", "j").lstrip()
            return re.sub(r"^(.[\u0300-\u036f]*)", rf"\1{accent}", words) or name * (name in "^~")
        if name[:2] == "up" and _known(name[2:])[0]:
            name = name[2:]
        printed, signs = _known(name)
        if printed is None:
            self._option()
            words = self._argument() if self.text.startswith("{", self.at) else ""
            words = words or name + (space or "")[:1]
            self.unread.append((name, _unmarked(words).strip()))
            return words
        read = {"{": self._argument, "[": self._option}
        values = [read.get(sign, str)() for sign in signs]
        if callable(printed):
            return str(printed(v for v, sign in zip(values, signs, strict=True) if sign == "{"))
        if "%" not in printed:
            return self._spaced(printed, before, blank)
        by_number = {str(at): value for at, value in enumerate(values, 1)}
        return str(printed % (by_number if "%(" in printed else tuple(values)))

    def _spaced(self, sign: str, before: str, blank: str) -> str:
        """Return a sign with the spaces that formulas have around words and after relations."""
        if not self.is_math:
            return sign
        if not (sign.isalpha() and len(sign) > 1):
            return sign if sign[:1].isalpha() or sign.isspace() else sign + blank
        after = self.text[self.at : self.at + 1]
        return " " * before[-1:].isalnum() + sign + " " * (after.isalnum() or after == "\\")

    def _science(self, name: str) -> str:
        self._option()
        value = self._raw().strip()
        if name == "ce":
            value = re.sub(r"(?<=[A-Za-z)\]])(\d+)", r"_{\1}", value)
            value = re.sub(r"\^(\d*[+-])|(?<=[\w)\]}])([+-])(?=\s|$)", r"^{\1\2}", value)
            return self._formula(value.replace("<=>", "↔").replace("->", "→"))
        if name in ("si", "unit"):
            return self._formula(_unit(value))
        if name == "ang":
            signs = zip(value.split(";"), "°′″", strict=False)
            return "".join(part.strip() + sign for part, sign in signs if part.strip())
        value = re.sub(r"(\d)\s*[eE]\s*([+-]?\d+)", r"\1 × 10^{\2}", value.replace("+-", "±"))
        number = self._formula(re.sub(r"\s*\bx\b\s*", " × ", value))
        self._option()
        unit = self._formula(_unit(self._raw())) if name != "num" else ""
        return number + " " * (unit not in ("", "°", "′", "″")) + unit


def _unit(latex: str) -> str:
    r"""Return LaTeX with the signs of units: ``\kilo\metre\per\second`` as ``km/s``."""
    latex = re.sub(r"\\(square|cubic)\s*((?:\\[a-z]+?o)?\\\w+)", r"\2\\\1", latex)
    parts = ""
    for name, text in re.findall(r"\\([A-Za-z]+)\s*|([^\\]+)", latex):
        if name in _PREFIXES or name in _UNITS:
            parts += " " * (parts[-1:] not in ("", "/", " ", _NOTHING))
            parts += _UNITS.get(name) or _PREFIXES[name] + _NOTHING
        else:
            unknown = "/" if name == "per" else f"\\{name} "
            parts += _POWERS.get(name, unknown) if name else text.replace(".", " ")
    return parts.replace(_NOTHING, "").replace("%", "\\%")


def _styled(words: str, mark: str) -> str:
    """Return words between two marks; spaces at their ends go outside."""
    bare = words.strip()
    if not bare or mark in bare:
        return words
    return words.replace(bare, f"{mark}{bare}{mark}", 1)


def _script(words: str, mark: str) -> str:
    """Return words raised or lowered; notes of authors, and primes, are signs already."""
    bare = words.strip()
    if not bare.strip("*†‡§′″°∘"):
        return bare
    for inner, sign in ((_SUPER, "^"), (_SUB, "_")):
        bare = re.sub(f"{inner}([^{inner}]*){inner}", rf"{sign}\1", bare)
    if re.search("[()/%:→>]", bare):
        # Markdown has no mark for it: a text with these signs between two is code or a path.
        return ("^" if mark == _SUPER else "_") + bare
    return f"{mark}{bare}{mark}"
