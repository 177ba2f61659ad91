"""Texts of LaTeX nodes: lines of runs in their styles. What has no text is skipped or told."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from cvbuild.inputs.importers import runs as styled
from cvbuild.inputs.importers.documents.latex import tree
from cvbuild.inputs.importers.documents.latex.source import PERCENT
from cvbuild.inputs.importers.documents.latex.tree import Cursor, chars, inside, kind
from cvbuild.inputs.importers.runs import Run
from cvbuild.model import urls

#: Called with what is lost, its text, and its node.
Lose = Callable[[str, str, Any], None]
Lines = list[list[Run]]

#: Commands with a style for their argument; with none, only the argument counts.
_STYLED = {
    "textbf": "strong", "textit": "em", "emph": "em", "textsl": "em", "texttt": "code",
    "textsuperscript": "sup", "textsubscript": "sub", "cvhighlight": "strong",
} | dict.fromkeys(
    ("textrm", "textsf", "textsc", "textmd", "textup", "textnormal", "text", "mbox", "underline",
     "uline", "MakeUppercase", "uppercase", "MakeTextUppercase", "mdseries", "acvHeaderNameStyle",
     "descriptionstyle", "enquote", "hbox", "ensuremath", "textulf", "so", "scshape", "lowercase",
     "small", "footnotesize", "large", "Large", "bodyfontlight", "sbweight", "lstinline", "raggedleft",
     "mathrm", "mathbf", "mathit", "mathsf", "texorpdfstring"),
    "",
)  # fmt: skip
#: Commands that style what follows in the group.
_SWITCHES = {
    "bfseries": "strong", "bf": "strong", "itshape": "em", "it": "em", "em": "em", "sl": "em",
    "slshape": "em", "ttfamily": "code", "tt": "code",
}  # fmt: skip
#: Layout: how many arguments they have.
_LAYOUT = {
    "vspace": 1, "hspace": 1, "vskip": 0, "hskip": 0, "color": 1, "setlength": 2, "addtolength": 2,
    "label": 1, "fontsize": 2, "thispagestyle": 1, "pagestyle": 1, "rule": 2, "setcounter": 2,
    "hypersetup": 1, "definecolor": 3, "colorlet": 2, "usepackage": 1, "documentclass": 1,
    "bibliographystyle": 1, "pagenumbering": 1, "geometry": 1, "addcontentsline": 3, "fa": 1,
    "faIcon": 1, "phantom": 1, "hphantom": 1, "vphantom": 1, "titleformat": 5, "titlespacing": 4,
    "setlist": 1, "moderncvstyle": 1, "moderncvcolor": 1, "moderncvtheme": 1, "fontdir": 1,
    "nopagenumbers": 0, "selectlanguage": 1, "graphicspath": 1, "urlstyle": 1, "raisebox": 1,
    "hyphenation": 1, "cline": 1, "cmidrule": 1, "addlinespace": 0, "renewbibmacro": 2,
    "makecvfooter": 3, "cvlistspacing": 0, "nocite": 1, "setmainfont": 1, "setsansfont": 1,
    "linespread": 1, "extracolsep": 1, "input": 1, "setbool": 2, "photosize": 1, "pdfbookmark": 2,
    "needspace": 1, "Needspace": 1, "enlargethispage": 1, "colorbox": 1, "hangindent": 0,
    "recomputelengths": 0, "newpage": 0, "foreignlanguage": 1, "columnbreak": 0, "relsize": 1, "makebox": 0, "parbox": 1, "resizebox": 2,
}  # fmt: skip
_SILENT = frozenset(
    """noindent indent smallskip medskip bigskip clearpage pagebreak newpage tiny scriptsize
    normalsize large Large LARGE huge Huge small footnotesize centering raggedright raggedleft
    hline toprule midrule bottomrule normalfont sffamily rmfamily mdseries upshape scshape maketitle
    makecvtitle makecvheader makecvhead maketitlesec begin end item protect relax null strut ignorespaces unskip
    nobreak allowbreak par sloppy frenchspacing onehalfspacing singlespacing leavevmode linewidth
    textwidth hsize columnwidth baselineskip parindent parskip itemsep topsep vfill break
    selectfont boldmath xspace newline linebreak tableofcontents lastupdated displaystyle lightfont
    headerfont bodyfont footerfont printbibliography pt em ex leftmargin fill flushbottom raggedbottom
    makeatletter makeatother bgroup egroup begingroup endgroup smash samepage nolinebreak
    divider cvsectionsep hrule hrulefill dotfill limits left right quotefont""".split()
)
_WITH_OPTION = frozenset(
    ("makecvheader", "nolinebreak", "linebreak", "pagebreak", "nopagebreak", "makecvtitle")
)
_BLANKS = frozenset((" ", ",", ":", ";", ">", "enspace", "enskip", "thinspace", "space", "quad", "\n",
                     "\t", "nobreakspace"))  # fmt: skip
_NOTHING = frozenset("-/@!()[]")
_TABS = frozenset(("hfill", "qquad", "dotfill", "hrulefill"))
_SPECIALS = {"--": "–", "---": "—", "``": "“", "''": "”", "~": " ", "!`": "¡", "?`": "¿"}
_SYMBOLS = {
    "LaTeX": "LaTeX", "TeX": "TeX", "LaTeXe": "LaTeX2e", "XeLaTeX": "XeLaTeX", "cdotp": "·",
    "textbullet": "•", "BibTeX": "BibTeX", "slash": "/", "textasciitilde": "~", "textbar": "|",
    "today": "", "and": "; ", "textbackslash": "\\", "euro": "€", "EUR": "€", "texteuro": "€",
    "Cpp": "C++", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»", "og": "« ", "fg": " »",
    "acvHeaderSocialSep": " | ", "cdot": "·", "bullet": "•", "sim": "~", "ast": "*", "star": "★",
    "textasciicircum": "^", "_": "_", "textperiodcentered": "·", "mid": "|", "log": "log",
    "rightarrow": "→", "to": "→", "times": "×", "textgreater": ">", "textless": "<", "textdegree": "°",
}  # fmt: skip
_COMBINING = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "t": "\u0361", "c": "\u0327",
    "d": "\u0323", "b": "\u0331", "r": "\u030a", "k": "\u0328",
}  # fmt: skip
_LINK_PARTS = {"httplink": "http://", "httpslink": "https://", "emaillink": "mailto:"}


class Words:
    """Makes texts of nodes; ``lose`` is told what has none."""

    def __init__(self, lose: Lose) -> None:
        self.lose = lose
        self._told: set[str] = set()

    def line(self, nodes: Iterable[Any]) -> str:
        """Return nodes as Markdown on one line."""
        joined: list[Run] = []
        for one in self.lines(nodes):
            joined += [*one, Run(" ")]
        return styled.markdown(
            [Run(run.text.replace("\t", " "), run.styles, run.url) for run in joined]
        )

    def plain(self, nodes: Iterable[Any]) -> str:
        """Return the characters of nodes on one line: for addresses and names."""
        return styled.plain(run for one in self.lines(nodes) for run in [*one, Run(" ")])

    def lines(self, nodes: Iterable[Any]) -> Lines:
        """Return the lines of nodes; a tab stands for what fills a line or parts columns."""
        found: Lines = [[]]
        self._read(Cursor(list(nodes)), frozenset(), found)
        return [one for one in found if any(run.text.strip() for run in one)]

    def _read(self, cursor: Cursor, styles: frozenset[str], to: Lines) -> None:
        while (node := cursor.next()) is not None:
            match kind(node):
                case "Chars":
                    text = chars(node).replace("\u00a0", " ").replace(PERCENT, "%")
                    to[-1].append(Run(_quoted(re.sub(r"\s+", " ", text)), styles))
                case "Specials":
                    mark = node.specials_chars
                    to[-1].append(Run("\t" if mark == "&" else _SPECIALS.get(mark, mark), styles))
                case "Group" | "Environment":
                    self._read(Cursor(inside(node)), styles, to)
                case "Math":
                    self._math(inside(node), styles, to)
                case "Macro":
                    styles = self._macro(node, cursor, styles, to)

    def _macro(
        self, node: Any, cursor: Cursor, styles: frozenset[str], to: Lines
    ) -> frozenset[str]:
        """Add the text of a command; return the styles of what follows."""
        name = node.macroname
        if name in _SWITCHES:
            return styles | {_SWITCHES[name]}
        if name == "normalfont":
            return frozenset()
        if name in ("\\", "newline", "linebreak", "tabularnewline", "par", "cr"):
            cursor.option()
            if cursor.at < len(cursor.nodes) and chars(cursor.nodes[cursor.at])[:1] == "*":
                cursor.nodes = [*cursor.nodes[: cursor.at], chars(cursor.nodes[cursor.at])[1:],
                                *cursor.nodes[cursor.at + 1 :]]  # fmt: skip
            to.append([])
        elif name in _COMBINING and node.nodeargd and node.nodeargd.argnlist:
            to[-1].append(Run(self._accented(name, node.nodeargd.argnlist[0]), styles))
        elif name in _STYLED and self._styled(name, cursor, styles, to):
            pass
        elif name in ("href", "url", "nolinkurl", "email", *_LINK_PARTS):
            self._link(name, node, cursor, styles, to)
        elif name == "verb" and node.nodeargd:
            text = getattr(node.nodeargd, "verbatim_text", "") or ""
            to[-1].append(Run(text, styles | {"code"}))
        elif name == "textcolor":
            cursor.option()
            cursor.group()
        elif name == "item":
            to.append([])
        elif name == "footnote":
            if group := cursor.group():
                to[-1].append(Run(" (", styles))
                self._read(Cursor(inside(group)), styles, to)
                to[-1].append(Run(")", styles))
        else:
            self._symbol(node, cursor, styles, to)
        return styles

    def _styled(self, name: str, cursor: Cursor, styles: frozenset[str], to: Lines) -> bool:
        """Add the argument of a command in its style; return whether there is one."""
        group = cursor.group(is_near=True)
        if group is None:
            return name not in _SILENT and name not in _SWITCHES
        style = _STYLED[name]
        quotes = ("“", "”") if name == "enquote" else ("", "")
        to[-1].append(Run(quotes[0], styles))
        self._read(Cursor(inside(group)), styles | {style} if style else styles, to)
        to[-1].append(Run(quotes[1], styles))
        return True

    def _link(
        self, name: str, node: Any, cursor: Cursor, styles: frozenset[str], to: Lines
    ) -> None:
        label = cursor.option()
        group = cursor.group()
        if group is None:
            return
        url = address(inside(group))
        shown = cursor.group() if name == "href" else None
        if name in _LINK_PARTS:
            url = _LINK_PARTS[name] + url
        elif name == "email":
            url = f"mailto:{url}"
        text = self.lines(inside(shown)) if shown is not None else []
        text = text or (self.lines(label) if label else [])
        words = [run for one in text for run in one] or [Run(url.removeprefix("mailto:"))]
        try:
            urls.normalise(url)
        except urls.UrlError:
            if url.strip():
                self.lose(f"\\{name}", url, node)
            url = ""
        to[-1] += [Run(run.text, run.styles | styles, url) for run in words]

    def _symbol(self, node: Any, cursor: Cursor, styles: frozenset[str], to: Lines) -> None:
        """Add the character of a command, or skip it; tell of one that is unknown."""
        name = node.macroname
        symbol = _SYMBOLS.get(name)
        if name in _TABS or (name == "hspace" and _fills(cursor)):
            cursor.groups(int(name == "hspace"))
            to[-1].append(Run("\t"))
        elif name in _BLANKS:
            to[-1].append(Run(" "))
        elif symbol is not None or (len(name) == 1 and name in "&%$#_{}\"'"):
            _end_of_name(cursor)
            to[-1].append(Run(symbol if symbol is not None else name, styles))
            if node.macro_post_space and symbol and not name[-1:].isalpha():
                to[-1].append(Run(" "))
        elif name in _NOTHING or name in _SILENT or name.startswith("fa"):
            if name in _WITH_OPTION:
                cursor.option()
            _end_of_name(cursor)
        elif name == "includegraphics":
            cursor.option()
            if group := cursor.group():
                self.lose("image", address(inside(group)), node)
        elif name in _LAYOUT:
            cursor.option()
            cursor.groups(_LAYOUT[name])
        elif character := _known_symbol(name):
            _end_of_name(cursor)
            to[-1].append(Run(character, styles))
        else:
            self._unknown(node, cursor, styles, to)

    def _unknown(self, node: Any, cursor: Cursor, styles: frozenset[str], to: Lines) -> None:
        """Keep the texts of an unknown command, and tell of it once."""
        option = cursor.option()
        groups = cursor.groups(9, is_near=True)
        texts = [inside(group) for group in groups]
        for at, inner in enumerate(texts):
            if at:
                to[-1].append(Run("\t"))
            self._read(Cursor(inner), styles, to)
        if node.macroname in self._told:
            return
        self._told.add(node.macroname)
        kept = "its text is kept" if groups else "it is left out"
        given = self.plain(option) if option else ""
        self.lose(f"unknown command, {kept}", f"\\{node.macroname} {given}".strip(), node)

    def _accented(self, name: str, argument: Any) -> str:
        nodes = inside(argument) if kind(argument) == "Group" else [argument]
        text = self.plain(nodes).replace("ı", "i").replace("ȷ", "j")
        return unicodedata.normalize("NFC", text[:1] + _COMBINING[name] + text[1:])

    def _math(self, nodes: list[Any], styles: frozenset[str], to: Lines) -> None:
        """Add a formula as text: superscripts and subscripts are styles, all else characters."""
        script = ""
        cursor = Cursor(nodes)
        while (node := cursor.next()) is not None:
            if kind(node) == "Chars":
                for part in re.findall(r"[\^_]|[^\^_]+", re.sub(r"\s+", " ", chars(node))):
                    if part in "^_":
                        script = {"^": "sup", "_": "sub"}[part]
                        continue
                    inner, rest = (part[:1], part[1:]) if script else ("", part)
                    to[-1] += [Run(inner, styles | {script})] if inner else []
                    rest = f" {rest.strip()} " if rest.strip() in ("|", "·", "•", "/") else rest
                    to[-1] += [Run(rest, styles)] if rest else []
                    script = ""
            elif kind(node) == "Group":
                self._math(inside(node), styles | {script} if script else styles, to)
                script = ""
            else:
                inner_styles = styles | {script} if script else styles
                if kind(node) == "Macro":
                    self._macro(node, cursor, inner_styles, to)
                    # "log n" is not "logn".
                    if node.macro_post_space and to[-1] and to[-1][-1].text[-2:].isalpha():
                        to[-1].append(Run(" "))
                else:
                    self._read(Cursor([node]), inner_styles, to)
                script = ""


def address(nodes: Iterable[Any]) -> str:
    """Return an address as it is written: nothing in it is a command but escaped characters."""
    found = ""
    for node in nodes:
        match kind(node):
            case "Chars":
                found += chars(node)
            case "Specials":
                found += node.specials_chars
            case "Group":
                found += address(inside(node))
            case "Macro":
                name = node.macroname
                found += "~" if name in ("textasciitilde", "string~") else ""
                found += name if name in ("&", "%", "#", "_", "$", "{", "}", "~") else ""
                if name == "~" and node.nodeargd and node.nodeargd.argnlist:
                    argument = node.nodeargd.argnlist[0]
                    found += address(inside(argument) if kind(argument) == "Group" else [argument])
    return found.replace(PERCENT, "%").strip()


def _quoted(text: str) -> str:
    text = text.replace('"`', "„").replace("\"'", "“").replace('"=', "-")
    return text.replace("`", "‘").replace("'", "’")


def _end_of_name(cursor: Cursor) -> None:
    """Go on after ``{}``, which only ends the name of a command."""
    if cursor.at < len(cursor.nodes):
        node = cursor.nodes[cursor.at]
        if kind(node) == "Group" and not inside(node):
            cursor.at += 1


def _fills(cursor: Cursor) -> bool:
    """Return whether the space that follows fills the line: \\hspace*{\\fill}."""
    near = cursor.nodes[cursor.at : cursor.at + 2]
    groups = [one for one in near if kind(one) == "Group"]
    if near and chars(near[0]).startswith("*"):
        cursor.nodes = [
            *cursor.nodes[: cursor.at],
            chars(near[0])[1:],
            *cursor.nodes[cursor.at + 1 :],
        ]
    return any(
        kind(node) == "Macro" and node.macroname == "fill" for one in groups for node in inside(one)
    )


@cache
def _known_symbol(name: str) -> str:
    """Return the character of a command that pylatexenc knows: \\ss, \\alpha, \\textregistered."""
    from pylatexenc.latex2text import get_default_latex_context_db

    spec: Any = get_default_latex_context_db().get_macro_spec(name)
    found = getattr(spec, "simplify_repl", None) if spec else None
    return found if isinstance(found, str) and "%" not in found and len(found) <= 8 else ""
