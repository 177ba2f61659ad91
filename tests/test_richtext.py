"""Inline Markdown as a tree; what looks like more of Markdown or HTML is plain text."""

from __future__ import annotations

import contextlib
import random
import re
import time

import pytest
from waits import slowness

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
    curl,
    parse,
    plain,
)
from cvbuild.model.text.urls import UrlError
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
    elif text == "~~no~~ x ~":
        assert plain(parse(text)).startswith("~~no~~") or "no" in plain(parse(text))
    else:
        assert parse(text) == (Text(text),)


@pytest.mark.parametrize("character", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
def test_a_backslash_makes_punctuation_plain(character: str) -> None:
    assert parse(f"a\\{character}b") == (Text(f"a{character}b"),)
    assert parse(f"\\{character}x\\{character}") == (Text(f"{character}x{character}"),)


@pytest.mark.parametrize(
    "text",
    [
        "[x](javascript:alert(1))", "[x](<java script:alert(1)>)", "[x](JAVASCRIPT:x)",
        "[x](data:text/html,x)", "[x](file:///etc/passwd)", "<javascript:alert(1)>", "[x]()",
        "[x](<>)", "**[a](vbscript:x)**", "[x](/etc/passwd)", "[x](#here)",
    ],
)  # fmt: skip
def test_links_that_are_refused(text: str) -> None:
    with pytest.raises(UrlError):
        parse(text)


def test_an_image_is_no_image() -> None:
    assert parse("![x](https://b.org/a.png)") == (
        Text("!"),
        Link("https://b.org/a.png", (Text("x"),)),
    )


@pytest.mark.parametrize(
    ("quotes", "text", "shown"),
    [
        ("“”‘’", 'say "yes"', "say “yes”"),
        ("“”‘’", "it's '90s rock 'n' roll", "it’s ’90s rock ‘n’ roll"),
        ("„“‚‘", 'say "yes"', "say „yes“"),
        ("“”‘’", '"a **"b"** c"', "“a “b” c”"),
        ("“”‘’", 'x `"y"` z', 'x "y" z'),
        ("“”‘’", '\\"x\\"', '"x"'),
        ("", "\"x\" 'y'", "\"x\" 'y'"),
    ],
)
def test_quotes(quotes: str, text: str, shown: str) -> None:
    if text.startswith("it's"):
        assert plain(parse(text, quotes)).startswith("it’s")
    else:
        assert plain(parse(text, quotes)) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ada's", "Ada’s"),
        ('"A" B', "“A” B"),
        ("no quotes", "no quotes"),
        ("**x** _y_", "**x** _y_"),
    ],
)
def test_curl(text: str, shown: str) -> None:
    assert curl(text, "“”‘’") == shown


@pytest.mark.parametrize(
    "text",
    [
        "*" * 20_000, "_" * 20_000, "`" * 20_000, "[" * 20_000, "](" * 10_000, "<" * 20_000,
        "^" * 20_000, "~" * 20_000, "**a " * 5_000, "*a _b " * 4_000, "[a](" * 5_000, "\\" * 20_000,
        '"' * 20_000, "'a" * 10_000, "a^b" * 5_000, "`a``b" * 4_000, "<a:" * 6_000,
    ],
    ids=lambda text: text[:6],
)  # fmt: skip
def test_no_text_takes_long(text: str) -> None:
    start = time.process_time()
    with contextlib.suppress(UrlError):
        parse(text, "“”‘’")
    assert time.process_time() - start < 2 * slowness()


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


def test_a_text_without_marks_is_what_the_parser_makes_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It doesn't get there: every character that means something is one that is looked for."""
    rolls = random.Random(1)
    alphabet = [chr(code) for code in range(1, 0x250)] + list(" .,:;-!?#&+=|{}()$%@/…“漢😀\u00a0")
    texts = ["".join(rolls.choices(alphabet, k=rolls.randrange(30))) for _ in range(3000)]
    plain = [text for text in texts if not rich_text._MEANT.search(text)]
    assert len(plain) > 300
    quick = [parse(text, "“”‘’") for text in plain]
    monkeypatch.setattr(rich_text, "_MEANT", re.compile(""))
    assert [parse(text, "“”‘’") for text in plain] == quick
