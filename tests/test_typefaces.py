"""Typefaces in PDFs: fonts made for pdfTeX extract exactly and have the kerns of their files."""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Iterator
from pathlib import Path

import deep
import papers
import pikepdf
import pytest
import uharfbuzz
from faces import NAMES, found, texts
from papers import Paper, folded, made, text_of
from pdfminer.high_level import extract_text
from texlive import engine_of

from cvbuild.outputs.pdf.fonts import (
    choose_tex_fonts,
    face_cache,
    font_file,
    installed,
    layouts,
    text_fonts,
)
from cvbuild.outputs.pdf.fonts.layouts import BASE
from cvbuild.outputs.pdf.fonts.typefaces import TYPEFACES
from cvbuild.outputs.pdf.tex import drivers
from cvbuild.outputs.pdf.tex.types import Job


def words(letters: str) -> Iterator[str]:
    """The characters in words of eight, which no reader joins or splits."""
    for at in range(0, len(letters), 8):
        yield f"x{letters[at : at + 8]}x"


@pytest.mark.parametrize("name", deep.but(["XCharter"], NAMES))
def test_every_character_extracts(name: str, paper: Paper) -> None:
    """Each letter of all layouts, upright and bold, in words of the typeface or of a fallback."""
    letters = sorted({c for one in (BASE, *layouts.FIXED_LAYOUTS) for c in one.slots.values()})
    plain = "".join(c for c in letters if c not in "`*_[]\\<>'\"{}#&|~^$%@!-:")
    rows = [f"      - '{word}'\n      - '**{word}**'" for word in words(plain)]
    text = "name: Ada Example\nsections:\n  - kind: bullets\n    items:\n" + "\n".join(rows)
    pdf = made(paper(f"options: {{font: {name}}}\n{text}\n"))
    # pdfminer is slow, and reads the tables of two typefaces as it reads those of all.
    read = texts(pdf) if name in ("XCharter", "Source Sans") else papers.texts(pdf)
    for reader, got in read.items():
        missing = [word for word in words(plain) if folded(got).count(folded(word)) < 2]
        assert missing == [], reader
    with pikepdf.open(pdf) as opened:
        for page in opened.pages:
            for font in page.Resources.Font.values():
                assert re.match(r"/[A-Z]{6}\+", str(font.BaseFont)), "not subset"
                assert "/FontFile" in font.FontDescriptor
                assert "/ToUnicode" in font


def test_a_name_stays_in_its_typeface(paper: Paper) -> None:
    """Letters that Lato lacks are drawn from its letters and accents, kerned as the letter."""
    letters = [chr(code) for code in range(0x100, 0x180) if chr(code) not in "ĸŊŋſ"]
    for name in NAMES:
        for path in found(name).paths:
            assert [
                c for c in letters if not font_file.with_accents(path).issuperset(map(ord, c))
            ] == [], path
    with font_file.opened(found("Lato").paths[0]) as face:
        assert set(face.composed.values()) >= {("g", "˘", "above"), ("t", "’", "beside")}
        breve = text_fonts.drawn(face, BASE)
        slots = {text: slot for slot, text in breve.texts.items()}
        g, wide = (breve.outlines(slots[c]).contours for c in "gğ")
        assert wide[: len(g)] == g
        assert len(wide) > len(g)
        kerns = {breve.kerns.get((slots["T"], slots[c])) for c in "aă"}
        assert len(kerns) == 1
        assert None not in kerns
    text = "options: {font: Lato}\nname: Ada Example\nsummary: Boğaziçi Ķegums ħal žalúď ŧ\n"
    pdf = made(paper(text))
    assert "Boğaziçi Ķegums ħal žalúď ŧ" in text_of(pdf)
    with pikepdf.open(pdf) as opened:
        fonts = {str(f.BaseFont)[8:] for p in opened.pages for f in p.Resources.Font.values()}
    assert fonts == {"Lato-Regular", "CvbSpace"}


def test_signs_stay_what_was_written(paper: Paper) -> None:
    headline = "-- ,, << >> ?a !a fi ff ffi ffl “q” „q“ «x» ‹x› Wait… 20 °C, 5 € a–b–c—d"
    pdf = made(paper(f'name: Ada Example\nheadline: "{headline}"\n'))
    for reader, got in texts(pdf).items():
        assert folded(headline) in got, reader


def test_many_different_chinese_characters(paper: Paper) -> None:
    path = installed.find(("NotoSansSC-Regular.ttf",))
    assert path is not None
    have = sorted(code for code in font_file.coverage(path) if 0x4E00 <= code < 0x9FA0)
    text = "".join(map(chr, have[:300]))
    pdf = made(paper(f"name: 李明\nlocale: zh\nsummary: {text}\n"))
    assert folded(text) in folded(text_of(pdf))


def test_a_word_of_a_fallback_is_as_bold_and_slanted_as_its_text(paper: Paper) -> None:
    text = "name: Ada Example\nheadline: Ελένη\nsummary: 'Ελένη **Ελένη** *Ελένη **Ελένη***'\n"
    pdf = made(paper(text))
    with pikepdf.open(pdf) as opened:
        fonts = {str(f.BaseFont)[8:] for p in opened.pages for f in p.Resources.Font.values()}
    ends = ("", "-Italic", "-Bold", "-BoldItalic")
    assert {f"GentiumBookPlus{end}" for end in ends} <= fonts


def test_lines_end_after_the_hyphens_of_words(paper: Paper) -> None:
    plain, other = "-".join(["word"] * 40), "-".join(["Nguyễn"] * 40)
    data = f"name: Ada Example\nsections: [{{kind: text, items: ['{plain} {other}']}}]\n"
    pdf = made(paper(data))
    lines = [line.strip() for line in extract_text(pdf).splitlines()]
    for word in ("word", "Nguyễn"):
        found_lines = [line for line in lines if line.startswith(word)]
        assert len(found_lines) > 2
        assert all(line.endswith(f"{word}-") for line in found_lines[:-1])


def test_code_is_as_high_as_its_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        found_mono = choose_tex_fonts.mono_face(found(name), tmp_path)
        assert found_mono is not None, "pymupdf-fonts lacks Fira Mono: remove .venv, run make"
        face, characters = found_mono
        with font_file.opened(Path(face.files[0])) as file:
            assert file.x_height * face.scale == pytest.approx(
                1000 * TYPEFACES[name].x_height, rel=0.02
            )
        assert set(string.ascii_letters + string.digits + string.punctuation) <= characters
    typeface = found("XCharter")
    monkeypatch.setattr(installed, "package", lambda _: None)
    assert choose_tex_fonts.mono_face(typeface, tmp_path) is None


def test_long_code_breaks_at_its_joints(paper: Paper) -> None:
    code = "org.example.EngineConfigurationFactoryBuilder.with_many_other_defaults/and/paths"
    text = f"name: Ada\nsections: [{{kind: text, items: ['Uses {'many ' * 9}of `{code}`.']}}]\n"
    pdf = made(paper(text))
    for reader, got in texts(pdf).items():
        assert folded(code) in got, reader
    lines = [line.strip() for line in extract_text(pdf).splitlines() if line.strip()]
    at = next(number for number, line in enumerate(lines) if line.startswith("Uses"))
    assert code not in lines[at]
    assert lines[at][-1] in "./_" or lines[at + 1][0].isupper()


def pairs_of(name: str) -> list[tuple[str, str]]:
    """Characters of the base layout with kerns, or ligatures, between them."""
    with font_file.opened(found(name).paths[0]) as face:
        drawn = text_fonts.drawn(face, BASE)
    signs = BASE.slots
    letters = [(signs[a], signs[b]) for a, b in drawn.kerns if a in signs and b in signs]
    return [*letters, *itertools.product("f", "fijlbhkt")]


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.parametrize(
    "name", deep.but(["XCharter"], ["XCharter", "Source Sans", "Gentium", "EB Garamond"])
)
def test_kerns_are_those_of_harfbuzz(name: str, tmp_path: Path, tex_cache: Path) -> None:
    """The width of every pair, in the font that is made and as HarfBuzz sets it."""
    pairs = pairs_of(name)
    assert len(pairs) > 100
    path = found(name).paths[0]
    (font,) = face_cache.fonts(path, 0, [BASE], tex_cache)
    rows = [
        r"\documentclass{article}\pdfmapfile{}",
        rf"\pdfmapline{{{font.name} <{font.name}.pfb}}",
    ]
    rows += [r"\begin{document}\pagestyle{empty}", rf"\font\x={font.name} at 100pt \x"]
    for pair in pairs:
        codes = "".join(f"\\char{font.slots[letter]} " for letter in pair)
        rows.append(rf"\setbox0=\hbox{{{codes}}}\immediate\write-1{{W \the\wd0}}")
    job = Job("\n".join([*rows, r"x\end{document}"]), tmp_path, tex_cache, 0, timeout=240)
    assert drivers.direct(job, engine_of("embedded")).pdf is not None
    log = (tmp_path / "cv.log").read_text(encoding="utf-8", errors="replace")
    ours = [float(value) for value in re.findall(r"^W ([\d.]+)pt", log, re.MULTILINE)]
    face = uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(path)))
    shaper = uharfbuzz.Font(face)
    different = []
    for pair, width in zip(pairs, ours, strict=True):
        buffer = uharfbuzz.Buffer()
        buffer.add_str("".join(pair))
        buffer.direction, buffer.script, buffer.language = "ltr", "latn", "en"
        uharfbuzz.shape(shaper, buffer, {"lnum": True, "locl": False, "calt": False})
        theirs = sum(place.x_advance for place in buffer.glyph_positions) * 100 / face.upem
        if abs(width - theirs) > 0.02:
            different.append((pair, width, theirs))
    assert different == []
