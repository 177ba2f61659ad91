"""Commands of LaTeX that stand for characters, styles or layout."""

from __future__ import annotations

from functools import cache
from typing import Any

#: Commands with a style for their argument; with none, only the argument counts.
STYLED = {
    "textbf": "strong", "textit": "em", "emph": "em", "textsl": "em", "texttt": "code",
    "textsuperscript": "sup", "textsubscript": "sub", "cvhighlight": "strong",
} | dict.fromkeys(
    ("textrm", "textsf", "textsc", "textmd", "textup", "textnormal", "text", "mbox", "underline",
     "uline", "MakeUppercase", "uppercase", "MakeTextUppercase", "mdseries", "acvHeaderNameStyle",
     "descriptionstyle", "enquote", "hbox", "ensuremath", "textulf", "so", "scshape", "lowercase",
     "small", "footnotesize", "large", "Large", "bodyfontlight", "sbweight", "lstinline",
     "raggedleft", "mathrm", "mathbf", "mathit", "mathsf", "texorpdfstring"),
    "",
)  # fmt: skip
#: Commands that style what follows in the group.
SWITCHES = {
    "bfseries": "strong", "bf": "strong", "itshape": "em", "it": "em", "em": "em", "sl": "em",
    "slshape": "em", "ttfamily": "code", "tt": "code",
}  # fmt: skip
#: Layout: how many arguments they have.
LAYOUT = {
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
    "recomputelengths": 0, "newpage": 0, "foreignlanguage": 1, "columnbreak": 0,
    "relsize": 1, "makebox": 0, "parbox": 1, "resizebox": 2,
}  # fmt: skip
SILENT = frozenset(
    [
        "noindent",
        "indent",
        "smallskip",
        "medskip",
        "bigskip",
        "clearpage",
        "pagebreak",
        "newpage",
        "tiny",
        "scriptsize",
        "normalsize",
        "large",
        "Large",
        "LARGE",
        "huge",
        "Huge",
        "small",
        "footnotesize",
        "centering",
        "raggedright",
        "raggedleft",
        "hline",
        "toprule",
        "midrule",
        "bottomrule",
        "normalfont",
        "sffamily",
        "rmfamily",
        "mdseries",
        "upshape",
        "scshape",
        "maketitle",
        "makecvtitle",
        "makecvheader",
        "makecvhead",
        "maketitlesec",
        "begin",
        "end",
        "item",
        "protect",
        "relax",
        "null",
        "strut",
        "ignorespaces",
        "unskip",
        "nobreak",
        "allowbreak",
        "par",
        "sloppy",
        "frenchspacing",
        "onehalfspacing",
        "singlespacing",
        "leavevmode",
        "linewidth",
        "textwidth",
        "hsize",
        "columnwidth",
        "baselineskip",
        "parindent",
        "parskip",
        "itemsep",
        "topsep",
        "vfill",
        "break",
        "selectfont",
        "boldmath",
        "xspace",
        "newline",
        "linebreak",
        "tableofcontents",
        "lastupdated",
        "displaystyle",
        "lightfont",
        "headerfont",
        "bodyfont",
        "footerfont",
        "printbibliography",
        "pt",
        "em",
        "ex",
        "leftmargin",
        "fill",
        "flushbottom",
        "raggedbottom",
        "makeatletter",
        "makeatother",
        "bgroup",
        "egroup",
        "begingroup",
        "endgroup",
        "smash",
        "samepage",
        "nolinebreak",
        "divider",
        "cvsectionsep",
        "hrule",
        "hrulefill",
        "dotfill",
        "limits",
        "left",
        "right",
        "quotefont",
    ]
)
WITH_OPTION = frozenset(
    ("makecvheader", "nolinebreak", "linebreak", "pagebreak", "nopagebreak", "makecvtitle")
)
BLANKS = frozenset((" ", ",", ":", ";", ">", "enspace", "enskip", "thinspace", "space", "quad",
                    "\n",
                     "\t", "nobreakspace"))  # fmt: skip
NOTHING = frozenset("-/@!()[]")
TABS = frozenset(("hfill", "qquad", "dotfill", "hrulefill"))
SPECIALS = {"--": "–", "---": "—", "``": "“", "''": "”", "~": " ", "!`": "¡", "?`": "¿"}
SYMBOLS = {
    "LaTeX": "LaTeX", "TeX": "TeX", "LaTeXe": "LaTeX2e", "XeLaTeX": "XeLaTeX", "cdotp": "·",
    "textbullet": "•", "BibTeX": "BibTeX", "slash": "/", "textasciitilde": "~", "textbar": "|",
    "today": "", "and": "; ", "textbackslash": "\\", "euro": "€", "EUR": "€", "texteuro": "€",
    "Cpp": "C++", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»", "og": "« ", "fg": " »",
    "acvHeaderSocialSep": " | ", "cdot": "·", "bullet": "•", "sim": "~", "ast": "*", "star": "★",
    "textasciicircum": "^", "_": "_", "textperiodcentered": "·", "mid": "|", "log": "log",
    "rightarrow": "→", "to": "→", "times": "×", "textgreater": ">", "textless": "<",
    "textdegree": "°",
}  # fmt: skip
COMBINING = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "t": "\u0361", "c": "\u0327",
    "d": "\u0323", "b": "\u0331", "r": "\u030a", "k": "\u0328",
}  # fmt: skip
LINK_PARTS = {"httplink": "http://", "httpslink": "https://", "emaillink": "mailto:"}


@cache
def known(name: str) -> str:
    """Return the character of a command that pylatexenc knows: \\ss, \\alpha, \\textregistered."""
    from pylatexenc.latex2text import get_default_latex_context_db

    spec: Any = get_default_latex_context_db().get_macro_spec(name)
    found = getattr(spec, "simplify_repl", None) if spec else None
    return found if isinstance(found, str) and "%" not in found and len(found) <= 8 else ""
