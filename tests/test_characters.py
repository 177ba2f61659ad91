"""Every special character comes out of a PDF as it was written, for every reader.

Escaping knows nothing of fields: attacks/test_injection_oracle has every field in its TeX. Here a
few of each form hold all characters. A marked text is ``q<number>z<characters>w<number>``: found in
the extracted text by its number, it must hold just these characters.
"""

from __future__ import annotations

import re
import shutil
import sys
import unicodedata
from itertools import product
from pathlib import Path

import deep
import pytest
import yaml
from papers import Paper, build, made

from cvbuild.model.rich_text import Break, Code, Link, Span, Text, parse, plain
from cvbuild.outputs import installed
from cvbuild.outputs.pdf.fonts import fallbacks, layouts
from cvbuild.outputs.pdf.latex import escape as latex
from cvbuild.outputs.pdf.latex import typography
from cvbuild.outputs.pdf.latex.escape import Latex, escape
from cvbuild.outputs.pdf.latex.typography import Setting
from cvbuild.view.types import Content
from tools.ats import readers

#: What LaTeX, Markdown, YAML, Jinja or a font could take for something else: in every field.
SPECIAL = (
    *"\\{}#$%&_^~<>|\"'`-*[]()!+.:;/@=?,",
    "--", "---", "<<", ">>", ",,", "?`", "!`", "``", "''", "**", "__", "##", "^^M", "$x$",
    "\\input{/etc/passwd}", "\\write18{x}", "\\end{document}", "%comment", "{{7*7}}", "<%x%>",
    "<<x>>", "=}x,y={",
    "\u00a0", "\u00ad", "\u2026", "\u2013", "\u2014", "\u2018", "\u2019", "\u201c", "\u201d",
    "\u00ab", "\u00bb", "\u00df", "\u00e9", "\u0142", "\u0151", "\u0159", "\u011f", "fi",
)  # fmt: skip
#: Further ones, in some fields: one of each way in which texts reach a page.
OTHERS = (
    "~~", "^^", "$$", "\\\\", "%%", "^^5c", "#1", "\\&", "\\%", "[x]", "(x)", "[^1]", "![x]",
    "&amp;", "&#38;", "<b>", "<!--", "{}", "}{", "<#x#>", "\\par", "\\relax", "\\x", "\\csname",
    "\\catcode`\\%=12", "\\verb|x|", "\\begin{x}", "\u202f", "\u201e", "\u201a", "\u2039",
    "\u203a", "\u2019\u2019", "\u2018\u2018", "\u00a1", "\u00bf", "\u00a7", "\u00b6", "\u2020",
    "\u2021", "\u00b7", "\u00d7", "\u00b0", "\u00b1", "\u20ac", "\u00a3", "\u2022", "\u00a9",
    "\u2122", "e\u0301", "\u00f1", "\u00e7", "\u0131", "\u0130", "\u015f", "\u017e", "\u00f8",
    "\u00e5", "\u00fe", "\u00f0", "\u0153", "\u00c6", "ff", "ffi", "fl",
    *"ÁÖóöúüýćČďěŁńňőŘŚśŞťůűŹźŻż",
)  # fmt: skip
#: Not to be seen, or seen otherwise, as docs/reference/schema.md says; white space is folded away.
SHOWN = {
    "\u00a0": "", "\u202f": "", "\u00ad": "", "'": "\u2019", "''": "\u2019'",
    "e\u0301": "\u00e9",
}  # fmt: skip
_ACTIVE = re.compile(r"[\\`*_\[\]<>^~]")
#: Digits of the numbers: letters that form no ligatures.
_DIGITS = "0123456789acdeghjkmn"
_FOUND = re.compile(rf"q([{_DIGITS}]{{4}})z(.*?)w\1", re.DOTALL)
EVERY = (*SPECIAL, *OTHERS)


def document() -> tuple[str, dict[str, str]]:
    numbers, marked = map("".join, product(_DIGITS, repeat=4)), dict[str, str]()

    def text(*of: str, prose: bool = True) -> str:
        parts = []
        for character in of:
            mark = next(numbers)
            marked[mark] = character
            inner = _ACTIVE.sub(r"\\\g<0>", character) if prose else character
            parts.append(f"q{mark}z{inner}w{mark}")
        return " ".join(parts)

    award = {"title": text(*EVERY), "awarder": text(*EVERY)}
    award |= {"url": "https://example.org", "location": text(*EVERY)}
    date = {"text": text(*EVERY, prose=False)}
    skill = {"name": text(*EVERY)}
    links = [{"label": text(one, prose=False), "url": "https://example.org/"} for one in EVERY]
    data = {
        "name": "Ada Example",
        # A head has to fit on a page.
        "headline": text(*EVERY[:80]),
        "sections": [
            {"kind": "bullets", "items": [text(*EVERY)]},
            {"kind": "award", "title": text(*EVERY[:40]), "items": [{**award, "date": date}]},
            {"kind": "entry", "items": [{"title": "Links", "links": links}]},
            {"kind": "skill", "items": [skill]},
        ],
    }
    return yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=10**9), marked


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["embedded", "pdflatex"]))
def test_as_written(engine: str, paper: Paper) -> None:
    text, marked = document()
    pdf = made(paper(text, engine=engine))
    there = shutil.which("pdftotext")
    names = [one for one in readers.READERS if there or not one.startswith("poppler")]
    for reader, pages in readers.read(pdf, names).items():
        # A hyphen at a line's end, which pdfium marks, is one again; a place to divide is none.
        whole = re.sub("[\ufffe\x02]", "-", "\n".join(pages)).replace("\u00ad", "")
        found = dict(_FOUND.findall("".join(whole.split())))
        wrong = [
            (character, found.get(number))
            for number, character in marked.items()
            if found.get(number) != "".join(SHOWN.get(character, character).split())
            and (found.get(number), character) != ("-", "\u00ad")
        ]
        assert wrong[:8] == [], f"{reader}: {len(wrong)} of {len(marked)}"


@pytest.mark.usefixtures("here", "requires_embedded")
def test_a_missing_face_is_an_error_with_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """For each field and script, and it names the package to install."""
    known = installed.font_file
    monkeypatch.setattr(
        installed,
        "font_file",
        lambda names: None if re.search("Hebrew|miri|Arabic", names[0]) else known(names),
    )
    monkeypatch.setattr(fallbacks, "go_files", lambda _: ())
    monkeypatch.setenv("CVBUILD_NO_SYSTEM_TEX", "1")
    text = "name: Ada עדה\nheadline: 'عادل السعيد, שלום עולם'\nlocale: he\n"
    found = [
        (one.code, one.message[:6], one.hint or "")
        for one in build(text, engine="auto").diagnostics
    ]
    packages = {"U+05E2": "noto-core", "U+0639": "hosny-amiri", "U+05E9": "noto-core"}
    assert [code for _, code, _ in found] == list(packages)
    for code, character, hint in found:
        assert code == "glyph"
        assert hint.startswith(f"`apt-get install fonts-{packages[character]}`")


FORTY = [
    *"😀😁🎉🚀🙂🐍🏆🎓💡🔥", *"𓀀𓀁𒀀𒀁𐎀𐎁𐌀𐌁𐤀𐤁", *map(chr, range(0xE000, 0xE00A)),
    *map(chr, range(0x1D100, 0x1D10A)),
]  # fmt: skip


@pytest.mark.usefixtures("here")
def test_characters_that_no_font_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty of them, in as many fields: one build, an error each, nothing set."""
    # Other machines may have fonts for them; the rest of the machine's fonts stay.
    none = frozenset(range(0x3000))
    monkeypatch.setattr(layouts, "coverage", lambda *_, **__: none)
    rows = ["name: Ada Example", "sections:", "  - kind: bullets", "    items:"]
    rows += [f"      - 'a {c} b'" for c in FORTY[:20]]
    rows += ["  - kind: award", "    items:"]
    rows += [f"      - {{title: T, awarder: 'x{c}'}}" for c in FORTY[20:30]]
    rows += ["  - kind: skill", "    items:"]
    rows += [f"      - {{name: N, keywords: ['`{c}`']}}" for c in FORTY[30:]]
    outcome = build("\n".join(rows) + "\n", engine="auto")
    assert (outcome.path, outcome.exit_code) == (None, 1)
    assert not Path("out/ada/academic.pdf").exists()
    places = {}
    for one in outcome.diagnostics:
        assert one.code == "glyph"
        assert one.span is not None
        places[one.span.line] = one.message
        assert "no installed font has it" in one.message
    assert len(places) == len(FORTY) == 40
    numbers = dict(enumerate(rows, start=1))
    for line, message in places.items():
        code = re.match(r"U\+([0-9A-F]+)", message)
        assert code is not None
        assert chr(int(code[1], 16)) in numbers[line]


#: What TeX acts on; after escaping each stands only in what escaping itself wrote.
ACTIVE = "\\{}#$%&_^~"
WRITTEN = re.compile(r"\\(?:text[a-z]+|CvbAllowBreak)\{\}|\\[{}#$%&_]|\\-|~|\{\}")


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("a\u00a0b\u202fc", "a~b~c"), ("co\u00adop", r"co\-op"),
        ("a\u200bb", r"a\CvbAllowBreak{}b"), ("a\nb\tc\rd", "a b c d"), ("---", "-{}-{}-"),
        (",,", ",{},"), ("\u2018\u2018\u2019\u2019", "\u2018{}\u2018\u2019{}\u2019"),
    ],
)  # fmt: skip
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
    assert latex.nodes(tree, Setting()) == (
        r"a \& \CvbStrong{b\_\CvbEmph{\CvbCode{c\{\}}}}\CvbBreak{}"
        r"\CvbTextLink{https://example.org/\%7B\#x\_y}{d\#\CvbSup{2}}\CvbSub{3}"
    )
