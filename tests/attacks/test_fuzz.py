"""Any file near one that people write is built, or gets a located error; never a traceback.

Examples and small files with each text field: values become others, keys go, come and are swapped,
and now and then bytes change.
"""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import deep
import pytest
import yaml
from attacks.table import rows
from attacks.text_fields import fields, tex_of
from conftest import Run
from deep import ALL
from lettered import request_on
from profiles import DAY

from cvbuild.building import pipeline, profiles
from cvbuild.common import limits
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, TemplateError
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml.source import parse
from cvbuild.outputs.pdf import Job, latex
from cvbuild.outputs.pdf.latex.typography import Setting
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.types import Task, find_output

LIBRARY = Library.at()
#: How many files are drawn.
MANY, BUILT = (3_000, 100) if ALL else (60, 10)
#: Errors about a whole file.
WHOLE = ("yaml-empty", "yaml-encoding", "yaml-too-large", "more", "yaml-more")
EXAMPLES = [
    yaml.safe_load(path.read_text("utf-8"))
    for path in sorted(Path(__file__).parents[1].glob("shapes/*.yaml"))
]
SMALL = [one.data("2020") for one in fields() if not one.letter]
TEXTS = (*rows("drawn texts"), *rows("drawn dates"), "none.png", "../x", "a and not b")
#: Values of other forms than a field has.
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 12, 2.5, 10**30, [], {}, [[]], [None], {"": ""}, {"value": "x"},
    {"start": "2020", "end": "2019"}, {"text": "soon"}, {"en": "one", "de": "two"},
    {"klingon": "x"}, {"en": ["x"]},
)  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(inner, dict | list):
            yield from places(inner)


#: Each key with the values that it has somewhere.
KEYS: dict[str, list[Any]] = {}
for whole in (*EXAMPLES, *SMALL):
    for mapping, key in places(whole):
        if isinstance(mapping, dict):
            KEYS.setdefault(key, []).append(mapping[key])


def change(data: Any, drawn: random.Random) -> None:
    within, at = drawn.choice([*places(data)])
    other = drawn.choice([*KEYS])
    noise = "".join(drawn.choices("ab*_`[](){}<>\\$%&#^~:/.@\u202b\u0301\0 ", k=30))
    match drawn.randrange(4):
        case 0 if len(within) > 1:
            del within[at]
        case 1 if isinstance(within, dict):
            within[other] = copy.deepcopy(drawn.choice(KEYS[other]))
        case _:
            same = [within[at]] * drawn.randrange(3)
            private = {"value": within[at], "private": drawn.choice((True, False, "maybe"))}
            values = (drawn.choice(ODD), drawn.choice(TEXTS), same, private, noise)
            within[at] = copy.deepcopy(drawn.choice((*values, drawn.choice(KEYS.get(at, ODD)))))


def smaller(example: dict[str, Any], drawn: random.Random) -> dict[str, Any]:
    sections = example.get("sections", [])
    return {**example, "sections": drawn.sample(sections, min(2, len(sections)))}


class _Dumper(yaml.SafeDumper):
    """Writes each value where it is used, since files have no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


def files(name: str) -> Iterator[bytes]:
    """Draw files without end: as they are written, seldom with bytes changed."""
    drawn = random.Random(f"{os.environ.get('CVBUILD_ATTACK_SEED')} {name}")
    while True:
        base = smaller(drawn.choice(EXAMPLES), drawn) if drawn.randrange(2) else drawn.choice(SMALL)
        data = copy.deepcopy(base)
        for _ in range(drawn.choice((0, 0, 1, 2, 4, 12))):
            change(data, drawn)
        text = yaml.dump(
            data,
            Dumper=_Dumper,
            allow_unicode=drawn.random() < 0.5,
            default_flow_style=drawn.choice((None, False, True)),
        )
        made = text.encode("utf-8", "surrogatepass")
        if not drawn.randrange(8):
            at = drawn.randrange(len(made) + 1)
            made = made[:at] + drawn.randbytes(2) + made[at + drawn.randrange(3) :]
        yield made


def _is_located(item: Diagnostic) -> bool:
    span = item.span
    needs_no_hint = item.severity != "error" or item.code == "verify-private"
    return bool(span and (span.line > 0 or item.code in WHOLE) and (item.hint or needs_no_hint))


def _try(folder: Path, content: bytes) -> str:
    """Check a person's file, and make what needs no TeX; return how it ended."""
    person = Person("ada", folder / "ada.yaml")
    person.path.write_bytes(content)
    public = profiles.check(person, LIBRARY)
    private = profiles.check(person, LIBRARY, private=True)
    found = (*public.diagnostics, *private.diagnostics)
    wrong = [str(item) for item in found if not _is_located(item)]
    assert not wrong, content
    assert public.profile is not None or any(item.severity == "error" for item in found)
    for checked in (public, private):
        if checked.profile is not None:
            shown = pipeline.choose(profiles.task(checked, "academic", request_on(DAY)))
            for name in ("txt", "json"):
                output: Any = find_output(name)
                assert output.make(shown).content
            for unicode in (False, True):
                tex = tex_of(shown, Setting(unicode=unicode), folder)
                assert tex.endswith("\\end{document}\n")
    return "valid" if public.profile else "refused"


def test_any_file_is_valid_or_gets_located_errors(tmp_path: Path) -> None:
    ends = []
    for _, content in zip(range(MANY), files("checked"), strict=False):
        try:
            ends.append(_try(tmp_path, content))
        except Exception as error:
            error.add_note(content.decode("utf-8", "replace"))
            raise
    for end in ("valid", "refused"):
        assert ends.count(end) > len(ends) / 20, end


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
def test_any_valid_file_is_built_or_gets_located_errors(run: Run, here: Path) -> None:
    Path("people").mkdir()
    valid = (content for content in files("built") if _try(here, content) == "valid")
    for number, content in zip(range(BUILT), valid, strict=False):
        Path(f"people/p{number}.yaml").write_bytes(content)
    ran = json.loads(run("build", "--engine", "embedded", "-t", "academic", "--json").out)
    assert len(ran["documents"]) >= BUILT / 4
    for one in ran["documents"]:
        if one["path"] is None:
            written = Path(f"people/{one['person']}.yaml").read_text(
                encoding="utf-8", errors="replace"
            )
            errors = [item for item in one["diagnostics"] if item["severity"] == "error"]
            assert errors, written
            assert all(item["line"] for item in errors), (written, errors)


MEMORY = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="only Linux limits the memory of a process"
)
LARGE = rows("large templates")
LONG = rows("long templates")


def rendered(code: str, folder: Path) -> Job:
    own = folder / "templates" / "endless"
    own.mkdir(parents=True)
    manifest = "api: 1\ntitle: E\ndescription: E.\nextends: academic\n"
    (own / "template.yaml").write_text(manifest, "utf-8")
    (own / "document.tex.j2").write_text(code, "utf-8")
    source = parse("name: Ada Example\n", "ada.yaml")
    request = request_on(DAY, template_path=(str(own.parent),))
    person = Person("ada", Path("ada.yaml"))
    shown = pipeline.choose(Task(person, validate(source), source, "endless", request))
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
        person, request = Person("ada", Path("ada.yaml")), request_on(DAY)
        shown = pipeline.choose(Task(person, profile, source, "academic", request))
        assert tex_of(shown, Setting(), tmp_path)


def test_ordinary_arithmetic_stays(tmp_path: Path) -> None:
    code = "<% if 2 * 3 == 6 and 2 ** 10 == 1024 and 0.5 * 4 == 2 %>yes<% endif %>"
    assert rendered(code, tmp_path).tex == "yes"
