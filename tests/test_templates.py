"""The packages of cvb-core, and the three parts of the .tex: head, setup and text."""

from __future__ import annotations

from pathlib import Path

import deep
import pikepdf
import pytest
from conftest import Run
from msgspec.structs import replace
from papers import build, document, made
from texlive import engine_of
from told import messages, same

from cvbuild.common.diagnostics import TemplateError
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.outputs.pdf import Job
from cvbuild.outputs.pdf.output import as_pdf
from cvbuild.outputs.pdf.typeset import Pdf
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.templates import Library, Template
from cvbuild.outputs.types import Shown

pytestmark = pytest.mark.usefixtures("here")
COUNTED = r"""
\ProvidesExplPackage {cvb-counted} {2026-01-01} {1} {Counted}
\RequirePackageWithOptions {cvb-STYLE}
\AddToHook {begindocument/end} { \tex_tracingmacros:D = 1 \scan_stop: }
"""


def expansions(folder: Path, style: str, entries: int) -> int:
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


def overlaid(made: Shown, name: str, text: str) -> Pdf:
    own = made.request.out / "own"
    own.mkdir(parents=True)
    (own / name).write_text(text, "utf-8")
    template = replace(made.template, folders=(own, *made.template.folders))
    return replace(as_pdf(made), template=template, drafts={})


def rendered(text: str, folder: Path, template: str, engine: str) -> Job:
    made = document(text, template, folder=folder, engine=engine)
    setter = replace(as_pdf(made), ident="0" * 64)
    density = made.template.manifest.tex.density
    return setter.render(made.selected, density[0] if density else {})


@pytest.mark.parametrize("template", deep.but(["academic", "plain"], Library.at().names()))
@pytest.mark.parametrize("engine", deep.but(["embedded"], ["pdflatex", "embedded"]))
def test_people_options_and_languages_share_a_head(
    template: str, engine: str, tmp_path: Path
) -> None:
    engine_of(engine)
    ada = rendered(ADA, tmp_path / "a", template, engine)
    bo = rendered(BO, tmp_path / "b", template, engine)
    assert ada.head == bo.head >= 3
    lines, others = ada.tex.split("\n"), bo.tex.split("\n")
    assert lines[: ada.head] == others[: bo.head]
    assert lines[ada.head : ada.setup] != others[bo.head : bo.setup]
    assert lines[ada.setup - 1] == others[bo.setup - 1] == r"\begin{document}"
    assert "Ada" not in "\n".join(lines[: ada.setup])


def test_footers_are_told_from_what_the_page_shows(tmp_path: Path) -> None:
    engine_of("embedded")
    made = rendered(BO, tmp_path, "academic", "embedded")
    assert [str(one) for one in made.preamble] == ["Stand Mai"]
    shown = [str(one) for block in made.blocks for one in block.contents]
    assert shown.count("Bo Other") == 1
    assert "Stand Mai" not in shown


def test_a_skeleton_without_the_lines_has_no_head() -> None:
    engine_of("embedded")
    made = document(ADA)
    skeleton = made.template.folders[-1] / "document.tex.j2"
    kept = [line for line in skeleton.read_text("utf-8").split("\n") if not line.startswith("%%")]
    plain = overlaid(made, skeleton.name, "\n".join(kept)).render(made.selected, {})
    assert plain.head == 0
    assert plain.tex.split("\n")[plain.setup - 1] == r"\begin{document}"


STYLE = r"""
\NeedsTeXFormat{LaTeX2e}
\ProvidesPackage{cvb-academic}[2024/01/01 Another family]
\RequirePackageWithOptions{cvb-core}
\CvbFont{headline}{\fontfamily{ptm}\selectfont}
"""


def test_a_family_besides_the_typeface_brings_its_fonts() -> None:
    engine_of("pdflatex")
    made = document(ADA, engine="pdflatex")
    setter = overlaid(made, "cvb-academic.sty", STYLE)
    typeset = setter.compile(setter.render(made.selected, {}))
    assert typeset.warnings == ()
    with pikepdf.open(typeset.content) as opened:
        fonts = opened.pages[0].Resources.Font.values()
        assert {str(font.Subtype) for font in fonts} == {"/Type1"}
        assert "NimbusRomNo9L-Regu" in {str(font.BaseFont)[8:] for font in fonts}


OWN = "api: 1\ntitle: T\ndescription: D.\n"
TEX = "tex: {style: cvb-a}\n"


def write(name: str, text: str) -> None:
    folder = Path("templates") / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "template.yaml").write_text(text, "utf-8")


def find(name: str, text: str = "") -> Template:
    if text:
        write(name, text)
    return Library.at(Path("templates")).find(name)


def faults(text: str) -> list[str]:
    with pytest.raises(TemplateError) as caught:
        find("mine", text)
    return [str(item) for item in caught.value.diagnostics]


def test_a_manifest_of_four_lines_is_another_academic() -> None:
    mine, base = find("mine", OWN + "extends: academic\n"), Library.at().find("academic")
    assert [folder.name for folder in mine.folders] == ["mine", "academic", "_core"]
    assert mine.manifest.tex == base.manifest.tex
    assert mine.manifest.options == base.manifest.options
    assert mine.manifest.title == "T"


def test_single_keys_of_an_option_and_of_tex_differ() -> None:
    changes = (
        "extends: academic\ntex: {style: cvb-mine, needs: {x.sty: x}}\n"
        "options: {margin: {default: 30}, paper: {type: text, default: x, doc: P}, mine: "
        "{type: flag, default: no, doc: M}}\n"
    )
    mine, base = find("mine", OWN + changes).manifest, Library.at().find("academic").manifest
    assert mine.tex.style == "cvb-mine"
    assert dict(mine.tex.needs) == {**base.tex.needs, "x.sty": "x"}
    assert list(mine.options) == [*base.options, "mine"]
    changed = base.options["margin"].model_copy(update={"default": "30"})
    assert mine.options["margin"] == changed
    assert mine.options["paper"].choices == ()
    same = mine.options.keys() - {"margin", "paper", "mine"}
    assert all(mine.options[name] == base.options[name] for name in same)


def test_a_chain_of_templates() -> None:
    write("first", OWN + TEX + "without: [size, embed]\noptions: {margin: {default: 15}}\n")
    last = find("last", OWN + "extends: first\noptions: {margin: {max: 20}}\n").manifest
    assert (last.options["margin"].default, last.options["margin"].max) == ("15", 20)
    assert not {"size", "embed"} & last.options.keys()
    assert last.without == ()
    # It is read again when one below is edited.
    write("first", OWN + TEX + "options: {margin: {default: 16.5}}\n")
    again = find("last").manifest
    assert again.options["margin"].default == "16.5"
    assert "size" in again.options


@pytest.mark.parametrize(("text", "told"), messages("bad/manifests.txt"))
def test_what_is_wrong_has_a_place(text: str, told: list[str]) -> None:
    assert same([one.removeprefix("templates/mine/template.yaml:") for one in faults(text)], told)


@pytest.mark.parametrize("api", ["api: 2\n", "api: \n", ""])
def test_another_api_is_refused_below_too(api: str) -> None:
    write("old", f"{api}title: T\ndescription: D.\n{TEX}")
    (told,) = faults(OWN + "extends: old\n")
    assert told.startswith("templates/old/template.yaml:")
    assert told.endswith("; write api: 1")


def test_it_may_not_extend_itself() -> None:
    write("mine", OWN + "extends: other\n")
    write("other", OWN + "extends: mine\n")
    (told,) = faults(OWN + "extends: other\n")
    assert told == 'template "mine" extends itself'


def test_what_every_manifest_must_have_is_missing_in_that_one() -> None:
    with pytest.raises(TemplateError) as caught:
        find("mine", "api: 1\nextends: academic\n")
    assert {item.span.file for item in caught.value.diagnostics if item.span} == {
        str(Path("templates/mine/template.yaml"))
    }


@pytest.mark.parametrize("value", ["{top: 30}", "30", "{paper: letter, margin: {left: 40}}"])
def test_the_option_margin_and_the_template_margin(value: str) -> None:
    source = parse(f"name: A\ntemplate: margin\noptions: {{margin: {value}}}\n", "test.yaml")
    profile, library = validate(source), Library.at()
    templates.check(profile, source, library)
    for style in ("margin", "academic"):
        top, _, left, _ = templates.origins(library.find(style), profile)["margin"][0]
        assert (top == 30) is (value != "{paper: letter, margin: {left: 40}}")
        assert (left == 40) is (style == "margin" and "left" in value)


def test_folders_that_never_end_are_told_of(run: Run) -> None:
    write("mine", f"{OWN}{TEX}")
    deepest = Path("templates/mine")
    for _ in range(1200):
        deepest /= "a"
        deepest.mkdir()
    Path("people").mkdir()
    Path("people/ada.yaml").write_text("name: Ada Example\ntemplate: mine\n", "utf-8")
    for command in (["build"], ["status", "--why"], ["templates"]):
        ran = run(*command)
        assert (ran.code, "at most 20 deep" in ran.err) == (1, True)
    while deepest.name == "a":
        deepest.rmdir()
        deepest = deepest.parent
