"""Twice the text takes about twice the time, and a template without end stops.

Times are compared with one another, never with a number of seconds.
"""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import deep
import pytest
from attack_counts import sample
from attacks.table import rows
from profiles import DAY
from pydantic import TypeAdapter, ValidationError

from cvbuild.building import plan
from cvbuild.common import limits, user_cache
from cvbuild.common.errors import CvbuildError, TemplateError
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.model import letter, letter_body
from cvbuild.model.base import Prose
from cvbuild.model.dates import Date
from cvbuild.model.text import lines, rich_text, urls
from cvbuild.outputs import text_folding, typefaces
from cvbuild.outputs.pdf.expected import PrintedBlock
from cvbuild.outputs.pdf.fonts import choose_tex_fonts
from cvbuild.outputs.pdf.fonts.choose_tex_fonts import FieldText
from cvbuild.outputs.pdf.latex import bidi, escape, render, runs
from cvbuild.outputs.pdf.latex import escape as latex
from cvbuild.outputs.pdf.latex.runs import Setting
from cvbuild.outputs.pdf.tex import log as texlog
from cvbuild.outputs.pdf.verify import find_texts, pdf_facts
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Task
from cvbuild.selection import select
from cvbuild.view import builder
from cvbuild.view.types import Content

ATTACKS = "Complexity and endless templates"
#: Twice the text takes less than this many times as long; four times if the time grows with the
#: square of the text's length.
MOST = 3.0
XCHARTER = typefaces.find("XCharter")


@pytest.fixture(scope="module", autouse=True)
def few_objects() -> Iterator[None]:
    """Garbage is looked for among what is made here, not among all that other tests keep."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def lasts(work: Callable[[], object]) -> float:
    """The CPU seconds of this thread, without those for collecting garbage."""
    gc.collect()
    gc.disable()
    try:
        began = time.thread_time()
        work()
        return time.thread_time() - began
    finally:
        gc.enable()


def growth(work: Callable[[Any], object], make: Callable[[int], object], size: int) -> float:
    one, two = make(size), make(2 * size)
    short = min(lasts(lambda: work(one)) for _ in range(3))
    return min(lasts(lambda: work(two)) for _ in range(3)) / short


def grows_evenly(work: Callable[[Any], object], make: Callable[[int], object], size: int) -> None:
    """Compare two sizes; again, if the machine was busy with something else."""
    found = []
    for step in (size, size, 2 * size):
        found.append(growth(work, make, step))
        if found[-1] < MOST:
            return
    pytest.fail(f"twice the text takes {found} times as long")


@pytest.fixture
def long_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """No limit on a text's length, which would hide how the time grows."""
    monkeypatch.setattr(lines, "MAX_LENGTH", 10**8, raising=False)


def prose(written: str) -> object:
    return Prose.of(written)


def refused(work: Callable[[Any], object]) -> Callable[[Any], None]:
    """The same; what was given must be refused."""

    def act(given: Any) -> None:
        with pytest.raises((CvbuildError, ValidationError, urls.UrlError)):
            work(given)

    return act


def checked(data: str) -> object:
    return validate(parse(data, "x.yaml"))


def scripts(written: str) -> object:
    faces = {(p, False): "face" for p in set(runs.pieces(written)) if not p.isascii()}
    setting = Setting(unicode=True, language="en", faces=faces)
    return latex.nodes((rich_text.Text(written),), setting)


def faces(written: str) -> object:
    assert XCHARTER
    texts, place = [FieldText(("x",), ((written, False),))], user_cache.folder()
    return choose_tex_fonts.choose(texts, XCHARTER, "en", place)


def levels(written: str) -> object:
    return bidi.levels(written, 0)


def last_line(line: str) -> object:
    return list(find_texts.bodies(["x\n" + line] * 2, "Ada Example", ("Ada",)))


def first_line(line: str) -> object:
    return list(find_texts.bodies(["x", line + "\nx"], "Ada Example", ()))


def in_pdf(texts: list[str]) -> object:
    """Look for the texts of one block in a PDF that has them."""
    block = PrintedBlock("x", tuple(Content((rich_text.Text(one),), ("x",)) for one in texts), ())
    page = text_folding.pages(["\n".join(texts)])
    assert find_texts.missing(page, [block], 10, lambda _: None) == []
    return page


def shown(authors: list[str]) -> object:
    listed = ", ".join(authors)
    data = f"{{kind: publication, items: [{{title: x, authors: [{listed}]}}]}}"
    source = parse(f"name: Ada Example\nsections: [{data}]\n", "x.yaml")
    return builder.build(select.select(validate(source), {}), {})


TEXTS: dict[str, tuple[Callable[[Any], object], Callable[[int], Any], int]] = {
    "spaces": (prose, lambda n: "a" + " " * n + "b", 30_000),
    "spaces before a line's end": (letter._lines, lambda n: "a" + " " * n + "b\nc", 10_000),
    "the spaces of a date": (
        refused(TypeAdapter(Date).validate_python), lambda n: "2020" + " " * n + "x", 20_000
    ),
    "full stops of an address": (
        refused(urls.normalise), lambda n: "/a@" + "a." * n + "@", 20_000
    ),
    "per cent signs of an address": (
        urls.normalise, lambda n: "https://example.org/" + "%" * n, 20_000
    ),
    "a letter's spaces": (
        letter_body.parse, lambda n: "a" + " " * n + "b\n\nc", 20_000
    ),
    "unknown keys": (
        refused(checked), lambda n: "name: A\n" + "".join(f"k{i}: x\n" for i in range(n)), 4_000
    ),
    "unknown languages": (
        refused(checked),
        lambda n: "name: A\nheadline: {en: a, "
        + ", ".join(f"q{i % 26 + 97:c}-{i:05}: x" for i in range(n))
        + "}\n",
        1_000,
    ),
    "aliases": (refused(checked), lambda n: "x: [" + "*a, " * n + "]\n", 20_000),
    "open brackets": (refused(checked), lambda n: "x: " + "[" * n, 20_000),
    "many errors": (
        refused(checked),
        lambda n: "name: A\nsections: [{kind: bullets, items: [" + "'', " * n + "]}]\n",
        3_000,
    ),
    "authors": (shown, lambda n: ["Bob Example"] * n, 1_500),
    "Chinese characters": (scripts, lambda n: "\u4e2d\u6587" * n, 8_000),
    "marks on one letter": (scripts, lambda n: "a" + "\u0301" * n, 10_000),
    "Arabic words": (scripts, lambda n: "\u0639\u0644\u064a " * n, 3_000),
    "slashes": (escape.words, lambda n: "a/" * n, 20_000),
    "a mark without a font": (faces, lambda n: "\u16a0" + "\u0301" * n, 5_000),
    "isolates side by side": (levels, lambda n: "a\u2067b\u2069" * n, 1_500),
    "isolates by their first letter": (levels, lambda n: "\u2068" * n + "\u0639", 3_000),
    "overrides": (levels, lambda n: "\u202ea\u202cb" * n, 1_500),
    "open embeddings, closed isolates": (
        levels, lambda n: "\u202a" * n + "\u2067" + "\u2069" * n, 5_000
    ),
    "brackets": (levels, lambda n: "(" * n + "\u0639" + ")" * n, 3_000),
    "folded spaces": (text_folding.fold, lambda n: "a" + " " * n + "b", 150_000),
    "folded hyphens": (text_folding.fold, lambda n: "a" + "-" * n + "b", 150_000),
    "equal texts": (in_pdf, lambda n: ["same"] * n, 500),
    "dots of a last line": (last_line, lambda n: ". " * n + "x", 10_000),
    "spaces of a first line": (first_line, lambda n: " " * n + "x", 20_000),
    "angle brackets in a PDF": (
        lambda t: pdf_facts._TAGS.sub("", t), lambda n: "<" * n, 200_000
    ),
    "a log of TeX": (texlog.parse, lambda n: "(" * n + "! x\n" + "a.b:c(" * n, 5_000),
    "nested emphasis": (prose, lambda n: "*a **b " * n + "b** a* " * n, 500),
    "brackets in brackets": (prose, lambda n: "[" * n + "a" + "]" * n, 2_000),
    "backticks": (prose, lambda n: "`" * n + "a", 5_000),
}  # fmt: skip


#: Two that took four times as long before they were mended; more of them are drawn.
FIRST = ("spaces before a line's end", "the spaces of a date")


@pytest.mark.parametrize(
    "name", deep.but(FIRST, dict.fromkeys([*FIRST, *sample(list(TEXTS), 12, "complexity")]))
)
@pytest.mark.usefixtures("long_texts")
def test_twice_the_text_takes_about_twice_the_time(name: str) -> None:
    grows_evenly(*TEXTS[name])


MEMORY = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="only Linux limits the memory of a process"
)
LARGE = rows("large templates")
LONG = rows("long templates")


def rendered(code: str, folder: Path) -> render.Rendered:
    """Render with a template whose skeleton is this code."""
    own = folder / "templates" / "endless"
    own.mkdir(parents=True)
    manifest = "api: 1\ntitle: E\ndescription: E.\nextends: academic\n"
    (own / "template.yaml").write_text(manifest, encoding="utf-8")
    (own / "document.tex.j2").write_text(code, encoding="utf-8")
    library = Library.at(folder / "templates")
    source = parse("name: Ada Example\n", "ada.yaml")
    task = Task(Person("ada", Path("ada.yaml")), validate(source), source, "endless")
    shown = plan.choose(task, library, None, DAY)
    return render.draft(shown.view, shown.template, {}, {}, folder).rendered(Setting())


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


def test_ordinary_arithmetic_stays(tmp_path: Path) -> None:
    code = "<% if 2 * 3 == 6 and 2 ** 10 == 1024 and 0.5 * 4 == 2 %>yes<% endif %>"
    assert rendered(code, tmp_path).tex == "yes"


def test_limits_are_lifted_and_nest() -> None:
    with limits.seconds(60):
        with pytest.raises(limits.TimeUpError), limits.seconds(0.1):
            sum(one for one in itertools.count() if one < 0)
        assert sum(range(1000)) == 499500
    if Path("/proc/self/statm").exists():
        import resource

        before = resource.getrlimit(resource.RLIMIT_AS)
        with pytest.raises(MemoryError), limits.memory(64 << 20), limits.memory(64 << 20):
            bytearray(1 << 30)
        assert resource.getrlimit(resource.RLIMIT_AS) == before
        assert len(bytearray(128 << 20)) == 128 << 20
