"""Typefaces: fonts made for pdfTeX have LuaLaTeX's kerns, extract exactly, and are kept."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import re
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import deep
import papers
import pikepdf
import pypdfium2
import pytest
from fontTools.ttLib import TTFont
from papers import Paper, build, folded, made, text_of
from pdfminer.high_level import extract_text
from texlive import engine_of

from cvbuild.building.outcome import Outcome
from cvbuild.common import sealed
from cvbuild.outputs.pdf.fonts import (
    coverage,
    face_cache,
    fira,
    font_file,
    font_layout,
    installed,
    layouts,
    text_fonts,
    tfm,
    typefaces,
)
from cvbuild.outputs.pdf.fonts.installed import FontError
from cvbuild.outputs.pdf.fonts.layouts import BASE, Cut
from cvbuild.outputs.pdf.fonts.typefaces import TYPEFACES, Found
from cvbuild.outputs.pdf.tex import direct
from cvbuild.outputs.pdf.tex.types import Job
from cvbuild.outputs.styles.templates import Library

CAPS = BASE.as_cut(Cut(layouts.OLD_STYLE, caps=True))


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(name: str) -> Found:
    one = typefaces.find(name)
    assert one is not None, f"rendercv-fonts lacks {name}"
    return one


def texts(pdf: Path) -> dict[str, str]:
    """What each reader gets, without spaces; poppler's columns aside."""
    got = {**papers.texts(pdf), "poppler": "", "pdfminer": extract_text(pdf)}
    return {reader: folded(text) for reader, text in got.items() if text}


def test_the_manifest_offers_all_typefaces() -> None:
    for name in Library.at().names():
        option = Library.at().find(name).manifest.options["font"]
        assert option.choices == tuple(TYPEFACES)
        assert option.default in TYPEFACES


# Whole documents


def words(letters: str) -> Iterator[str]:
    """The characters in words of eight, which no reader joins or splits."""
    for at in range(0, len(letters), 8):
        yield f"x{letters[at : at + 8]}x"


@pytest.mark.parametrize("name", deep.but(["XCharter"], TYPEFACES))
def test_every_character_extracts(name: str, paper: Paper) -> None:
    """Each letter of all layouts, upright and bold, in words of the typeface or of a fallback."""
    letters = sorted({c for one in (BASE, *layouts.FIXED_LAYOUTS) for c in one.slots.values()})
    plain = "".join(c for c in letters if c not in "`*_[]\\<>'\"{}#&|~^$%@!-:")
    rows = [f"      - '{word}'\n      - '**{word}**'" for word in words(plain)]
    text = "name: Ada Example\nsections:\n  - kind: bullets\n    items:\n" + "\n".join(rows)
    pdf = made(paper(f"options: {{font: {name}}}\n{text}\n"))
    for reader, got in texts(pdf).items():
        missing = [word for word in words(plain) if got.count(folded(word)) < 2]
        assert missing == [], reader
    with pikepdf.open(pdf) as opened:
        for page in opened.pages:
            for font in page.Resources.Font.values():
                assert re.match(r"/[A-Z]{6}\+", str(font.BaseFont)), "not subset"
                assert "/FontFile" in font.FontDescriptor
                assert "/ToUnicode" in font


def test_signs_stay_what_was_written(paper: Paper) -> None:
    headline = "-- ,, << >> ?a !a fi ff ffi ffl “q” „q“ «x» ‹x› Wait… 20 °C, 5 € a–b–c—d"
    pdf = made(paper(f'name: Ada Example\nheadline: "{headline}"\n'))
    for reader, got in texts(pdf).items():
        assert folded(headline) in got, reader


def test_many_different_chinese_characters(paper: Paper) -> None:
    path = installed.find(("NotoSansSC-Regular.ttf",))
    assert path is not None
    have = sorted(code for code in coverage.of(path).codes if 0x4E00 <= code < 0x9FA0)
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


# Cuts


@pytest.mark.parametrize("name", TYPEFACES)
def test_what_a_typeface_lacks(name: str) -> None:
    regular, _, bold, _ = found(name).paths
    with font_file.opened(regular) as face, font_file.opened(bold) as heavier:
        digits = {face.font.getGlyphName(face.glyphs[ord(c)]) for c in "0123456789"}
        letter = {face.font.getGlyphName(face.glyphs[ord("a")])}
        mixed = text_fonts.drawn(face, BASE.as_cut(Cut(heavier=bold)), heavier)
        have = {
            typefaces.CAPS: font_layout.replaced(face.font, letter, "smcp", "latn"),
            typefaces.FIGURES: font_layout.replaced(face.font, digits, "onum", "latn"),
            typefaces.SEMIBOLD: mixed.name.endswith("-SemiBold"),
        }
    assert [what for what, there in have.items() if not there] == [*TYPEFACES[name].lacks]


def test_a_cut_is_what_the_face_holds() -> None:
    """EB Garamond's own small capital and old-style figure, a capital for Lato, a mixed weight."""
    regular, _, bold, _ = found("EB Garamond").paths
    with font_file.opened(regular) as face, font_file.opened(bold) as heavier:
        plain, caps = text_fonts.drawn(face, BASE), text_fonts.drawn(face, CAPS)
        letter = face.font.getGlyphName(face.glyphs[ord("a")])
        found_caps = font_layout.replaced(face.font, {letter}, "smcp", "latn")
        own = face.font.getGlyphID(found_caps[letter])
        assert caps.outlines(ord("a")).contours == face.outlines(own).contours
        assert caps.width(ord("a")) == pytest.approx(face.width(own) + 40)
        assert caps.joined == {}
        old = text_fonts.drawn(face, BASE.as_cut(Cut(layouts.OLD_STYLE)))
        assert font_file.extent(old.outlines(ord("1")))[0] < 0.7 * plain.extent(ord("1"))[0]
        semibold = text_fonts.drawn(face, BASE.as_cut(Cut(heavier=bold)), heavier)
        least, most = sorted((plain.width(ord("m")), heavier.width(heavier.glyphs[ord("m")])))
        assert least < semibold.width(ord("m")) < most
    with font_file.opened(found("Lato").paths[0]) as face:
        caps = text_fonts.drawn(face, CAPS)
        capital = face.outlines(face.glyphs[ord("A")])
        assert caps.width(ord("a")) == pytest.approx(0.8 * capital.width + 40)
        height = font_file.extent(caps.outlines(ord("a")))[0]
        assert height == pytest.approx(0.8 * font_file.extent(capital)[0])


STYLE = r"""\ProvidesExplPackage {cvb-caps} {2026-01-01} {1} {Caps}
\RequirePackageWithOptions {cvb-academic}
\CvbFont { name } { \CvbSize { 2 } \CvbWeight { semibold } }
\CvbFont { section } { \CvbCapsOn }
\CvbFont { dates } { \CvbLining }
"""
MANIFEST = """api: 1
title: Caps
description: All cuts.
extends: academic
tex: {style: cvb-caps, caps: true, weights: [semibold]}
options: {figures: {default: oldstyle}}
"""


def in_caps(text: str, manifest: str = MANIFEST, style: str = STYLE, **settings: Any) -> Outcome:
    folder = Path("templates/caps")
    folder.mkdir(parents=True)
    (folder / "template.yaml").write_text(manifest)
    (folder / "cvb-caps.sty").write_text(style)
    return build(text, "caps", library=Library.at(Path("templates")), **settings)


def check_cuts(engine: str, font: str) -> None:
    wanted = ("Zoë Straße", "Straße office Ärger five 2024 code Łódź Ţeșt Опыт Đức 艾达")
    text = (
        "name: Zoë Straße\n"
        f"options: {{font: {font}}}\n"
        "sections:\n- kind: experience\n"
        "  title: 'Straße office Ärger five 2024 `code` Łódź Ţeșt Опыт Đức 艾达'\n"
        "  items: [{employer: Firma 1985, title: 34567890 ff, date: 2019-03 to 2023-04}]\n"
    )
    pdf = made(in_caps(text, engine=engine))
    for reader, got in texts(pdf).items():
        for shown in (*wanted, "Firma 1985", "34567890 ff", "Mar 2019 – Apr 2023"):
            assert folded(shown) in got, (reader, shown)
    with pikepdf.open(pdf) as opened:
        assert len(opened.pages[0].Resources.Font) > 5


@pytest.mark.deep
@pytest.mark.usefixtures("workspace", "requires_embedded")
@pytest.mark.parametrize("font", deep.but(["Lato"], ["EB Garamond", "Lato"]))
def test_cuts_extract_as_written(font: str) -> None:
    check_cuts("embedded", font)


@pytest.mark.deep
@pytest.mark.usefixtures("workspace", "requires_texlive")
def test_cuts_extract_as_written_from_lualatex() -> None:
    """Source Sans has one glyph for the small capitals of a and A."""
    check_cuts("lualatex", "Source Sans")


@pytest.mark.usefixtures("workspace", "requires_embedded")
def test_a_style_names_its_cuts() -> None:
    outcome = in_caps(
        "name: A\nsections: [{kind: text, title: T, items: [x]}]\n",
        MANIFEST.replace("caps: true, ", "").replace("academic", "industry"),
        STYLE.replace("academic", "industry"),
    )
    assert outcome.path is None
    assert "write tex: {caps: true}" in str(outcome.diagnostics[0])


# Code


def test_code_is_as_high_as_its_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in TYPEFACES:
        found_mono = fira.mono_for_pdftex(found(name), tmp_path)
        assert found_mono is not None, "pymupdf-fonts lacks Fira Mono: remove .venv, run make"
        face, characters = found_mono
        with font_file.opened(Path(face.files[0])) as file:
            assert file.x_height * face.scale == pytest.approx(
                1000 * TYPEFACES[name].x_height, rel=0.02
            )
        assert set(string.ascii_letters + string.digits + string.punctuation) <= characters
    typeface = found("XCharter")
    monkeypatch.setattr(installed, "package", lambda _: None)
    assert fira.mono_for_pdftex(typeface, tmp_path) is None
    assert fira.mono_for_luatex(typeface, tmp_path) is None


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


# Metrics


def pairs_of(name: str) -> list[tuple[str, str]]:
    """Characters of the base layout with kerns, or ligatures, between them."""
    with font_file.opened(found(name).paths[0]) as face:
        drawn = text_fonts.drawn(face, BASE)
    signs = BASE.slots
    letters = [(signs[a], signs[b]) for a, b in drawn.kerns if a in signs and b in signs]
    return [*letters, *itertools.product("f", "fijlbhkt")]


@pytest.mark.usefixtures("requires_texlive")
@pytest.mark.parametrize(
    "name", deep.but(["XCharter"], ["XCharter", "Source Sans", "Gentium", "EB Garamond"])
)
def test_kerns_are_those_of_lualatex(name: str, tmp_path: Path, tex_cache: Path) -> None:
    """The width of every pair, in the font that is made and as luaotfload sets it."""
    pairs = pairs_of(name)
    assert len(pairs) > 100
    path = found(name).paths[0]
    (font,) = face_cache.fonts(path, 0, [BASE], tex_cache)
    features = "mode=node;script=latn;-tlig;-locl;+liga;+kern;+lnum"
    loads = {"lualatex": rf'"[{path}]:{features}" at 100pt', "pdflatex": f"{font.name} at 100pt"}
    widths = {}
    for kind, load in loads.items():
        rows = [r"\documentclass{article}", *([r"\pdfmapfile{}"] if kind == "pdflatex" else [])]
        rows += [r"\begin{document}", rf"\font\x={load} \x"]
        for left, right in pairs:
            if kind == "lualatex":
                codes = f"\\char{ord(left)} \\char{ord(right)} "
            else:
                codes = f"\\char{font.slots[left]} \\char{font.slots[right]} "
            rows.append(rf"\setbox0=\hbox{{{codes}}}\immediate\write-1{{W \the\wd0}}")
        rows += [r"x\end{document}"]
        if kind == "pdflatex":
            rows.insert(1, rf"\pdfmapline{{{font.name} <{font.name}.pfb}}")
        folder = tmp_path / kind
        folder.mkdir()
        job = Job("\n".join(rows), folder, tex_cache, 0, timeout=240)
        done = direct.compile(job, engine_of(kind))
        log = (folder / "cv.log").read_text(encoding="utf-8", errors="replace")
        assert done.pdf is not None, log[-2000:]
        widths[kind] = [float(value) for value in re.findall(r"^W ([\d.]+)pt", log, re.MULTILINE)]
        assert len(widths[kind]) == len(pairs)
    different = [
        (left + right, ours, theirs)
        for (left, right), ours, theirs in zip(
            pairs, widths["pdflatex"], widths["lualatex"], strict=True
        )
        if abs(ours - theirs) > 0.02
    ]
    assert different == []


def test_a_tfm_has_at_most_fifteen_heights() -> None:
    boxes = {slot: tfm.Box(slot / 300, slot / 200, slot / 900) for slot in range(256)}
    content = tfm.to_bytes(tfm.Metrics(boxes, (0,) * 7))
    counts = [int.from_bytes(content[at : at + 2]) for at in range(0, 24, 2)]
    assert counts[0] * 4 == len(content)
    assert counts[2:4] == [0, 255]
    assert (counts[5], counts[6]) == (16, 16)
    with pytest.raises(ValueError, match="without characters"):
        tfm.to_bytes(tfm.Metrics({}, (0,) * 7))


# The cache


def test_a_font_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = found("XCharter").paths[0]
    first = face_cache.fonts(path, 0, [BASE], tmp_path)
    home = face_cache.folder(tmp_path)
    files = sorted(home.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(text_fonts, "make", None)
        assert face_cache.fonts(path, 0, [BASE], tmp_path) == first
    assert sorted(home.iterdir()) == files
    elsewhere = tmp_path / "elsewhere.otf"
    elsewhere.write_bytes(path.read_bytes())
    assert face_cache.fonts(elsewhere, 0, [BASE], tmp_path) == first, "named by its content"


@pytest.mark.parametrize("end", [".json", ".tfm", ".pfb"])
def test_a_damaged_font_is_made_again(end: str, tmp_path: Path) -> None:
    path = found("XCharter").paths[0]
    (first,) = face_cache.fonts(path, 0, [BASE], tmp_path)
    (file,) = (one for one in face_cache.folder(tmp_path).iterdir() if one.suffix == end)
    content = file.read_bytes()
    for damage in (content[:100], b"", content.replace(b"7", b"8")):
        file.write_bytes(damage)
        assert face_cache.fonts(path, 0, [BASE], tmp_path) == (first,)
        assert file.read_bytes() == content
    file.unlink()
    assert face_cache.fonts(path, 0, [BASE], tmp_path) == (first,)
    assert file.read_bytes() == content


def test_a_cache_that_cannot_be_used(tmp_path: Path) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("a file")
    home = face_cache.folder(blocked)
    assert not home.is_relative_to(tmp_path)
    assert home == face_cache.folder(blocked)
    if os.name == "posix":
        assert sealed.is_ours(home.stat())
        foreign = tmp_path / "open" / "faces-1"
        foreign.mkdir(parents=True)
        foreign.chmod(0o777)
        assert face_cache.folder(foreign.parent) == home


def test_fonts_not_used_for_a_month_are_removed(tmp_path: Path) -> None:
    path = found("XCharter").paths[0]
    face_cache.fonts(path, 0, [BASE], tmp_path)
    home = face_cache.folder(tmp_path)
    old = list(home.glob("*.pfb"))
    for file in old:
        os.utime(file, (1, 1))
    face_cache.fonts(path, 0, [layouts.FIXED_LAYOUTS[0]], tmp_path)
    assert not any(file.exists() for file in old)


# Fonts that can't be used


def changed(source: Path, target: Path, **os2: int) -> Path:
    with TTFont(source) as font:
        for name, value in os2.items():
            setattr(font["OS/2"], name, value)
        font.save(target)
    return target


def test_what_is_wrong_with_a_font(tmp_path: Path) -> None:
    source = found("Open Sans").paths[0]
    for flags, fault in ((2, "forbids embedding"), (0x100, "used glyphs alone"), (0x200, "alone")):
        path = changed(source, tmp_path / f"{flags}.ttf", fsType=flags)
        with pytest.raises(FontError, match=fault), font_file.opened(path):
            pass
        (made_,) = face_cache.fonts(path, 0, [BASE], tmp_path)
        assert fault in made_.fault
        assert made_.slots == {}
        assert coverage.of(path).codes == frozenset()
    with font_file.opened(changed(source, tmp_path / "edit.ttf", fsType=8)):
        pass
    content = source.read_bytes()
    for number, damaged in enumerate((b"", b"no font", content[:5000], content[:60] * 50)):
        path = tmp_path / f"damaged{number}.ttf"
        path.write_bytes(damaged)
        with pytest.raises(FontError, match=r"damaged|no outlines"), font_file.opened(path) as face:
            text_fonts.make(face, BASE)
    with pytest.raises(FontError), font_file.opened(tmp_path / "none.ttf"):
        pass


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.parametrize("fault", ["damaged", "forbids embedding", "not installed"])
def test_a_typeface_that_cannot_be_used_is_an_error(
    fault: str, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fonts = workspace / "fonts"
    fonts.mkdir()
    for path in found("Open Sans").paths:
        if fault == "damaged":
            (fonts / path.name).write_bytes(path.read_bytes()[:9000])
        elif fault == "forbids embedding":
            changed(path, fonts / path.name, fsType=2)
    monkeypatch.setattr(installed, "package", cache(lambda _: fonts))
    monkeypatch.setattr(installed, "_places_of_system", lambda: ())
    installed.look_again()
    typefaces.look_again()
    try:
        outcome = build("name: Ada Example\noptions: {font: Open Sans}\n")
    finally:
        monkeypatch.undo()
        installed.look_again()
        typefaces.look_again()
    assert outcome.path is None
    assert not (workspace / "out/ada/academic.pdf").exists()
    (one,) = outcome.diagnostics
    assert fault in one.message
    assert one.hint


# The space between words


@pytest.mark.usefixtures("requires_embedded")
def test_the_space_font_makes_spaces(tmp_path: Path, tex_cache: Path) -> None:
    tex = (
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{lmodern}\\pdfgentounicode=1\n\\begin{document}\n"
        f"{face_cache.space_commands()}\\pdfinterwordspaceon one two\\end{{document}}\n"
    )
    folder = tmp_path / "job"
    folder.mkdir()
    done = direct.compile(Job(tex, folder, tex_cache, 0), engine_of("embedded"))
    assert done.pdf is not None, done.log[-2000:]
    with pikepdf.open(io.BytesIO(done.pdf.read_bytes())) as opened:
        fonts = {str(font.BaseFont) for font in opened.pages[0].Resources.Font.values()}
    assert any("CvbSpace" in font for font in fonts)
    with contextlib.closing(pypdfium2.PdfDocument(done.pdf)) as document:
        assert document[0].get_textpage().get_text_bounded().startswith("one two")
