"""Manifests of templates: what they inherit, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Run
from told import messages, same

from cvbuild.common.errors import TemplateError
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.outputs import templates
from cvbuild.outputs.templates import Library, Template

OWN = "api: 1\ntitle: T\ndescription: D.\n"
TEX = "tex: {style: cvb-a}\n"


def write(name: str, text: str) -> None:
    folder = Path("templates") / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "template.yaml").write_text(text, encoding="utf-8")


def find(name: str, text: str = "") -> Template:
    if text:
        write(name, text)
    return Library.at(Path("templates")).find(name)


def faults(text: str) -> list[str]:
    with pytest.raises(TemplateError) as caught:
        find("mine", text)
    return [str(item) for item in caught.value.diagnostics]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


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
    (told,) = faults_of_loop()
    assert told == 'template "mine" extends itself'


def faults_of_loop() -> list[str]:
    write("other", OWN + "extends: mine\n")
    return faults(OWN + "extends: other\n")


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
    Path("people/ada.yaml").write_text("name: Ada Example\ntemplate: mine\n", encoding="utf-8")
    for command in (["build"], ["status", "--why"], ["templates"]):
        ran = run(*command)
        assert (ran.code, "at most 20 deep" in ran.err) == (1, True)
    while deepest.name == "a":
        deepest.rmdir()
        deepest = deepest.parent
