"""Small capitals, old-style figures and weights between: drawn from a face, named by a style."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import deep
import pikepdf
import pytest
from faces import NAMES, found, texts
from papers import build, folded, made

from cvbuild.building.outcome import Outcome
from cvbuild.outputs.pdf.fonts import font_file, layouts, text_fonts, typefaces
from cvbuild.outputs.pdf.fonts.layouts import BASE, Cut
from cvbuild.outputs.pdf.fonts.typefaces import TYPEFACES
from cvbuild.outputs.styles.templates import Library

CAPS = BASE.as_cut(Cut(layouts.OLD_STYLE, caps=True))


@pytest.mark.parametrize("name", deep.but(NAMES[::4], NAMES))
def test_what_a_typeface_lacks(name: str) -> None:
    regular, _, bold, _ = found(name).paths
    with font_file.opened(regular) as face, font_file.opened(bold) as heavier:
        digits = {face.font.getGlyphName(face.glyphs[ord(c)]) for c in "0123456789"}
        letter = {face.font.getGlyphName(face.glyphs[ord("a")])}
        mixed = text_fonts.drawn(face, BASE.as_cut(Cut(heavier=bold)), heavier)
        have = {
            typefaces.CAPS: font_file.replaced(face.font, letter, "smcp", "latn"),
            typefaces.FIGURES: font_file.replaced(face.font, digits, "onum", "latn"),
            typefaces.SEMIBOLD: mixed.name.endswith("-SemiBold"),
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
@pytest.mark.usefixtures("here", "requires_embedded")
@pytest.mark.parametrize("font", deep.but(["Lato"], ["EB Garamond", "Lato"]))
def test_cuts_extract_as_written(font: str) -> None:
    check_cuts("embedded", font)


@pytest.mark.usefixtures("here", "requires_embedded")
def test_a_style_names_its_cuts() -> None:
    outcome = in_caps(
        "name: A\nsections: [{kind: text, title: T, items: [x]}]\n",
        MANIFEST.replace("caps: true, ", "").replace("academic", "industry"),
        STYLE.replace("academic", "industry"),
    )
    assert outcome.path is None
    assert "write tex: {caps: true}" in str(outcome.diagnostics[0])


@pytest.mark.usefixtures("here", "requires_embedded")
def test_a_colour_that_nobody_defined_is_told_with_its_line() -> None:
    lines = (*STYLE.splitlines(), r"\CvbColour { cvb-x } { black!20!cvb-none }", "")
    (error,) = in_caps("name: A\n", style="\n".join(lines)).diagnostics
    assert "No colour is called cvb-none (cvb-caps.sty:6); define it before" in error.message
