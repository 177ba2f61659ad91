"""YAML in, data and places out; and what is said about every slip.

Longer than most: tables of YAML texts, each with what is said about it.
"""

from __future__ import annotations

import os
import pickle
import random
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from waits import slowness

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import ProfileError
from cvbuild.inputs.yaml import builder, source
from cvbuild.inputs.yaml.source import load, parse

LOADERS: list[Any] = [yaml.SafeLoader]
if yaml.__with_libyaml__:
    LOADERS.append(yaml.CSafeLoader)


@pytest.fixture(params=LOADERS, ids=lambda loader: str(loader.__name__))
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> object:
    """Run a test with the pure scanner and with libyaml's."""
    monkeypatch.setattr(builder, "_LOADER", request.param)
    return request.param


#: Such a file is no person's: messages may quote all of it.
NOBODYS = "a: b"


def said(text: str) -> list[str]:
    with pytest.raises(ProfileError) as caught:
        parse(text, "x.yaml", NOBODYS)
    return [str(item) for item in caught.value.diagnostics]


def codes(text: str) -> list[str]:
    with pytest.raises(ProfileError) as caught:
        parse(text, "x.yaml", NOBODYS)
    return [item.code for item in caught.value.diagnostics]


def load_said(path: Path) -> str:
    with pytest.raises(ProfileError) as caught:
        load(path)
    (item,) = caught.value.diagnostics
    return str(item)


# --- data ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(
    "written",
    [
        "no", "yes", "on", "true", "1.10", "2024-01-01", "0x1F", "1_000", "12:30:45", ".inf", "010",
        "nULL", "=", "R&D", "C#", "a:b", "http://x.org", "50%", "x*y", "김", "😀", "-1",
    ],
)  # fmt: skip
def test_scalars_stay_as_written(written: str) -> None:
    found = parse(f"a: {written}\n{written}: b\n", "x.yaml")
    assert found.data == {"a": written, written: "b"}


@pytest.mark.usefixtures("loader")
def test_only_null_is_resolved() -> None:
    found = parse("a: null\nb: ~\nc:\nd: Null\ne: NULL\nf: 'null'\ng: \"\"\nh: '~'\n", "x")
    assert found.data == dict.fromkeys("abcde") | {"f": "null", "g": "", "h": "~"}


@pytest.mark.usefixtures("loader")
def test_styles_and_nesting() -> None:
    text = (
        "%YAML 1.2\n---\na: |\n  x\n  y\nb: >-\n  x\n  y\nc: [1, {d: e}]\nf:\n- g: h\n  i: j\n-\n"
        '"quoted: key": "\\u00e9 \\t\\n"\n? long\n: value\n...\n'
    )
    assert parse(text, "x.yaml").data == {
        "a": "x\ny\n",
        "b": "x y",
        "c": ["1", {"d": "e"}],
        "f": [{"g": "h", "i": "j"}, None],
        "quoted: key": "é \t\n",
        "long": "value",
    }


@pytest.mark.usefixtures("loader")
def test_line_ends_and_byte_order_mark() -> None:
    assert parse("\ufeffa: b\r\nc:\r\n  - d\r\n", "x").data == {"a": "b", "c": ["d"]}
    assert parse("\ufeffa: b\r\nc: d", "x").span(("c",)) == Span("x", 2, 4, 2, 5)


# --- places --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("loader")
def test_spans() -> None:
    text = '名前: 王 小明\r\nb:\r\n  - c: "d"\r\n    e:\r\n  - [f, {g: h}]\r\ni: &\r\n'.replace(
        " &", ""
    )
    found = parse(text, "x.yaml")
    assert found.span(("名前",)) == Span("x.yaml", 1, 5, 1, 9)
    assert found.key_span(("名前",)) == Span("x.yaml", 1, 1, 1, 3)
    assert found.span(("b", 0)) == Span("x.yaml", 3, 5, 4, 7)
    assert found.span(("b", 0, "c")) == Span("x.yaml", 3, 8, 3, 11)
    assert found.key_span(("b", 0, "c")) == Span("x.yaml", 3, 5, 3, 6)
    assert found.span(("b", 0, "e")) == Span("x.yaml", 4, 7, 4, 7)
    assert found.span(("b", 1, 1, "g")) == Span("x.yaml", 5, 13, 5, 14)
    assert found.span(("b", 1)) == Span("x.yaml", 5, 5, 5, 16)
    assert found.key_span(("b", 1)) == found.span(("b", 1))
    assert found.span(()).line == 1
    assert (found.span(()).end_line, found.span(()).end_column) == (6, 3)


@pytest.mark.usefixtures("loader")
def test_spans_of_what_is_missing_are_the_nearest_ancestors() -> None:
    found = parse("a:\n  b: [c]\n", "x.yaml")
    assert found.span(("a", "z")) == found.span(("a",)) == Span("x.yaml", 2, 3, 2, 9)
    assert found.span(("a", "b", 7)) == found.span(("a", "b"))
    assert found.span(("a", "b", -1)) == found.span(("a", "b"))
    assert found.span(("a", "b", 0, "x")) == found.span(("a", "b", 0))
    assert found.key_span(("a", "b", "x", 3)) == Span("x.yaml", 2, 3, 2, 4)
    assert found.span((3,)) == found.span(())


@pytest.mark.usefixtures("loader")
def test_marks_count_characters() -> None:
    """A property: the text at every span is the value; the marks' index is that of the text."""
    words = ["a", "é", "名前", "\U0001f600", "e\u0301", "한글"]
    rng = random.Random(4)
    for _ in range(40):
        values = [" ".join(rng.choices(words, k=rng.randint(1, 4))) for _ in range(20)]
        end = rng.choice(["\n", "\r\n", "\r"])
        text = end.join(f"{'名' * (i % 3)}k{i}: [{v}, '{v}']" for i, v in enumerate(values))
        found = parse(text, "x")
        rows = text.split(end)
        assert isinstance(found.data, dict)
        for key, value in found.data.items():
            for item, quotes in enumerate(["", "'"]):
                span = found.span((key, item))
                cut = rows[span.line - 1][span.column - 1 : span.end_column - 1]
                assert cut == f"{quotes}{value[item]}{quotes}"
        for event in yaml.parse(text, builder._LOADER):
            if isinstance(event, yaml.ScalarEvent):
                mark: Any = event.start_mark
                assert text[mark.index :].startswith(rows[mark.line][mark.column :])


def test_source_can_be_sent_to_another_process() -> None:
    found = parse("a: [b]\n", "x.yaml")
    copy = pickle.loads(pickle.dumps(found))
    assert copy == found
    assert copy.span(("a", 0)) == found.span(("a", 0))


# --- what is refused ------------------------------------------------------------------------------

QUOTE = "or put the value in quotes if it is text"
ALIAS = 'a value that begins with "*" is an alias, which is not accepted'
ANCHOR = 'a value that begins with "&" is an anchor, which is not accepted'
TAGGED = 'a value that begins with "!" is a tag, which is not accepted'
EMPTY = ' the file holds no data; begin with "a: b"'
NO_MAPPING = 'not "key: value" lines; begin with a key, such as "a: b"'
GONE = "can't be in a CV; delete it, or put a space there"
#: What is said about a text, on a line each.
REFUSED = {
    "a: 1\nb: 2\na: 3\n": '3:1: the key "a" is already on line 1, column 1; keep one of the two',
    "- {a: 1, 'a': 2}\n": '1:10: the key "a" is already on line 1, column 4; keep one of the two',
    "a: &x b\nc: *x\n": f'1:4: {ANCHOR}; delete "&x", {QUOTE}\n'
    f"2:4: {ALIAS}; write out the value again, {QUOTE}",
    "a: &x {b: c}\nd:\n  <<: *x\n": f'1:4: {ANCHOR}; delete "&x", {QUOTE}\n'
    '3:3: merge keys ("<<") are not accepted; write out the keys that it stands for',
    "a: !!python/object/apply:os.system ['id']\n": f"1:4: {TAGGED}; "
    f'delete "!!python/object/apply:os.syst…", {QUOTE}',
    "a: !!binary aGk=\nb: ! x\n": f'1:4: {TAGGED}; delete "!!binary", {QUOTE}\n'
    f'2:4: {TAGGED}; delete "!", {QUOTE}',
    "a: b\n---\nc: d\n": "2:1: a second document begins here; a file holds one person; "
    "delete this line, or move what follows to a file of its own",
    "? [a]\n: b\n": "1:3: a key must be text, not a list; put it in quotes if it is text",
    "a: {{ name }}\n": "1:5: a key must be text, not a mapping; put it in quotes if it is text",
    "~: b\n": '1:1: a key is missing or null here; write a key before the ":", '
    'in quotes if it is "null" or "~"',
    ": b\n": '1:1: there is no key before the ":"; write one',
    "": EMPTY,
    "# only a comment\n---\n": EMPTY,
    "- a\n- b\n": f"1:1: the file holds a list, {NO_MAPPING}",
    "hello\n": f"1:1: the file holds a text, {NO_MAPPING}",
    "a: x\x00y\nb: \x07\n": f"1:5: U+0000 (NUL) {GONE}\n2:4: U+0007 (control character) {GONE}",
    "a: x\u2028y\n": f"1:5: U+2028 (line separator) {GONE}",
    "a: \udc80\n": f"1:4: U+DC80 (half of a surrogate pair) {GONE}",
    'a: "x \\x07"\n': f"1:7: the escape \\x07 stands for a character that {GONE}",
    'a: "b\n  \\\\0 \\e"\n': f"2:7: the escape \\e stands for a character that {GONE}",
    'a: "\\uD800"\n': "1:5: the escape \\uD800 stands for no character; write the character itself",
}  # fmt: skip


@pytest.mark.usefixtures("loader")
def test_all_problems_are_found_in_one_run() -> None:
    text = "a: &x 1\na: 2\nb: !t 3\nc: {[d]: e}\n- f\n"
    told = "yaml-anchor yaml-duplicate-key yaml-tag yaml-key yaml-dash"
    assert codes(text) == told.split()


# --- slips ----------------------------------------------------------------------------------------

TAB = "a tab in the indentation; indent with spaces, two for each level"
MORE = "the indentation makes this line part of the value that begins on line"
SLIPS = {
    "title: Foo: bar\n": '1:11: this value has a ": " in it; put it in quotes: title: "Foo: bar"',
    'a:\n- b: say "x": y # z\n': (
        '2:13: this value has a ": " in it; put it in quotes: - b: \'say "x": y\''
    ),
    "名前: 王小明: x\n": '1:8: this value has a ": " in it; put it in quotes: 名前: "王小明: x"',
    "a: [b: c: d]\n": '1:9: this value has a ": " in it; put the value in quotes',
    f"a: {'x' * 90}: y\n": '1:94: this value has a ": " in it; put the value in quotes',
    "a:\n\tb: c\n": f"2:1: {TAB}",
    "a:\n  b: c\n \t d: e\n": f"3:2: {TAB}",
    "a:\n-\tfoo\n": "2:2: a tab before the value; put a space in its place",
    "a:\n- **Bold** text\n": f'2:3: {ALIAS}; put it in quotes: - "**Bold** text"',
    "a: *equal contribution\n": f"1:4: {ALIAS}; write out the value again, {QUOTE}",
    "a: [**b**]\n": f"1:5: {ALIAS}; put the value in quotes",
    "a: & b\n": f'1:4: {ANCHOR}; put it in quotes: a: "& b"',
    "a: !x!y z\n": f'1:4: {TAGGED}; put it in quotes: a: "!x!y z"',
    "a: @handle\n": '1:4: a value can\'t begin with "@"; put it in quotes: a: "@handle"',
    "a: `code` x\n": '1:4: a value can\'t begin with "`"; put it in quotes: a: "`code` x"',
    "- %50\n": '1:3: a value can\'t begin with "%"; put it in quotes: - "%50"',
    "a: ? b\n": '1:4: a value can\'t begin with "?"; put it in quotes: a: "? b"',
    "a: b\n%x: y\n": (
        '2:1: a line that begins with "%" is not accepted; '
        "delete it, or indent it and put its text in quotes"
    ),
    "%YAML 2.0\n---\na: b\n": (
        '1:1: a line that begins with "%" is not accepted; '
        "delete it, or indent it and put its text in quotes"
    ),
    "a: >50 %\n": (
        '1:4: a value that begins with ">" has its text on the next line; '
        'put it in quotes: a: ">50 %"'
    ),
    "a: [b, c\nd: e\n": (
        '1:4: the "[" that opens here is never closed; '
        'put a "]" at the end, or put the value in quotes if it is text'
    ),
    "a: {b: c\n": (
        '1:4: the "{" that opens here is never closed; '
        'put a "}" at the end, or put the value in quotes if it is text'
    ),
    "a: [b}\n": '1:6: the "[" of line 1, column 4 is closed by "}"; write "]" here',
    'a: ["b" "c"]\n': (
        "1:9: there is no comma between two entries; "
        "put a comma here, or put the whole entry in quotes"
    ),
    "a: [text](https://x.org) b\n": (
        '1:10: text after the closing "]"; put it in quotes: a: "[text](https://x.org) b"'
    ),
    "a: ]b\n": '1:4: a "]" that closes or separates nothing; delete it, or put the value in quotes',
    'a: "foo\nb: c\n': (
        '1:4: the quote " that opens here is never closed; put a " at the end of the value'
    ),
    "a: 'foo\n": (
        "1:4: the quote ' that opens here is never closed; put a ' at the end of the value, "
        "and write an apostrophe inside it as ''"
    ),
    "a: 'it's me'\n": (
        "1:8: text after the closing quote '; "
        "write a ' inside the value as '', or put the whole value in quotes"
    ),
    'a: "x\nb: "c"\n': (
        '2:5: text after the closing quote ", which opened on line 1; '
        'write a " inside the value as \\", or put the whole value in quotes'
    ),
    'a: "C:\\Users"\n': (
        "1:7: the escape \\U needs 8 hexadecimal digits after it; "
        "write a backslash as \\\\, or use single quotes"
    ),
    'a: "50\\%"\n': (
        "1:7: \\% is not an escape that YAML knows; write a backslash as \\\\, or use single quotes"
    ),
    "a:\n  b: 1\n c: 2\n": (
        "3:2: the indentation of 1 space matches no line above; indent it by 0 or 2 spaces"
    ),
    "a:\n  - b\n - c\n": (
        "3:2: the indentation of 1 space matches no line above; indent it by 2 spaces"
    ),
    "a: |\n   x\n y\n": (
        "3:2: the indentation of 1 space matches no line above; indent it by 0 or 3 spaces"
    ),
    "a: 1\n  b: 2\n": (
        f'2:3: {MORE} 1; indent it by 0 spaces, like "a"; if it is text, put the value in quotes'
    ),
    "a:\n  - x: 1\n     y: 2\n": (
        f'3:6: {MORE} 2; indent it by 4 spaces, like "x"; if it is text, put the value in quotes'
    ),
    "  a: 1\nb: 2\n": (
        "2:1: this line is indented differently from the first; "
        "indent it by 2 spaces as well, or the first line by none"
    ),
    "a:\n  - b\n  c\n": '3:3: there is no "- " before this item; write "- c"',
    "a:\n  - b\n  c: d\n": (
        '3:3: there is no "- " before this line, which is in a list; '
        'begin it with "- ", or indent it if it belongs to the item above'
    ),
    "a: 1\n- b\n": (
        '2:1: a "- " among keys; delete the "- ", or put a key of its own above the list'
    ),
    "a: - b\n": '1:4: a list can\'t begin on the line of its key; put "- b" on the next line',
    "a:\n -b\n -c: 1\n": '2:2: there is no space after the "-"; write "- b"',
    "a:b\nc: d\n": '1:2: there is no space after the colon; write "a: b"',
    "a: b\nfoo\nc: d\n": (
        '2:1: "foo" is neither a "key: value" nor a "- item"; '
        'put a ":" after the key, or indent the line if it belongs to the value above'
    ),
    "a: 1\nb:\n  c: d\n - e\n": (
        "4:2: this line does not fit the lines above it; "
        'compare its indentation with theirs, and look for a missing or extra "- " or ":"'
    ),
    "a: b\n... c\n": "2:5: this can't be read as YAML here; put the value in quotes if it is text",
}


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(("text", "told"), [*REFUSED.items(), *SLIPS.items()], ids=repr)
def test_what_is_said(text: str, told: str) -> None:
    assert said(text) == [f"x.yaml:{line}" for line in told.split("\n")]


@pytest.mark.usefixtures("loader")
def test_advice_to_quote_works_when_followed() -> None:
    followed = 0
    for text, message in SLIPS.items():
        if "put it in quotes: " in message:
            advice = message.rpartition("put it in quotes: ")[2]
            row = int(message.split(":")[0]) - 1
            lines = text.splitlines()
            lines[row] = lines[row][: len(lines[row]) - len(lines[row].lstrip())] + advice
            data = "\n".join(lines)
            parse(f"top:\n{data}" if data.startswith("- ") else data, "x.yaml", NOBODYS)
            followed += 1
    assert followed > 8


# --- limits and speed -----------------------------------------------------------------------------


def seconds(text: str, code: str | None) -> float:
    """Processor time, which other work on the machine changes little."""
    begun = time.process_time()
    if code:
        assert codes(text)[-1] == code
    else:
        parse(text, "x.yaml", NOBODYS)
    return time.process_time() - begun


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize("opener", ["[", "{", "- ", "? ", "[{", "{a: ", "a: {"])
def test_deep_nesting_is_refused_at_once(opener: str) -> None:
    assert seconds(opener * 100_000, "yaml-too-deep") < 1 * slowness()


@pytest.mark.usefixtures("loader")
def test_depth_limit_is_exact() -> None:
    inner = builder.MAX_DEPTH - 1
    parse("a: " + "[" * inner + "]" * inner, "x.yaml")
    assert said("a: " + "[" * (inner + 1) + "]" * (inner + 1)) == [
        (
            "x.yaml:1:33: nested more than 30 levels deep; "
            "a CV needs fewer than ten: remove brackets or indentation"
        )
    ]


needs_libyaml = pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml")


@needs_libyaml
def test_speed() -> None:
    prose = "did a thing that takes a line of prose to tell, as bullets do, with **bold** words"
    item = f'- title: "A title: of a paper"\n  authors: [A B, C D]\n  items:\n  - {prose}\n'
    item += f"  - {prose}\n  - {prose}\n"
    slow = slowness()
    assert seconds("a:\n" + item * (20_000 // len(item)), None) < 0.05 * slow  # 5 ms
    assert seconds("a:\n" + item * (source.MAX_BYTES // len(item) - 1), None) < slow  # 0.45 s
    assert seconds("".join(f"key{i}: v\n" for i in range(50_000)), None) < 2 * slow  # 1 s


@needs_libyaml
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: [" + "a," * 520_000 + "]", "yaml-too-large"),
        ("a: x\n" * 100_000, "yaml-more"),
        ("\x07\n" * 500_000, "yaml-character"),
        ('- "\\0"\n' * 100_000, "yaml-more"),
        ("a: " + " " * 1_000_000 + "@", "yaml-quotes"),
        ("a: x" + " #" * 500_000 + ": b: c\nd", "yaml-syntax"),
        ("\n" * 1_000_000 + "a: b\n- c", "yaml-dash"),
        (" a\n" * 300_000 + "b: c", "yaml-syntax"),
        ("a: x" + ":" * 1_000_000 + " b: c", "yaml-colon"),
        ("a: b: " + "x " * 500_000, "yaml-colon"),
        ("'" + "''" * 500_000, "yaml-quote"),
        ("a: " + "*x " * 300_000, "yaml-alias"),
        ("- " + "&a " * 300_000, "yaml-anchor"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_hostile_files_are_refused_within_a_second_or_so(text: str, code: str) -> None:
    assert seconds(text, code) < 2 * slowness()


def test_size_limit_counts_bytes() -> None:
    fits = "a: " + "x" * (source.MAX_BYTES - 3)
    parse(fits, "x.yaml")
    large = "x.yaml: the file is larger than 1 MiB; a CV of 20 pages takes about 0.1 MiB; "
    assert said(fits + "x") == [large + "is this the right file?"]
    assert said("a: " + "王" * (source.MAX_BYTES // 3)) == [large + "is this the right file?"]


# --- any text at all ------------------------------------------------------------------------------


@pytest.mark.usefixtures("loader")
def test_every_character_is_read_or_refused() -> None:
    kept = [chr(c) for c in range(0x20, 0x20000) if not builder.NEVER.match(chr(c))]
    assert len(kept) > 100_000
    text = "a:\n" + "".join(f"- '{c if c != chr(39) else c * 2}'\n" for c in kept[::20])
    assert parse(text, "x").data == {"a": kept[::20]}
    for code in [*range(0x20), 0x7F, 0x85, 0x9F, 0x2028, 0xD800, 0xFEFF, 0xFFFE, 0xFFFF]:
        if chr(code) not in "\t\n\r":
            assert codes(f"a: 'x{chr(code)}'") == ["yaml-character"], hex(code)


@pytest.mark.usefixtures("loader")
def test_no_text_gives_a_traceback() -> None:
    """Seeded noise from YAML's own alphabet: data, or diagnostics with a place in the text."""
    rng = random.Random(7)
    pieces = [
        *"abc:-?[]{},#&*!|>'\"%@` \n\t\\", ": ", "- ", "\n  ", "\n", "---", "...", "<<: ", "é",
    ]  # fmt: skip
    refused = 0
    for _ in range(3000):
        text = "".join(rng.choices(pieces, k=rng.randint(1, 25)))
        try:
            parse(text, "x.yaml", NOBODYS)
        except ProfileError as error:
            refused += 1
            for item in error.diagnostics:
                assert item.hint
                assert item.span is not None
                assert 0 <= item.span.line <= text.count("\n") + 1
    assert refused > 1000


# --- files ----------------------------------------------------------------------------------------


def test_load_names_the_file_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "people").mkdir()
    path = tmp_path / "people" / "x.yaml"
    path.write_text("a: b\n")
    assert load(path).name == str(path)
    monkeypatch.chdir(tmp_path)
    assert load(path).name == str(Path("people", "x.yaml"))
    assert load(Path("people/../people/x.yaml")).name == str(Path("people", "x.yaml"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            "a: b\r\nc: 王".encode() + b"\xe9\n",
            (
                ':2:5: byte 0xE9 is not UTF-8 (in Windows-1252 it is "é"); '
                "save the file as UTF-8 in your editor"
            ),
        ),
        (
            b"\xef\xbb\xbfa\x81",
            ":1:2: byte 0x81 is not UTF-8; save the file as UTF-8 in your editor",
        ),
        (b"a: \xed\xa0\x80", None),
        (
            "a: b\n".encode("utf-16"),
            ": the file is in UTF-16 or UTF-32, not UTF-8; save it as UTF-8 in your editor",
        ),
        (
            ("name: A long enough first line of a file with some more words\n").encode("utf-16-le"),
            ": the file is in UTF-16 or UTF-32, not UTF-8; save it as UTF-8 in your editor",
        ),
        (
            "a: b\n".encode("utf-32-be"),
            ":1:1: U+0000 (NUL) can't be in a CV; delete it, or put a space there",
        ),
    ],
)
def test_encodings(tmp_path: Path, data: bytes, message: str | None) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(data)
    with pytest.raises(ProfileError) as caught:
        load(path)
    first = caught.value.diagnostics[0]
    assert first.code in ("yaml-encoding", "yaml-character")
    if message:
        assert str(first) == f"{path}{message}"


def test_byte_order_mark_of_utf_8_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: b\n")
    assert load(path).text == "a: b\n"


def test_missing_folder_and_strange_paths(tmp_path: Path) -> None:
    missing = tmp_path / "x.yaml"
    assert load_said(missing) == f"{missing}: there is no such file; check the path"
    assert load_said(tmp_path) == f"{tmp_path}: this is a folder; name a YAML file"
    assert load_said(Path("a\0\n.yaml")) == (
        "a\\x00\\n.yaml: the file can't be read: embedded null byte; check the path and its "
        "permissions"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of Unix")
def test_what_is_no_regular_file_never_blocks(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    assert load_said(pipe) == f"{pipe}: this is not a regular file; name a YAML file"
    assert load_said(Path("/dev/zero")).startswith("/dev/zero: this is not a regular file")
    loop = tmp_path / "loop.yaml"
    loop.symlink_to(loop)
    assert load_said(loop).startswith(f"{loop}: the file can't be read: too many levels")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: b\n")
    path.chmod(0)
    assert load_said(path) == (
        f"{path}: the file can't be read: permission denied; check the path and its permissions"
    )


def test_large_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    # A tebibyte can't be.
    assert "the file is larger than 1 MiB" in load_said(path)
