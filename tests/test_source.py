"""YAML in, data and places out; what is said about every slip; files, their size and cost.

What is said of which text stands in tests/bad.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import Run
from told import messages

from cvbuild.common.diagnostics import ProfileError, Span
from cvbuild.inputs.yaml import misread, source
from cvbuild.inputs.yaml.source import load, parse
from cvbuild.inputs.yaml.tree import Source

LOADERS: list[Any] = [yaml.SafeLoader]
if yaml.__with_libyaml__:
    LOADERS.append(yaml.CSafeLoader)


@pytest.fixture(params=LOADERS, ids=lambda loader: str(loader.__name__))
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(source, "LOADER", request.param)
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
        for event in yaml.parse(text, source.LOADER):
            if isinstance(event, yaml.ScalarEvent):
                mark: Any = event.start_mark
                assert text[mark.index :].startswith(rows[mark.line][mark.column :])


BAD = Path(__file__).parent / "bad"
GONE = "can't be in a CV; delete it, or put a space there"
#: What an editor of the files would change or hide.
UNSEEN = {
    "a: x\x00y\nb: \x07\n": f"x.yaml:1:5: U+0000 (NUL) {GONE}\n"
    f"x.yaml:2:4: U+0007 (control character) {GONE}",
    "a: x\u2028y\n": f"x.yaml:1:5: U+2028 (line separator) {GONE}",
    "a: \udc80\n": f"x.yaml:1:4: U+DC80 (half of a surrogate pair) {GONE}",
}


def told_of(name: str) -> dict[str, str]:
    _, *blocks = (BAD / name).read_text("utf-8").rstrip("\n").split("\n\n")
    parts = [re.split("^! ", block, flags=re.MULTILINE) for block in blocks]
    return {text: "".join(lines) for text, *lines in parts}


REFUSED, SLIPS = told_of("yaml-refused.txt"), told_of("yaml-slips.txt")


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(
    ("text", "told"), [*REFUSED.items(), *UNSEEN.items(), *SLIPS.items()], ids=repr
)
def test_what_is_said(text: str, told: str) -> None:
    assert said(text) == told.split("\n")


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(("text", "told"), [*SLIPS.items()], ids=repr)
def test_the_same_is_said_where_the_last_line_has_no_end(text: str, told: str) -> None:
    assert said(text.rstrip("\n")) == told.split("\n")


@pytest.mark.usefixtures("loader")
def test_all_problems_are_found_in_one_run() -> None:
    text = "a: &x 1\na: 2\nb: !t 3\nc: {[d]: e}\n- f\n"
    told = "yaml-anchor yaml-duplicate-key yaml-tag yaml-key yaml-dash"
    assert codes(text) == told.split()


@pytest.mark.usefixtures("loader")
def test_advice_to_quote_works_when_followed() -> None:
    followed = 0
    for text, message in SLIPS.items():
        if "put it in quotes: " in message:
            advice = message.rpartition("put it in quotes: ")[2]
            row = int(message.split(":")[1]) - 1
            lines = text.splitlines()
            lines[row] = lines[row][: len(lines[row]) - len(lines[row].lstrip())] + advice
            data = "\n".join(lines)
            parse(f"top:\n{data}" if data.startswith("- ") else data, "x.yaml", NOBODYS)
            followed += 1
    assert followed > 8


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize("opener", ["[", "{", "- ", "? ", "[{", "{a: ", "a: {"])
def test_deep_nesting_is_refused(opener: str) -> None:
    assert codes(opener * 100_000)[-1] == "yaml-too-deep"


@pytest.mark.usefixtures("loader")
def test_depth_limit_is_exact() -> None:
    inner = source.MAX_DEPTH - 1
    parse("a: " + "[" * inner + "]" * inner, "x.yaml")
    assert said("a: " + "[" * (inner + 1) + "]" * (inner + 1)) == [
        (
            "x.yaml:1:33: nested more than 30 levels deep; "
            "a CV needs fewer than ten: remove brackets or indentation"
        )
    ]


@pytest.mark.usefixtures("loader")
def test_every_character_is_read_or_refused() -> None:
    kept = [chr(c) for c in range(0x20, 0x20000) if not source.NEVER.match(chr(c))]
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


def refused(read: Callable[..., Source], *arguments: str | Path) -> list[str]:
    with pytest.raises(ProfileError) as caught:
        read(*arguments)
    return [str(item) for item in caught.value.diagnostics]


def load_said(path: Path) -> str:
    (item,) = refused(load, path)
    return item


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


UTF_8 = "; save the file as UTF-8 in your editor"
UTF_16 = ": the file is in UTF-16 or UTF-32, not UTF-8; save it as UTF-8 in your editor"
LONG = "name: A long enough first line of a file with some more words\n"
NUL = ":1:1: U+0000 (NUL) can't be in a CV; delete it, or put a space there"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a: b\r\nc: 王".encode() + b"\xe9\n",
         f':2:5: byte 0xE9 is not UTF-8 (in Windows-1252 it is "é"){UTF_8}'),
        (b"\xef\xbb\xbfa\x81", f":1:2: byte 0x81 is not UTF-8{UTF_8}"),
        (b"a: \xed\xa0\x80", f':1:4: byte 0xED is not UTF-8 (in Windows-1252 it is "í"){UTF_8}'),
        ("a: b\n".encode("utf-16"), UTF_16),
        (LONG.encode("utf-16-le"), UTF_16),
        ("a: b\n".encode("utf-32-be"), NUL),
    ],
)  # fmt: skip
def test_encodings(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(data)
    assert refused(load, path)[0] == f"{path}{message}"


def test_byte_order_mark_of_utf_8_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: b\n")
    assert load(path).text == "a: b\n"


def test_missing_folder_and_strange_paths(tmp_path: Path) -> None:
    missing = tmp_path / "x.yaml"
    assert load_said(missing) == f"{missing}: there is no such file; check the path"
    assert load_said(tmp_path) == f"{tmp_path}: this is a folder; name a YAML file"
    assert load_said(Path("a\0\n.yaml")) == (
        "a\\x00\\n.yaml: the file can't be read: null character in the path; check the path "
        "and its permissions"
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


def test_size_limit_counts_bytes() -> None:
    fits = "a: " + "x" * (source.MAX_BYTES - 3)
    parse(fits, "x.yaml")
    large = "x.yaml: the file is larger than 1 MiB; a CV of 20 pages takes about 0.1 MiB; "
    assert refused(lambda: parse(fits + "x", "x.yaml")) == [large + "is this the right file?"]
    assert refused(lambda: parse("a: " + "王" * (source.MAX_BYTES // 3), "x.yaml")) == [
        large + "is this the right file?"
    ]


def misreadings(text: str) -> list[str]:
    return [str(one).removeprefix("a.yaml:") for one in misread.slips(source.parse(text, "a.yaml"))]


@pytest.mark.parametrize(("text", "told"), messages("bad/misread.txt"))
def test_what_looks_like_something_else(text: str, told: list[str]) -> None:
    assert misreadings(text) == told


def alike() -> list[str]:
    """The files of bad/alike.txt, with the characters that it names."""
    text = (Path(__file__).parent / "bad/alike.txt").read_text("utf-8")
    return re.sub(r"\{U\+(\w+)\}", lambda one: chr(int(one[1], 16)), text).split("---\n")[1:]


@pytest.mark.usefixtures("here")
def test_each_is_told_of_at_its_character(run: Run) -> None:
    parts = [one.partition("\n! ") for one in re.split("\n(?!! )", alike()[0])]
    Path("ada.yaml").write_text("\n".join(line for line, _, _ in parts), "utf-8")
    lines = [
        line.removeprefix("ada.yaml:").replace("warning: ", "")
        for line in run("check", "ada.yaml").err.splitlines()
        if "every CV" not in line
    ]
    told = [(at, said) for at, (_, _, said) in enumerate(parts, 1) if said]
    assert len(lines) == len(told) + 1, lines
    for line, (at, said) in zip(lines, told, strict=False):
        assert line.startswith(f"{at}:{said}"), line
    built = run("build", "ada.yaml", "--format", "txt").err
    assert built.count(" is invisible; delete it, or type the words anew\n") == 8
    report = json.loads(run("check", "ada.yaml", "--json").out)
    codes = {one["code"] for one in report["diagnostics"]}
    assert codes >= {"text-invisible", "text-alike", "text-direction", "yaml-null"}


def test_what_a_language_needs_is_not_told_of() -> None:
    assert misreadings(alike()[1]) == []
