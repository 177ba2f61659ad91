"""A template without end stops, in time and memory, with its place; a long text is read in time."""

from __future__ import annotations

import json
from pathlib import Path

import deep
import pytest
from attacks.table import rows
from attacks.text_fields import tex_of
from lettered import request_on
from profiles import DAY

from cvbuild.building import pipeline
from cvbuild.common import limits
from cvbuild.common.errors import CvbuildError, TemplateError
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.outputs.pdf import latex
from cvbuild.outputs.pdf.latex.typography import Setting
from cvbuild.outputs.types import Task

MEMORY = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="only Linux limits the memory of a process"
)
LARGE = rows("large templates")
LONG = rows("long templates")


def rendered(code: str, folder: Path) -> latex.Rendered:
    """Render with a template whose skeleton is this code."""
    own = folder / "templates" / "endless"
    own.mkdir(parents=True)
    manifest = "api: 1\ntitle: E\ndescription: E.\nextends: academic\n"
    (own / "template.yaml").write_text(manifest, encoding="utf-8")
    (own / "document.tex.j2").write_text(code, encoding="utf-8")
    source = parse("name: Ada Example\n", "ada.yaml")
    task = Task(Person("ada", Path("ada.yaml")), validate(source), source, "endless")
    request = request_on(DAY, template_path=(str(own.parent),))
    shown = pipeline.choose(task, request)
    return latex.draft(shown.view, shown.template, "", {}, folder).rendered(Setting())


@MEMORY
@pytest.mark.parametrize("code", deep.but([one for one in LARGE if "range(60)" not in one], LARGE))
def test_what_would_fill_the_memory_is_an_error_with_a_place(code: str, tmp_path: Path) -> None:
    with pytest.raises(TemplateError) as caught:
        rendered(code, tmp_path)
    (found,) = caught.value.diagnostics
    assert found.span is not None
    assert "endless" in found.span.file
    assert found.hint


@pytest.mark.parametrize("code", deep.but(LONG[:1], LONG))
def test_what_would_never_end_is_an_error_with_a_place(code: str, tmp_path: Path) -> None:
    with limits.seconds(0.3), pytest.raises(TemplateError) as caught:
        rendered(code, tmp_path)
    (found,) = caught.value.diagnostics
    assert found.code == "template-time"
    assert found.span is not None
    assert found.span.file.endswith("document.tex.j2")
    if code.startswith("a\n"):
        assert found.span.line == 2


#: The longest text that a file may have of what once took the square of its length, or more.
SLOW = {
    "spaces": "a" + " " * 19_990 + "b",
    "stars": "**a *b " * 2_500,
    "brackets": "[" * 9_990 + "a" + "]" * 9_990,
    "backticks": "`" * 19_990,
    "marks on a letter": "a" + "\u0301" * 19_990,
    "Chinese characters": "\u4e2d\u6587" * 9_990,
    "turned directions": "(\u0639)" * 6_000,
}


@pytest.mark.parametrize("name", SLOW)
def test_a_long_text_is_set_or_refused_in_the_time_of_a_build(name: str, tmp_path: Path) -> None:
    with limits.seconds(30):
        try:
            source = parse(f"name: Ada Example\nsummary: {json.dumps(SLOW[name])}\n", "ada.yaml")
            profile = validate(source)
        except CvbuildError:
            return
        task = Task(Person("ada", Path("ada.yaml")), profile, source, "academic")
        shown = pipeline.choose(task, request_on(DAY))
        assert tex_of(shown, Setting(), tmp_path)


def test_ordinary_arithmetic_stays(tmp_path: Path) -> None:
    code = "<% if 2 * 3 == 6 and 2 ** 10 == 1024 and 0.5 * 4 == 2 %>yes<% endif %>"
    assert rendered(code, tmp_path).tex == "yes"
