"""The only escaper: what it makes of every character, and that nothing gets around it."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest

from cvbuild.model.text.rich_text import Break, Code, Link, Span, Text, parse, plain
from cvbuild.outputs.pdf.latex import rich_text, typography
from cvbuild.outputs.pdf.latex.escape import Latex, escape
from cvbuild.outputs.pdf.scripts.runs import Setting
from cvbuild.view.types import Content

#: What TeX acts on; after escaping each stands only in what escaping itself wrote.
ACTIVE = "\\{}#$%&_^~"
WRITTEN = re.compile(r"\\(?:text[a-z]+|CvbAllowBreak)\{\}|\\[{}#$%&_]|\\-|~|\{\}")


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("\\", r"\textbackslash{}"),
        ("a\\b", r"a\textbackslash{}b"),
        ("{x}", r"\{x\}"),
        ("#$%&_", r"\#\$\%\&\_"),
        ("^~", r"\textasciicircum{}\textasciitilde{}"),
        ("<|>", r"\textless{}\textbar{}\textgreater{}"),
        ("\"'`", r"\textquotedbl{}\textquotesingle{}\textasciigrave{}"),
        ("a\u00a0b\u202fc", "a~b~c"),
        ("co\u00adop", r"co\-op"),
        ("a\u200bb", r"a\CvbAllowBreak{}b"),
        ("a\nb\tc\rd", "a b c d"),
        ("---", "-{}-{}-"),
        (",,", ",{},"),
        ("\u2018\u2018\u2019\u2019", "\u2018{}\u2018\u2019{}\u2019"),
        ("é ł ő ř ğ ß “” – — …", "é ł ő ř ğ ß “” – — …"),
        ("\\input{/etc/passwd}", r"\textbackslash{}input\{/etc/passwd\}"),
        ("^^M", r"\textasciicircum{}\textasciicircum{}M"),
        ("", ""),
    ],
)
def test_escape(text: str, tex: str) -> None:
    assert escape(text) == tex
    assert type(escape(text)) is Latex


def test_no_line_ends_between_a_number_and_its_unit() -> None:
    text = "From 40 ms to 6 µs, 30 % (5 €) of 2 GB; 3 mstar, 4 kmers, 9 %x, 7 of 8 and more."
    made = typography.typeset(Content(parse(text), ("summary", 0)), addresses=True)
    tied = ("40 ms", "6 µs", "30 %", "5 €", "2 GB")
    for one in tied:
        text = text.replace(one, one.replace(" ", "\u00a0"))
    # The last word is short: it isn't alone on its line.
    assert plain(made.nodes) == text.replace(" more.", "\u00a0more.")


def test_no_character_of_unicode_reaches_tex_with_a_meaning() -> None:
    # Control characters and surrogates are refused by the model.
    every = [
        character
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(character := chr(code)) not in ("Cc", "Cs")
    ]
    assert len(every) > 1_100_000
    for start in range(0, len(every), 256):
        part = every[start : start + 256]
        rest = WRITTEN.sub("", escape(" ".join(part)))
        assert not set(rest) & set(ACTIVE), part[0]
        assert set(rest) <= {*part, " "}


def test_the_tree() -> None:
    tree = (
        Text("a & "),
        Span("strong", (Text("b_"), Span("emph", (Code("c{}"),)))),
        Break(),
        Link("https://example.org/%7B#x_y", (Text("d#"), Span("sup", (Text("2"),)))),
        Span("sub", (Text("3"),)),
    )
    assert rich_text.nodes(tree, Setting()) == (
        r"a \& \CvbStrong{b\_\CvbEmph{\CvbCode{c\{\}}}}\CvbBreak{}"
        r"\CvbTextLink{https://example.org/\%7B\#x\_y}{d\#\CvbSup{2}}\CvbSub{3}"
    )
