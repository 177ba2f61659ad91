"""Inline Markdown as a tree; what looks like more of Markdown or HTML is plain text."""

from __future__ import annotations

from pathlib import Path

import pytest

from cvbuild.model.base import Prose
from cvbuild.model.text import rich_text
from cvbuild.model.text.rich_text import (
    MAX_DEPTH,
    Break,
    Code,
    Link,
    Node,
    Span,
    Text,
    parse,
    plain,
)
from cvbuild.outputs.pdf.latex import rich_text as latex
from cvbuild.outputs.pdf.scripts.runs import Setting


def strong(*nodes: Node) -> Span:
    return Span("strong", nodes)


def emph(*nodes: Node) -> Span:
    return Span("emph", nodes)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("plain", (Text("plain"),)),
        ("**b**", (strong(Text("b")),)),
        ("__b__", (strong(Text("b")),)),
        ("*i* _i_", (emph(Text("i")), Text(" "), emph(Text("i")))),
        ("***x***", (emph(strong(Text("x"))),)),
        ("`a*b*`", (Code("a*b*"),)),
        ("`` a`b ``", (Code("a`b"),)),
        ("x^2^", (Text("x"), Span("sup", (Text("2"),)))),
        ("H~2~O", (Text("H"), Span("sub", (Text("2"),)), Text("O"))),
        ("[a](b.org)", (Link("https://b.org", (Text("a"),)),)),
        ("[**a**](<https://b.org/x y>)", (Link("https://b.org/x%20y", (strong(Text("a")),)),)),
        ("<https://b.org>", (Link("https://b.org", (Text("https://b.org"),)),)),
        ("<ada@b.org>", (Link("mailto:ada@b.org", (Text("ada@b.org"),)),)),
        ("a\\\nb", (Text("a"), Break(), Text("b"))),
    ],
)
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
        (
            "*IEEE/ACM Transactions (2020)*, *in vitro*.",
            "*IEEE/ACM Transactions (2020)*, *in vitro*.",
        ),
        ("H~2~O, CO~2~e, Ca^2+^-dependent", "H*2*O, CO*2*e, Ca*2+*-dependent"),
        ("10^-5^–10^-4^ m^2^/s, ^18^F-FDG, 5^th^", "10*-5*–10*-4* m*2*/s, *18*F-FDG, 5*th*"),
        ("x~i~y~j~, x^n-1^, R^(2)^, Ada^1,2^", "x*i*y*j*, x*n-1*, R*(2)*, Ada*1,2*"),
        ("日本語の**重要**な、", "日本語の*重要*な、"),
        (
            "**.NET**, **C#** and **a**/**b**; **2019**-2021",
            "*.NET*, *C#* and *a*/*b*; *2019*-2021",
        ),
        ("[**a**](b.org)*, (*see x*), “*q*”—*z*…", "*a**, (*see x*), “*q*”—*z*…"),
    ],
)
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
        ("„“‚‘", 'say "yes"', "say „yes“"),
        ("“”‘’", '"a **"b"** c"', "“a “b” c”"),
        ("“”‘’", 'x `"y"` z', 'x "y" z'),
        ("“”‘’", '\\"x\\"', '"x"'),
        ("", "\"x\" 'y'", "\"x\" 'y'"),
    ],
)
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
        assert depth(tree) <= MAX_DEPTH
        written = latex.nodes(tree, Setting())
        assert written.count("{") == written.count("}")


def depth(tree: tuple[Node, ...]) -> int:
    return max(
        (1 + depth(node.children) for node in tree if isinstance(node, Span | Link)), default=0
    )


def test_ligatures_that_were_copied_from_a_pdf_are_letters() -> None:
    assert plain(Prose.of("an o\ufb03cial \ufb02ow, `\ufb01nd`").nodes) == "an official flow, find"
