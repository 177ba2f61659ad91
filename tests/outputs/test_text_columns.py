"""Plain text of 72 columns, and letters as text."""

from __future__ import annotations

from pathlib import Path

import pytest
from lettered import ADA, HEBREW, SHORT, shown_of

from cvbuild.outputs import registry
from cvbuild.outputs.text import columns
from cvbuild.outputs.text.export import Format
from cvbuild.outputs.types import Shown

ROOT = Path(__file__).parents[2]


def text(shown: Shown, output: Format) -> str:
    content = output.make(shown).content
    assert isinstance(content, bytes)
    return content.decode()


def test_lines_of_72_columns() -> None:
    assert registry.find("txt72").suffix == ".72.txt"
    for path in sorted([*ROOT.glob("people/*.yaml"), *ROOT.glob("tests/shapes/*.yaml")]):
        shown = shown_of(path, "txt")
        whole, folded = text(shown, Format()), text(shown, columns.Format())
        for line in folded.splitlines():
            assert columns.width(line) <= 72 or " " not in line.strip().removeprefix("- "), line
        assert folded.split() == whole.split()
        assert len(folded.splitlines()) > len(whole.splitlines())


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("", [""]),
        ("one two three", ["one two", "three"]),
        ("- one two three", ["- one two", "  three"]),
        ("  - one two four", ["  - one", "    two", "    four"]),
        ("10. one two", ["10. one", "    two"]),
        ("- https://example.org/a-b", ["- https://example.org/a-b"]),
        ("a https://example.org/a-b b", ["a", "https://example.org/a-b", "b"]),
        ("你好世界你好世界", ["你好世界你", "好世界"]),
        ("- 你好世界。你好", ["- 你好世", "  界。你好"]),
        ("你好世界你。", ["你好世界", "你。"]),
        ("e\u0301e\u0301e\u0301e\u0301e\u0301 e\u0301e\u0301e\u0301e\u0301", None),
    ],
)
def test_a_line_in_parts(line: str, parts: list[str] | None) -> None:
    assert list(columns.wrapped(line, 10)) == (parts or [line])


def test_a_letter(tmp_path: Path) -> None:
    person = tmp_path / "ada.yaml"
    person.write_text(ADA.replace("photo: photo.png\n", ""), encoding="utf-8")
    assert "Enclosures" not in text(shown_of(person, "txt", SHORT), columns.Format())
    assert "\n2. שני\n" in text(shown_of(person, "txt", HEBREW), Format())
