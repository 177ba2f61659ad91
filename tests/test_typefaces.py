"""Typefaces in PDFs: characters, kerns, cuts, weights, and the fonts that are made for pdfTeX."""

from __future__ import annotations

import itertools
import re
import shutil
import string
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import deep
import papers
import pikepdf
import pytest
import uharfbuzz
from fontTools.ttLib import TTFont
from msgspec.structs import replace
from papers import Paper, build, folded, fonts_of, made, prepare, text_of
from pdfminer.high_level import extract_text
from texlive import engine_of

from cvbuild.building import pipeline
from cvbuild.building.pipeline import Outcome
from cvbuild.outputs import installed
from cvbuild.outputs.installed import FontError
from cvbuild.outputs.pdf import Job
from cvbuild.outputs.pdf.fonts import face_cache, fallbacks, font_file, layouts, text_fonts
from cvbuild.outputs.pdf.fonts.layouts import BASE, Cut
from cvbuild.outputs.pdf.tex import Tex
from cvbuild.outputs.styles import typefaces
from cvbuild.outputs.styles.typefaces import TYPEFACES, FontFamily

#: The typefaces that every machine has; the others are the system's.
NAMES = [name for name, one in TYPEFACES.items() if not one.package]


def found(name: str) -> FontFamily:
    one = typefaces.find(name)
    assert one is not None, f"rendercv-fonts lacks {name}"
    return one


def texts(pdf: Path) -> dict[str, str]:
    got = {**papers.texts(pdf), "poppler": "", "pdfminer": extract_text(pdf)}
    return {reader: folded(text) for reader, text in got.items() if text}


def words(letters: str) -> Iterator[str]:
    """The characters in words of eight, which no reader joins or splits."""
    for at in range(0, len(letters), 8):
        yield f"x{letters[at : at + 8]}x"


@pytest.mark.parametrize(
    ("name", "step"),
    deep.but([("XCharter", 4)], [("XCharter", 4), ("Source Sans", 2), ("Gentium", 2)]),
)
def test_every_character_extracts(name: str, step: int, paper: Paper) -> None:
    """Every second letter of all layouts, upright and bold, of the typeface or of a fallback."""
    every = {c for one in (BASE, *layouts.FIXED_LAYOUTS) for c in one.slots.values()}
    letters = sorted(every)[::step]
    plain = "".join(c for c in letters if c not in "`*_[]\\<>'\"{}#&|~^$%@!-:")
    rows = [f"      - '{word}'\n      - '**{word}**'" for word in words(plain)]
    text = "name: Ada Example\nsections:\n  - kind: bullets\n    items:\n" + "\n".join(rows)
    pdf = made(paper(f"options: {{font: {name}}}\n{text}\n"))
    # pdfminer is slow, and reads the tables of one typeface as it reads those of all.
    read = texts(pdf) if name == "Source Sans" else papers.texts(pdf)
    for reader, got in read.items():
        missing = [word for word in words(plain) if folded(got).count(folded(word)) < 2]
        assert missing == [], reader
    with pikepdf.open(pdf) as opened:
        for page in opened.pages:
            for font in page.Resources.Font.values():
                assert re.match(r"/[A-Z]{6}\+", str(font.BaseFont)), "not subset"
                assert "/FontFile" in font.FontDescriptor
                assert "/ToUnicode" in font


@pytest.mark.parametrize("name", deep.but(["Lato"], NAMES))
def test_every_typeface_has_letters_with_accents(name: str) -> None:
    letters = {code for code in range(0x100, 0x180) if chr(code) not in "ĸŊŋſ"}
    for path in found(name).paths:
        have = layouts.coverage(path)
        assert letters - have - {*layouts.composed(have)} == set(), path


@pytest.mark.deep
def test_a_name_stays_in_its_typeface(paper: Paper) -> None:
    """Letters that Lato lacks are drawn from its letters and accents, kerned as the letter."""
    with font_file.opened(found("Lato").paths[0]) as face:
        assert min(face.glyphs[ord(letter)] for letter in "ğť") >= face.count
        breve = text_fonts.drawn(face, BASE)
        slots = {text: slot for slot, text in breve.texts.items()}
        g, wide = (breve.glyphs[slots[c]].contours for c in "gğ")
        assert wide[: len(g)] == g
        assert len(wide) > len(g)
        kerns = {breve.kerns.get((slots["T"], slots[c])) for c in "aă"}
        assert len(kerns) == 1
        assert None not in kerns
    text = "options: {font: Lato}\nname: Ada Example\nsummary: Boğaziçi Ķegums ħal žalúď ŧ\n"
    pdf = made(paper(text))
    assert "Boğaziçi Ķegums ħal žalúď ŧ" in text_of(pdf)
    assert fonts_of(pdf) == {"Lato-Regular", "CvbSpace"}


@pytest.mark.deep
def test_many_different_chinese_characters(paper: Paper) -> None:
    path = installed.font_file(("NotoSansSC-Regular.ttf",))
    assert path is not None
    have = sorted(code for code in layouts.coverage(path) if 0x4E00 <= code < 0x9FA0)
    text = "".join(map(chr, have[:300]))
    pdf = made(paper(f"name: 李明\nlocale: zh\nsummary: {text}\n"))
    assert folded(text) in folded(text_of(pdf))


def test_a_word_of_a_fallback_is_as_bold_and_slanted_as_its_text(paper: Paper) -> None:
    text = "name: Ada Example\nheadline: Ελένη\nsummary: 'Ελένη **Ελένη** *Ελένη **Ελένη***'\n"
    pdf = made(paper(text))
    ends = ("", "-Italic", "-Bold", "-BoldItalic")
    assert {f"GentiumBookPlus{end}" for end in ends} <= fonts_of(pdf)


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
        found_mono = fallbacks.mono_face(found(name), tmp_path)
        assert found_mono is not None, "pymupdf-fonts lacks Fira Mono: remove .venv, run make"
        face, characters = found_mono
        with font_file.opened(Path(face.files[0])) as file:
            assert file.x_height * face.scale == pytest.approx(
                1000 * TYPEFACES[name].x_height, rel=0.02
            )
        assert set(string.ascii_letters + string.digits + string.punctuation) <= characters
    typeface = found("XCharter")
    monkeypatch.setattr(installed, "package", lambda _: None)
    assert fallbacks.mono_face(typeface, tmp_path) is None


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
    assert Tex(job, engine_of("embedded")).run().pdf is not None
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


CAPS = BASE.as_cut(Cut(layouts.OLD_STYLE, caps=True))


@pytest.mark.parametrize("name", deep.but(NAMES[::4], NAMES))
def test_what_a_typeface_lacks(name: str) -> None:
    regular, _, bold, _ = found(name).paths
    with font_file.opened(regular) as face, font_file.opened(bold) as heavier:
        digits = {face.font.getGlyphName(face.glyphs[ord(c)]) for c in "0123456789"}
        letter = {face.font.getGlyphName(face.glyphs[ord("a")])}
        mixed = text_fonts.drawn(face, BASE.as_cut(Cut(heavier=bold)), heavier)
        have = {
            typefaces.CAPS: text_fonts.replaced(face.font, letter, "smcp"),
            typefaces.FIGURES: text_fonts.replaced(face.font, digits, "onum"),
            typefaces.SEMIBOLD: mixed.ending == "-SemiBold",
        }
    assert [what for what, there in have.items() if not there] == [*TYPEFACES[name].lacks]


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


def in_caps(text: str, manifest: str = MANIFEST, style: str = STYLE, **how: Any) -> Outcome:
    folder = Path("templates/caps")
    folder.mkdir(parents=True)
    (folder / "template.yaml").write_text(manifest)
    (folder / "cvb-caps.sty").write_text(style)
    return build(text, "caps", template_path=("templates",), **how)


@pytest.mark.deep
@pytest.mark.usefixtures("here", "requires_embedded")
@pytest.mark.parametrize("font", ["EB Garamond", "Lato"])
def test_cuts_extract_as_written(font: str) -> None:
    wanted = ("Zoë Straße", "Straße office Ärger five 2024 code Łódź Ţeșt Опыт Đức 艾达")
    text = (
        "name: Zoë Straße\n"
        f"options: {{font: {font}}}\n"
        "sections:\n- kind: experience\n"
        "  title: 'Straße office Ärger five 2024 `code` Łódź Ţeșt Опыт Đức 艾达'\n"
        "  items: [{employer: Firma 1985, title: 34567890 ff, date: 2019-03 to 2023-04}]\n"
    )
    pdf = made(in_caps(text, engine="embedded"))
    for reader, got in texts(pdf).items():
        for shown in (*wanted, "Firma 1985", "34567890 ff", "Mar 2019 – Apr 2023"):
            assert folded(shown) in got, (reader, shown)
    assert len(fonts_of(pdf)) > 5


@pytest.mark.deep
@pytest.mark.usefixtures("here", "requires_embedded")
def test_a_style_names_its_cuts() -> None:
    outcome = in_caps(
        "name: A\nsections: [{kind: text, title: T, items: [x]}]\n",
        MANIFEST.replace("caps: true, ", "").replace("academic", "industry"),
        STYLE.replace("academic", "industry"),
    )
    assert outcome.path is None
    assert "write tex: {caps: true}" in str(outcome.diagnostics[0])


@pytest.mark.deep
@pytest.mark.usefixtures("here", "requires_embedded")
def test_a_colour_that_nobody_defined_is_told_with_its_line() -> None:
    lines = (*STYLE.splitlines(), r"\CvbColour { cvb-x } { black!20!cvb-none }", "")
    (error,) = in_caps("name: A\n", style="\n".join(lines)).diagnostics
    assert "No colour is called cvb-none (cvb-caps.sty:6); define it before" in error.message


@pytest.mark.parametrize("end", deep.but([".json"], [".json", ".tfm", ".pfb"]))
def test_a_damaged_font_is_made_again(end: str, tmp_path: Path) -> None:
    path = found("XCharter").paths[0]
    (first,) = face_cache.fonts(path, 0, [BASE], tmp_path)
    (file,) = (one for one in face_cache.fonts_in(tmp_path).folder.iterdir() if one.suffix == end)
    content = file.read_bytes()
    for damage in (content[:100], b"", content.replace(b"7", b"8"), None):
        file.unlink() if damage is None else file.write_bytes(damage)
        assert face_cache.fonts(path, 0, [BASE], tmp_path) == (first,)
        # An entry has the time of its files.
        assert (file.read_bytes() == content) is (end != ".json")
        assert file.read_bytes() != damage


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
        assert layouts.coverage(path) == frozenset()
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
    fault: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fonts = here / "fonts"
    fonts.mkdir()
    for path in found("Open Sans").paths:
        if fault == "damaged":
            (fonts / path.name).write_bytes(path.read_bytes()[:9000])
        elif fault == "forbids embedding":
            changed(path, fonts / path.name, fsType=2)
    package = installed.package
    found_in = cache(lambda name: fonts if "fonts" in name else package(name))
    monkeypatch.setattr(installed, "package", found_in)
    monkeypatch.setattr(installed, "_places_of_system", lambda: ())
    installed.look_again()
    try:
        outcome = build("name: Ada Example\noptions: {font: Open Sans}\n")
    finally:
        monkeypatch.undo()
        installed.look_again()
    assert outcome.path is None
    assert not (here / "out/ada/academic.pdf").exists()
    (one,) = outcome.diagnostics
    assert fault in one.message
    assert one.hint


@pytest.mark.usefixtures("requires_embedded")
def test_a_font_of_one_s_own(here: Path) -> None:
    """By one name, with those beside it; in PDF, on a page and for Word."""
    (here / "people").mkdir()
    own = {path.stem: path for path in found("Open Sans").paths}
    text = "name: Ada Example\noptions: {font: House-Regular.ttf}\nsummary: '*One* and **bold**.'\n"
    fonts = set()
    for name in ("Regular", "Bold", "Italic"):
        shutil.copy(own[f"OpenSans-{name}"], here / f"House-{name}.ttf")
        fonts.add(f"OpenSans-{name}")
        outcome = build(text, "industry")
        assert outcome.fonts == "Open Sans"
        assert [one.code for one in outcome.notes].count("font-shapes") == (name != "Italic")
        assert fonts_of(made(outcome)) - {"CvbSpace"} == fonts
    shutil.copy(found("Lato").paths[0], here / "House-Regular.ttf")
    assert build(text, "industry").fonts == "Lato"
    task = replace(prepare(text, "industry"), format="html")
    page = made(pipeline.build(task)).read_text("utf-8")
    assert page.count("@font-face") == 3


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
def test_what_is_as_wide_as_times_and_arial(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TeX Gyre's files, else all four of another family: never some of one and some of another."""
    fonts = here / "system"
    fonts.mkdir()
    monkeypatch.setattr(installed, "_places_of_system", lambda: (fonts,))
    families = {
        "LiberationSans": ("-Regular.ttf", "-Italic.ttf", "-Bold.ttf", "-BoldItalic.ttf"),
        "texgyreheros": ("-regular.otf", "-italic.otf", "-bold.otf", "-bolditalic.otf"),
    }
    text = "name: Ada Example\noptions: {font: TeX Gyre Heros}\n"

    def seen() -> str:
        installed.look_again()
        outcome = build(text, "industry")
        (said,) = (one.hint for one in outcome.diagnostics) if not outcome.path else ("",)
        return str(said) if said else Path(str(typefaces.find("TeX Gyre Heros").paths[1])).name  # type: ignore[union-attr]

    try:
        assert "fonts-texgyre" in seen()
        for family, ends in families.items():
            for end, path in zip(ends, found("Open Sans").paths, strict=True):
                before = seen() if end == ends[-1] else ""
                shutil.copy(path, fonts / f"{family}{end}")
            assert family not in before
            assert seen() == f"{family}{ends[1]}"
    finally:
        monkeypatch.undo()
        installed.look_again()
