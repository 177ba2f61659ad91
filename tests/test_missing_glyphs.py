"""Characters that no font has, and faces that are absent: told, each with its place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from papers import build

from cvbuild.outputs.pdf.fonts import choose_tex_fonts, font_file, installed


@pytest.mark.usefixtures("here", "requires_embedded")
def test_a_missing_face_is_an_error_with_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """For each field and script, and it names the package to install."""
    known = installed.find
    monkeypatch.setattr(
        installed,
        "find",
        lambda names: None if re.search("Hebrew|miri|Arabic", names[0]) else known(names),
    )
    monkeypatch.setattr(choose_tex_fonts, "go_files", lambda _: ())
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
    monkeypatch.setattr(font_file, "coverage", lambda *_, **__: none)
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


@pytest.mark.usefixtures("here")
def test_an_emoji_names_itself() -> None:
    outcome = build("name: Ada Example\nheadline: hi 😀 there\n", engine="auto")
    (one,) = outcome.diagnostics
    assert str(one).startswith(
        'people/ada.yaml:2:11: U+1F600 GRINNING FACE in "hi 😀 there": no installed font has it'
    )
