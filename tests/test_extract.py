"""``cvbuild extract``: exactly what was attached, and one line for whatever is wrong with a PDF."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from conftest import Run

from cvbuild.importers.resumes.attached import LIMIT
from cvbuild.outputs.pdf.expected import ATTACHMENT

Carrier = Callable[..., Path]


@pytest.fixture
def carrier(tmp_path: Path) -> Carrier:
    """A PDF that carries the given bytes."""

    def make(content: bytes, name: str = ATTACHMENT, **save: Any) -> Path:
        path = tmp_path / "carrier.pdf"
        with pikepdf.new() as document:
            document.add_blank_page()
            document.attachments[name] = pikepdf.AttachedFileSpec(
                document,
                content,
                filename=name,
                mime_type="application/json",
                description="",
                creation_date="",
                mod_date="",
            )
            document.save(path, **save)
        return path

    return make


def test_extract_prints_or_writes_exactly_what_was_attached(
    carrier: Carrier, tmp_path: Path, run: Run
) -> None:
    content = '{"name":  "Ada é 한"}'.encode()
    pdf, out = carrier(content), tmp_path / "out.json"
    assert run("extract", str(pdf)) == (0, content.decode(), "")
    assert run("extract", str(pdf), "-o", str(out)) == (0, "", f"wrote {out}\n")
    assert out.read_bytes() == content
    out.write_text("mine")
    ran = run("extract", str(pdf), "-o", str(out))
    assert ran == (2, "", f"{out} exists already; overwrite it with --force\n")
    assert out.read_text() == "mine"
    assert run("extract", str(pdf), "-o", str(out), "--force").code == 0
    assert out.read_bytes() == content
    ran = run("extract", str(pdf), "-o", str(tmp_path / "no" / "out.json"))
    assert (ran.code, ran.out) == (2, "")
    assert "can't write" in ran.err


def test_a_terminal_gets_nothing_that_steers_it(
    carrier: Carrier, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pdf = carrier('{"a": "\x9b31m\u202e"}'.encode())
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert run("extract", str(pdf)).out.isascii()


def packed(content: bytes, carrier: Carrier, change: Callable[[pikepdf.Object], None]) -> Path:
    """A carrier whose stream was changed by hand."""
    path = carrier(content)
    with pikepdf.open(path, allow_overwriting_input=True) as document:
        change(document.attachments[ATTACHMENT].get_file().obj)
        document.save(path, compress_streams=False)
    return path


def cut(stream: pikepdf.Object) -> None:
    stream.write(stream.read_raw_bytes()[:-6], filter=pikepdf.Name.FlateDecode)


def run_length(stream: pikepdf.Object) -> None:
    stream.write(b"\x01{}\x80", filter=pikepdf.Name.RunLengthDecode)


def loop(stream: pikepdf.Object) -> None:
    stream.Filter = pikepdf.Array([stream.Params])


def faulty(name: str, carrier: Carrier, tmp_path: Path) -> Path:
    """The PDF of a case below."""
    size = LIMIT
    match name:
        case "text":
            path = tmp_path / "text.pdf"
            path.write_text("no PDF\n" * 9)
        case "empty":
            path = tmp_path / "empty.pdf"
            path.touch()
        case "encrypted":
            path = carrier(b"{}", encryption=pikepdf.Encryption(owner="o", user="u"))
        case "without":
            path = carrier(b"{}", "other.json")
        case "bomb":
            path = carrier(b'{"a":"' + b"x" * size + b'"}', compress_streams=True)
        case "big":
            path = carrier(b'{"a":"' + b"x" * size + b'"}', compress_streams=False)
        case "cut":
            path = packed(b'{"a": "bcdefghijk"}' * 9, carrier, cut)
        case "filter":
            path = packed(b"{}", carrier, run_length)
        case "strange":
            path = packed(b"{}", carrier, loop)
        case _:
            path = carrier(JSON[name])
    return path


JSON = {
    "words": b"no JSON",
    "list": b"[]",
    "nothing": b"",
    "latin": b'{"a": "\xe9"}',
    "nan": b'{"a": NaN}',
    "deep": b"[" * 100_000,
    "long": b'{"a": ' + b"9" * 10_000 + b"}",
}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("text", "it is not a PDF, or damaged; is it the right file?"),
        ("empty", "it is not a PDF, or damaged; is it the right file?"),
        ("encrypted", "it is encrypted and needs a password; unlock it first: qpdf --decrypt"),
        ("without", "no resume.json is attached to it; build it with: options: {embed: true}"),
        ("bomb", "its attachment resume.json has more than 16 MiB; build the PDF once more"),
        ("big", "its attachment resume.json has more than 16 MiB; build the PDF once more"),
        ("cut", "its attachment resume.json is damaged; build the PDF once more"),
        ("filter", "its attachment resume.json has an unknown filter; build the PDF once more"),
        ("strange", "its attachment resume.json has an unknown filter; build the PDF once more"),
        *(
            (name, "its attachment resume.json is not a JSON object; build the PDF once more")
            for name in JSON
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    name: str, words: str, carrier: Carrier, tmp_path: Path, run: Run
) -> None:
    path = faulty(name, carrier, tmp_path)
    assert run("extract", str(path)) == (1, "", f"{path}: {words}\n")


def test_what_is_no_file_is_bad_usage(tmp_path: Path, run: Run) -> None:
    for path in (tmp_path, tmp_path / "none.pdf", Path(os.devnull)):
        assert run("extract", str(path)) == (2, "", f"{path} is not a file; name a PDF\n")
