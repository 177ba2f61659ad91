"""Files of YAML: how they are read from a disk, how large they may be, and what they cost."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cvbuild.common.errors import ProfileError
from cvbuild.inputs.yaml import source
from cvbuild.inputs.yaml.source import Source, load, parse


def said(read: Callable[..., Source], *arguments: str | Path) -> list[str]:
    with pytest.raises(ProfileError) as caught:
        read(*arguments)
    return [str(item) for item in caught.value.diagnostics]


def load_said(path: Path) -> str:
    (item,) = said(load, path)
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
    assert said(load, path)[0] == f"{path}{message}"


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


# Size and cost


def test_size_limit_counts_bytes() -> None:
    fits = "a: " + "x" * (source.MAX_BYTES - 3)
    parse(fits, "x.yaml")
    large = "x.yaml: the file is larger than 1 MiB; a CV of 20 pages takes about 0.1 MiB; "
    assert said(lambda: parse(fits + "x", "x.yaml")) == [large + "is this the right file?"]
    assert said(lambda: parse("a: " + "王" * (source.MAX_BYTES // 3), "x.yaml")) == [
        large + "is this the right file?"
    ]
