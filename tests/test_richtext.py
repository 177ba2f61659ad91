"""Inline Markdown as a tree, and addresses; what looks like more is plain text, or told."""

from __future__ import annotations

import string
from pathlib import Path
from urllib.parse import quote

import deep
import pikepdf
import pytest
import yaml
from conftest import Run
from told import messages

from cvbuild.inputs.validation import texts
from cvbuild.model.base import Prose
from cvbuild.model.text import rich_text
from cvbuild.model.text.lines import UrlError, normal_url, short_url
from cvbuild.model.text.rich_text import Code, Link, Node, Span, Text, parse, plain
from cvbuild.outputs.pdf.latex import escape as latex
from cvbuild.outputs.pdf.latex.typography import Setting
from cvbuild.view.types import Content


def strong(*nodes: Node) -> Span:
    return Span("strong", nodes)


def emph(*nodes: Node) -> Span:
    return Span("emph", nodes)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("plain", (Text("plain"),)), ("**b**", (strong(Text("b")),)),
        ("__b__", (strong(Text("b")),)),
        ("*i* _i_", (emph(Text("i")), Text(" "), emph(Text("i")))),
        ("***x***", (emph(strong(Text("x"))),)), ("`a*b*`", (Code("a*b*"),)),
        ("`` a`b ``", (Code("a`b"),)), ("x^2^", (Text("x"), Span("sup", (Text("2"),)))),
        ("H~2~O", (Text("H"), Span("sub", (Text("2"),)), Text("O"))),
        ("[a](b.org)", (Link("https://b.org", (Text("a"),)),)),
        ("[**a**](<https://b.org/x y>)", (Link("https://b.org/x%20y", (strong(Text("a")),)),)),
        ("<https://b.org>", (Link("https://b.org", (Text("https://b.org"),)),)),
        ("<ada@b.org>", (Link("mailto:ada@b.org", (Text("ada@b.org"),)),)),
        ("a\\\nb", (Text("a"), rich_text.Break(), Text("b"))),
    ],
)  # fmt: skip
def test_markup(text: str, tree: tuple[Node, ...]) -> None:
    assert parse(text) == tree


LITERAL = (
    "*", "**", "***", "_", "__", "`", "``", "^", "~", "~~", "[", "]", "[]", "[x]", "[x](", "](",
    "!", "<", ">", "<<", ">>", "a * b", "a ** b", "2 * 3 * 4", "snake_case_name", "a_b", "f(x)[i]",
    "# no heading", "## x", "> no quotation", "- no list", "* no list", "+ x", "1. no list",
    "---", "***no", "===", "| a | b |", "```", "    no code", "<b>no HTML</b>", "<br>",
    "<!-- x -->", "~~no~~ x ~",
    "<script>alert(1)</script>", "&amp; &lt; &#38; &copy;", "![no image](x.png", "[^1]",
    "https://example.org/no_link_here", "www.example.org", "ada@example.org", ":smile:", "$x^2$",
    "{{ x }}", "<% x %>", "a < b > c", "C++ and C#", "x <y@> z", "50%", "\\input{x}", "\\x", "\\",
    "a \\ b", "\\\\server" , "== x ==", "--x", "(c) (tm) ...", "a.b:c;d/e", "R&D", "AT&T",
    "std::vector<int>", "-> => <-", "2^10", "~ 5 km", "n^2 log n",
)  # fmt: skip


@pytest.mark.parametrize("text", LITERAL)
def test_what_is_no_markup_is_plain_text(text: str) -> None:
    if text == "\\\\server":  # two backslashes are one that is escaped
        assert parse(text) == (Text("\\server"),)
    else:
        assert parse(text) == (Text(text),)


#: Points of engineers: paths, code, figures, patterns, commands.
SIGNS = (Path(__file__).parent / "signs" / "bullets.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("text", SIGNS)
def test_no_sign_of_a_text_is_lost_without_a_word(text: str) -> None:
    assert not lost(text) or rich_text.doubts(text)


def lost(text: str) -> bool:
    """Whether signs are missing in what a reader sees; those around code aren't a text's own."""
    tree = parse(text)
    is_coded = any(isinstance(node, Code) for node in tree)
    own = text.replace("`", "") if is_coded else text
    return plain(tree) != own or any(not isinstance(node, Text | Code) for node in tree)


def test_there_are_many_signs_and_few_doubts() -> None:
    assert len(SIGNS) >= 300
    assert sum(map(lost, SIGNS)) < 10
    assert not any(rich_text.doubts(text) for text in SIGNS if not lost(text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**H**igh **P**erformance", "*H*igh *P*erformance"),
        ("**Skills:** x (2020), **20%** up", "*Skills:* x (2020), *20%* up"),
        ("*IEEE/ACM Transactions (2020)*, *in vitro*.",
         "*IEEE/ACM Transactions (2020)*, *in vitro*."),
        ("H~2~O, CO~2~e, Ca^2+^-dependent", "H*2*O, CO*2*e, Ca*2+*-dependent"),
        ("10^-5^–10^-4^ m^2^/s, ^18^F-FDG, 5^th^", "10*-5*–10*-4* m*2*/s, *18*F-FDG, 5*th*"),
        ("x~i~y~j~, x^n-1^, R^(2)^, Ada^1,2^", "x*i*y*j*, x*n-1*, R*(2)*, Ada*1,2*"),
        ("日本語の**重要**な、", "日本語の*重要*な、"),
        ("**.NET**, **C#**, **a**/**b**; **2019**-2021", "*.NET*, *C#*, *a*/*b*; *2019*-2021"),
        ("[**a**](b.org)*, (*see x*), “*q*”—*z*…", "*a**, (*see x*), “*q*”—*z*…"),
    ],
)  # fmt: skip
def test_what_is_meant_as_a_mark_is_one(text: str, shown: str) -> None:
    assert "".join(map(marked, parse(text))) == shown
    assert not rich_text.doubts(text)


def marked(node: Node) -> str:
    inner = "".join(map(marked, node.children)) if isinstance(node, Span | Link) else ""
    return f"*{inner}*" if isinstance(node, Span) else inner or plain((node,))


@pytest.mark.parametrize(
    ("text", "doubts"),
    [
        (r"\d+\.\d+", [(r"\.", ".")]),
        ("Merged ~main~ here", [("~main~", "main")]),
        ("Freed *malloc() and free*", [("*malloc() and free*", "malloc() and free")]),
        (r"Not \*this\* one, H~2~O", []),
    ],
)
def test_what_may_not_be_meant_as_markdown(text: str, doubts: list[tuple[str, str]]) -> None:
    assert [*rich_text.doubts(text)] == doubts


@pytest.mark.parametrize("character", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
def test_a_backslash_makes_punctuation_plain(character: str) -> None:
    assert parse(f"a\\{character}b") == (Text(f"a{character}b"),)
    assert parse(f"\\{character}x\\{character}") == (Text(f"{character}x{character}"),)


def test_an_image_is_no_image() -> None:
    assert parse("![x](https://b.org/a.png)") == (
        Text("!"),
        Link("https://b.org/a.png", (Text("x"),)),
    )


@pytest.mark.parametrize(
    ("quotes", "text", "shown"),
    [
        ("“”‘’", 'say "yes"', "say “yes”"),
        ("“”‘’", "it's '90s rock 'n' roll", "it’s ’90s rock ’n’ roll"),
        ("„“‚‘", "'90s, class of '05; rock 'n' roll", "’90s, class of ’05; rock ’n’ roll"),
        ("“”‘’", "(CoE '21) 'quoted' `'90s`", "(CoE ’21) ‘quoted’ '90s"),
        ("“”‘’", "6'2\" tall, 5\" disc, the dogs' home", '6\'2" tall, 5" disc, the dogs’ home'),
        ("„“‚‘", 'say "yes"', "say „yes“"), ("“”‘’", '"a **"b"** c"', "“a “b” c”"),
        ("“”‘’", 'x `"y"` z', 'x "y" z'), ("“”‘’", '\\"x\\"', '"x"'),
        ("", "\"x\" 'y'", "\"x\" 'y'"),
    ],
)  # fmt: skip
def test_quotes(quotes: str, text: str, shown: str) -> None:
    assert plain(parse(text, quotes)) == shown


@pytest.mark.parametrize(
    "pair", [("*a **b ", "** d*"), ("**", "**"), ("*", "*"), ("_x *y ", "* z_")]
)
def test_nesting_is_bounded(pair: tuple[str, str]) -> None:
    for times in (5, 19, 20, 21, 300, 2_000):
        text = pair[0] * times + "c" + pair[1] * times
        tree = parse(text)
        assert "c" in plain(tree)
        assert depth(tree) <= rich_text.MAX_DEPTH
        written = latex.text_of(Content(tree, ()), Setting())
        assert written.count("{") == written.count("}")


def depth(tree: tuple[Node, ...]) -> int:
    return max(
        (1 + depth(node.children) for node in tree if isinstance(node, Span | Link)), default=0
    )


def test_ligatures_that_were_copied_from_a_pdf_are_letters() -> None:
    assert plain(Prose.of("an o\ufb03cial \ufb02ow, `\ufb01nd`").nodes) == "an official flow, find"


ROOT = Path(__file__).parents[1]


def found(text: str, *, plain: bool = False) -> list[tuple[str, str]]:
    return [(one.text, one.hint) for one in texts.find(text, plain=plain)]


@pytest.mark.parametrize("sign", ["a", "$", "&", "\\", "<", "$_"])
def test_many_signs_are_no_markup(sign: str) -> None:
    assert found(sign * 20_000) == []


@pytest.mark.parametrize(("text", "told"), messages("bad/markup.txt"))
def test_markup_and_what_to_write(text: str, told: list[str]) -> None:
    assert ["; ".join(one) for one in found(text.rstrip("\n"))] == told


def test_a_plain_line_has_no_escapes_and_no_code() -> None:
    assert found(r"Ruritania \& Co", plain=True) == [(r"\&", "write &")]
    assert found(r"Ruritania \& Co") == []
    assert found("`&eacute;`", plain=True) == [("&eacute;", "write é")]


def test_people_get_no_warning(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    ran = run("check")
    assert (ran.code, ran.err) == (0, "4 of 4 files are fine\n")


ADDRESSES = yaml.safe_load(Path(__file__).with_name("addresses.yaml").read_text("utf-8"))


@pytest.mark.parametrize(("text", "address"), ADDRESSES["good"].items())
def test_what_is_allowed(text: str, address: str) -> None:
    assert normal_url(text) == address
    assert normal_url(address) == address, "normalising twice changes nothing"
    assert address.isascii()


@pytest.mark.parametrize("text", ADDRESSES["bad"])
def test_what_is_refused(text: str) -> None:
    with pytest.raises(UrlError) as caught:
        normal_url(text)
    assert str(caught.value)
    assert len(str(caught.value)) < 120


def test_only_these_characters_are_ever_left() -> None:
    allowed = set(string.ascii_letters + string.digits + "-._~:/?#[]@!$&'()*+,;=%")
    everything = "".join(map(chr, [*range(32, 0x250), 0x2028, 0x202E, 0xFFFD, 0x1F600]))
    made = normal_url("https://example.org/" + everything)
    assert set(made) <= allowed
    assert len(made) > 1000


@pytest.mark.parametrize(("url", "short"), ADDRESSES["short"].items())
def test_the_short_address(url: str, short: str) -> None:
    assert short_url(url) == short


#: Every character that can be in a URL, percent-encoded ones too.
RICH = "https://example.org/a-b_c~d!$&'()*+,;=:@%7B%5C%23/" + quote("\\{}^ü") + "?q=1&r=#f_g&h~%25"


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["pdflatex", "embedded"]))
@pytest.mark.usefixtures("here")
def test_links_come_out_of_the_pdf_as_they_went_in(engine: str, run: Run) -> None:
    from texlive import engine_of

    engine_of(engine)
    assert normal_url(RICH) == RICH
    doi = "10.1002/(SICI)1096-8644(199601)99:1<1::AID-AJPA1>3.0.CO;2-1"
    Path("ada.yaml").write_text(
        f"""\
name: Ada Example
contact: {{email: "o'ada_x%y@example.org", phone: "+1 202 555 0123", website: "{RICH}1"}}
sections:
  - kind: publication
    items:
      - title: "Linked in Markdown: [here](<{RICH}2>) and <{RICH}3>"
        authors: [A. Example]
        doi: "{doi}"
        links: [{{PDF: "{RICH}4"}}]
  - kind: award
    items: [{{title: A prize, url: "{RICH}5"}}]
  - kind: bullets
    items: ['[**bold**](https://example.org/{{}}\\\\x%#)']
""",
        encoding="utf-8",
    )
    ran = run("build", "ada.yaml", "--engine", engine)
    assert ran.code == 0, ran.err
    with pikepdf.open("out/ada/academic.pdf") as document:
        links = [
            str(annotation["/A"]["/URI"])
            for page in document.pages
            for annotation in page.get("/Annots", [])
        ]
    wanted = [
        "mailto:o'ada_x%25y@example.org",
        "tel:+12025550123",
        *(f"{RICH}{number}" for number in range(1, 6)),
        normal_url(f"https://doi.org/{doi}"),
        "https://example.org/%7B%7D%5Cx%25",
    ]
    assert set(wanted) - set(links) == set()
    assert set(links) - set(wanted) == set()
