"""Fonts as files: made once and kept, made again where damaged, refused where they are unfit."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import deep
import pikepdf
import pytest
from faces import found
from fontTools.ttLib import TTFont
from msgspec.structs import replace
from papers import build, made, prepare

from cvbuild.building import pipeline
from cvbuild.outputs.pdf.fonts import face_cache, font_file, installed, text_fonts, typefaces
from cvbuild.outputs.pdf.fonts.installed import FontError
from cvbuild.outputs.pdf.fonts.layouts import BASE


@pytest.mark.parametrize("end", deep.but([".json"], [".json", ".tfm", ".pfb"]))
def test_a_damaged_font_is_made_again(end: str, tmp_path: Path) -> None:
    path = found("XCharter").paths[0]
    (first,) = face_cache.fonts(path, 0, [BASE], tmp_path)
    (file,) = (one for one in face_cache.folder(tmp_path).iterdir() if one.suffix == end)
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
        assert font_file.coverage(path) == frozenset()
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
    assert not (here / "out/ada/academic.pdf").exists()
    (one,) = outcome.diagnostics
    assert fault in one.message
    assert one.hint


@pytest.mark.usefixtures("requires_embedded")
def test_a_font_of_one_s_own(here: Path) -> None:
    """By one name, with its bold beside it, then by a mapping; in PDF, on a page and for Word."""
    (folder := here / "people").mkdir()
    own = {path.stem: path for path in found("Open Sans").paths}
    for name in ("Regular", "Bold"):
        shutil.copy(own[f"OpenSans-{name}"], here / f"House-{name}.ttf")
    shutil.copy(own["OpenSans-Italic"], folder / "slanted.ttf")
    text = "name: Ada Example\noptions: {font: FILES}\nsummary: 'Both *slanted* and **bold**.'\n"
    names = "{regular: House-Regular.ttf, italic: slanted.ttf}"
    shown = {
        "House-Regular.ttf": {"OpenSans-Regular", "OpenSans-Bold"},
        names: {"OpenSans-Regular", "OpenSans-Bold", "OpenSans-Italic"},
    }
    for files, fonts in shown.items():
        outcome = build(text.replace("FILES", files), "industry")
        assert outcome.fonts == "Open Sans"
        assert [one.code for one in outcome.notes].count("font-shapes") == (files != names)
        with pikepdf.open(made(outcome)) as pdf:
            used = {str(f.BaseFont)[8:] for p in pdf.pages for f in p.Resources.Font.values()}
        assert used - {"CvbSpace"} == fonts
    shutil.copy(found("Lato").paths[0], here / "House-Regular.ttf")
    assert build(text.replace("FILES", names), "industry").fonts == "Lato"
    task, settings = prepare(text.replace("FILES", names), "industry")
    page = made(pipeline.build(replace(task, format="html"), settings)).read_text("utf-8")
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
        typefaces.look_again()
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
        typefaces.look_again()
