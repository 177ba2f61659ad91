"""The packages of cvb-core, and the three parts of the .tex: head, setup and text."""

from __future__ import annotations

from pathlib import Path

import deep
import pikepdf
import pytest
from msgspec.structs import replace
from papers import build, made
from test_accessible import prepare
from texlive import engine_of

from cvbuild.outputs.pdf.latex import Rendered
from cvbuild.outputs.pdf.output import as_pdf
from cvbuild.outputs.pdf.typeset import Pdf
from cvbuild.outputs.templates import Library, Template

COUNTED = r"""
\ProvidesExplPackage {cvb-counted} {2026-01-01} {1} {Counted}
\RequirePackageWithOptions {cvb-STYLE}
\AddToHook {begindocument/end} { \tex_tracingmacros:D = 1 \scan_stop: }
"""


def expansions(folder: Path, style: str, entries: int) -> int:
    """How many macros TeX expands to set that many entries, each with two bullets."""
    template = folder / "templates" / "counted"
    template.mkdir(parents=True, exist_ok=True)
    (template / "template.yaml").write_text(
        f"api: 1\ntitle: Counted\ndescription: Counts.\nextends: {style}\n"
        "tex: {style: cvb-counted}\n"
    )
    (template / "cvb-counted.sty").write_text(COUNTED.replace("STYLE", style))
    items = [
        f"      - {{title: Title {number}, employer: Employer, date: 2001,"
        " bullets: [A text of some words, Another text of some words]}"
        for number in range(entries)
    ]
    text = "\n".join(
        ["name: Ada Example", "sections:", "  - kind: experience", "    items:", *items]
    )
    made(build(text, "counted", folder=folder, template_path=(str(folder / "templates"),)))
    return (folder / "out/.build/ada/counted/cv.log").read_bytes().count(b"->")


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.deep
@pytest.mark.parametrize("style", ["academic", "margin"])
def test_a_block_costs_few_expansions(style: str, tmp_path: Path) -> None:
    # Macros are all of TeX's time. When each block searched a list of its keys, one cost 3,200 to
    # 4,300, now 900 in academic.
    few, many = (expansions(tmp_path, style, entries) for entries in (10, 30))
    assert few < many < few + 20 * 3 * 1500


ADA = """\
name: Ada Example
headline: Engineer
interests: [Compilers]
sections:
  - kind: experience
    items:
      - {employer: Example, date: 2020 to present, bullets: ["Made *it* — `x_1` **twice**."]}
"""
BO = """\
name: Bo Other
locale: de
options: {accent: "7A1F3D", size: 11, margin: 18, paper: letter, dates: left, footer: Stand Mai}
summary: Ein Text.
"""


def styled(setter: Pdf, template: Template) -> Pdf:
    """The same typesetter with another style."""
    return replace(setter, template=template, drafts={})


def rendered(text: str, folder: Path, template: str, engine: str, cache: Path) -> Rendered:
    folder.mkdir()
    path = folder / "person.yaml"
    path.write_text(text, encoding="utf-8")
    made = prepare(path, template, folder, cache, engine)
    setter = replace(as_pdf(made), ident="0" * 64)
    density = made.template.manifest.tex.density
    return setter.render(made.selected, density[0] if density else {})


@pytest.mark.parametrize("template", deep.but(["academic", "plain"], Library.at().names()))
@pytest.mark.parametrize("engine", deep.but(["embedded"], ["pdflatex", "embedded"]))
def test_people_options_and_languages_share_a_head(
    template: str, engine: str, tmp_path: Path, tex_cache: Path
) -> None:
    engine_of(engine)
    ada = rendered(ADA, tmp_path / "a", template, engine, tex_cache)
    bo = rendered(BO, tmp_path / "b", template, engine, tex_cache)
    assert ada.head == bo.head >= 3
    lines, others = ada.tex.split("\n"), bo.tex.split("\n")
    assert lines[: ada.head] == others[: bo.head]
    assert lines[ada.head : ada.setup] != others[bo.head : bo.setup]
    assert lines[ada.setup - 1] == others[bo.setup - 1] == r"\begin{document}"
    assert "Ada" not in "\n".join(lines[: ada.setup])


def test_footers_are_told_from_what_the_page_shows(tmp_path: Path, tex_cache: Path) -> None:
    engine_of("embedded")
    made = rendered(BO, tmp_path / "b", "academic", "embedded", tex_cache)
    assert [str(one) for one in made.preamble] == ["Stand Mai"]
    shown = [str(one) for block in made.blocks for one in block.contents]
    assert shown.count("Bo Other") == 1
    assert "Stand Mai" not in shown


def test_a_skeleton_without_the_lines_has_no_head(tmp_path: Path, tex_cache: Path) -> None:
    engine_of("embedded")
    path = tmp_path / "person.yaml"
    path.write_text(ADA, encoding="utf-8")
    made = prepare(path, "academic", tmp_path, tex_cache, "embedded")
    own = tmp_path / "own"
    own.mkdir()
    skeleton = made.template.folders[-1] / "document.tex.j2"
    kept = [line for line in skeleton.read_text("utf-8").split("\n") if not line.startswith("%%")]
    (own / skeleton.name).write_text("\n".join(kept), encoding="utf-8")
    template = replace(made.template, folders=(own, *made.template.folders))
    plain = styled(as_pdf(made), template).render(made.selected, {})
    assert plain.head == 0
    assert plain.tex.split("\n")[plain.setup - 1] == r"\begin{document}"


STYLE = r"""
\NeedsTeXFormat{LaTeX2e}
\ProvidesPackage{cvb-academic}[2024/01/01 Another family]
\RequirePackageWithOptions{cvb-core}
\CvbFont{headline}{\fontfamily{ptm}\selectfont}
"""


def test_a_family_besides_the_typeface_brings_its_fonts(tmp_path: Path, tex_cache: Path) -> None:
    engine_of("pdflatex")
    path = tmp_path / "person.yaml"
    path.write_text(ADA, encoding="utf-8")
    made = prepare(path, "academic", tmp_path, tex_cache, "pdflatex")
    own = tmp_path / "own"
    own.mkdir()
    (own / "cvb-academic.sty").write_text(STYLE, encoding="utf-8")
    template = replace(made.template, folders=(own, *made.template.folders))
    setter = styled(as_pdf(made), template)
    typeset = setter.compile(setter.render(made.selected, {}))
    assert typeset.warnings == ()
    with pikepdf.open(typeset.content) as opened:
        fonts = opened.pages[0].Resources.Font.values()
        assert {str(font.Subtype) for font in fonts} == {"/Type1"}
        names = {str(font.BaseFont)[8:] for font in fonts}
    assert "NimbusRomNo9L-Regu" in names
