"""Any profile that the schema lets one draw is built, or gets a located error; never a traceback.

Values are mostly of the form that the schema asks for, and sometimes of another one.
"""

from __future__ import annotations

import json
import os
import tempfile
import types
from collections.abc import Callable
from datetime import date as Day
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import pytest
import yaml
from attack_counts import ALL
from attacks.table import rows
from conftest import Run
from hypothesis import HealthCheck, Phase, configuration, given, seed, settings
from hypothesis import strategies as st
from profiles import DAY
from pydantic import BaseModel

from cvbuild.building import plan
from cvbuild.building.check import profiles
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation.slots import bare
from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap, Prose, Shorthand
from cvbuild.model.dates import Date, Point
from cvbuild.model.kinds import KINDS
from cvbuild.model.tag_rules import Rule
from cvbuild.outputs import registry
from cvbuild.outputs.pdf.scripts.runs import Setting
from cvbuild.outputs.pdf.tex.types import Engine
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.outputs.styles.templates import Library

ATTACKS = "Property-based fuzz of a person's file"
# Hypothesis keeps tables there, by default in the working folder.
configuration.set_hypothesis_home_dir(Path(tempfile.gettempdir()) / "hypothesis")
LIBRARY = Library.at()
SEED = int(os.environ.get("CVBUILD_ATTACK_SEED") or 0)
#: How many profiles are drawn.
MANY, BUILT = (3_000, 100) if ALL else (150, 10)
#: Errors about a whole file.
WHOLE = ("yaml-empty", "yaml-encoding", "yaml-too-large")

PLAIN = st.sampled_from(rows("drawn texts"))
TEXT = PLAIN | st.text(max_size=20) | st.text("ab*_`[](){}<>\\$%&#^~:/.@\u202b\u0301", max_size=30)
DATES = st.sampled_from(rows("drawn dates"))
ANYTHING = st.recursive(
    st.none() | TEXT | st.booleans() | st.integers() | st.floats() | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
_LANGUAGES = st.sampled_from(("en", "de", "zh-Hant", "ar", "xx", "EN", "klingon", "pt-BR"))
BY_LANGUAGE = st.dictionaries(_LANGUAGES, TEXT, max_size=3)
#: Keys of which any value is likely wrong for most of what is drawn.
_SOMETIMES = {
    "locale": st.sampled_from(("en", "de", "ar", "zh", "he", "en-GB", "tlh", "x")),
    "template": st.sampled_from(("academic", "industry", "one-page", "short", "none")),
    "photo": st.sampled_from(("none.png", "../x", "/etc/passwd", "ada.yaml", "")),
    "kinds": st.sampled_from(("award", "skill", "summary", "none")),
    "tags": st.sampled_from(("a", "b", "and", "a b")),
}


def _wrong(right: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return what is mostly right, now and then something else, and sometimes private."""
    flag = st.sampled_from((True, False, "maybe", None))
    private = st.builds(lambda value, flag: {"value": value, "private": flag}, right, flag)
    return st.integers(0, 39).flatmap(
        lambda draw: ANYTHING if draw == 0 else private if draw == 1 else right
    )


def of(annotation: Any, key: str = "") -> st.SearchStrategy[Any]:
    """Return values for a type of the model."""
    annotation = bare(annotation)
    origin = get_origin(annotation)
    if key in _SOMETIMES:
        one = _SOMETIMES[key]
        return _wrong(one | st.lists(one, max_size=2) if origin is tuple else one)
    if origin is tuple:
        inner = of(get_args(annotation)[0])
        return _wrong(st.lists(inner, max_size=3) | inner)
    if origin is FrozenMap:
        return _wrong(st.dictionaries(TEXT, of(get_args(annotation)[1]), max_size=2))
    if origin is Literal:
        return _wrong(st.sampled_from(get_args(annotation)))
    if origin in (Union, types.UnionType):
        return _wrong(st.one_of(*map(of, get_args(annotation))))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return of_model(annotation)
    return _wrong(_scalar(annotation))


def _scalar(annotation: Any) -> st.SearchStrategy[Any]:
    if annotation in (Date, Point, Day):
        words = st.fixed_dictionaries({}, optional={"start": DATES, "end": DATES, "text": TEXT})
        return DATES | words
    if annotation is bool:
        return st.booleans()
    if annotation is int:
        return st.integers(-1, 12)
    if annotation is Rule:
        return st.sampled_from(("a", "a and not b", "(", "not", "a b", "x" * 50))
    if annotation in (str, Prose):
        return TEXT | BY_LANGUAGE
    return ANYTHING


def of_model(model: type[BaseModel]) -> st.SearchStrategy[Any]:
    """Return values for a model: its required keys, some of the others, seldom one it hasn't."""
    made = st.deferred(lambda: _mapping(model))
    if issubclass(model, Shorthand):
        made |= TEXT | BY_LANGUAGE
    return _wrong(made)


def _mapping(model: type[BaseModel]) -> st.SearchStrategy[Any]:
    required: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for name, field in model.model_fields.items():
        key = field.alias or name
        if key == "sections":
            optional[key] = st.lists(st.one_of(*map(_section, KINDS)), max_size=3)
        elif key != "kind":
            (required if field.is_required() else optional)[key] = of(field.annotation, key)
    return st.fixed_dictionaries(required).flatmap(lambda one: _some(one, optional))


def _some(
    given: dict[str, Any], optional: dict[str, st.SearchStrategy[Any]]
) -> st.SearchStrategy[Any]:
    """Return the mapping with up to four of the optional keys, and seldom a wrong one."""
    if not optional:
        return st.just(given)
    names = st.lists(st.sampled_from(sorted(optional)), max_size=4, unique=True)
    more = names.flatmap(lambda keys: st.fixed_dictionaries({key: optional[key] for key in keys}))
    extra = st.integers(0, 39).flatmap(
        lambda draw: st.dictionaries(TEXT, ANYTHING, max_size=1) if draw == 0 else st.just({})
    )
    return st.builds(lambda a, b: {**given, **a, **b}, more, extra)


def _section(kind: str) -> st.SearchStrategy[Any]:
    section = KINDS[kind].section
    assert section
    return of_model(section).map(
        lambda one: {"kind": kind, **one} if isinstance(one, dict) else one
    )


PEOPLE = of_model(Profile).map(lambda one: one if isinstance(one, dict) else {"name": one})


class _Dumper(yaml.SafeDumper):
    """Writes each value where it is used, since files have no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        return True


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Return a person's file, seldom with bytes changed."""
    data = draw(PEOPLE)
    if draw(st.integers(0, 9)):
        data = {"name": "Ada Example", **{k: v for k, v in data.items() if k != "name"}}
    flow = draw(st.sampled_from((None, False, True)))
    text = yaml.dump(
        data, Dumper=_Dumper, allow_unicode=draw(st.booleans()), default_flow_style=flow
    )
    made = text.encode("utf-8", "surrogatepass")
    for _ in range(draw(st.sampled_from((0, 0, 0, 0, 0, 0, 1, 3)))):
        at = draw(st.integers(0, len(made)))
        made = made[:at] + draw(st.binary(max_size=3)) + made[at + draw(st.integers(0, 3)) :]
    return made


def _is_located(item: Diagnostic) -> bool:
    span = item.span
    return bool(span and (span.line > 0 or item.code in WHOLE) and (item.hint or _says_all(item)))


def _says_all(item: Diagnostic) -> bool:
    """Return whether the message needs no hint."""
    return item.severity != "error" or item.code == "verify-private"


def _try(folder: Path, content: bytes) -> str:
    """Check a person's file, and make what needs no TeX; return how it ended."""
    person = Person("ada", folder / "ada.yaml")
    person.path.write_bytes(content)
    public = profiles.check(person, LIBRARY)
    private = profiles.check(person, LIBRARY, private=True)
    found = (*public.diagnostics, *private.diagnostics)
    wrong = [str(item) for item in found if not _is_located(item)]
    assert not wrong
    assert public.profile is not None or any(item.severity == "error" for item in found)
    for checked in (public, private):
        for task in profiles.tasks([checked], ["academic"]):
            _make(task, folder)
    return "valid" if public.profile else "refused"


def _make(task: Any, folder: Path) -> None:
    shown = plan.choose(task, LIBRARY, None, DAY)
    for name in ("txt", "json"):
        output: Any = registry.find(name)
        assert output.make(shown).content
    for unicode in (False, True):
        engine = Engine("pdflatex", "system", Path("pdflatex"), "")
        setting = Setting(unicode=unicode)
        setter = Typesetter(
            shown, engine, None, folder, folder, folder, setting=setting  # type: ignore[arg-type]
        )  # fmt: skip
        assert setter.render(shown.selected, {}).tex.endswith("\\end{document}\n")


CONFIGURED = settings(
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
    print_blob=False,
)


def test_any_file_is_valid_or_gets_located_errors(
    tmp_path: Path, tried: Callable[[int], None]
) -> None:
    ends: list[str] = []

    @seed(SEED)
    @settings(CONFIGURED, max_examples=MANY)
    @given(files())
    def each(content: bytes) -> None:
        ends.append(_try(tmp_path, content))

    each()
    tried(len(ends))
    for end in ("valid", "refused"):
        assert ends.count(end) > len(ends) / 20, end
    assert not Path(".hypothesis").exists()


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
def test_any_valid_file_is_built_or_gets_located_errors(
    run: Run, tried: Callable[[int], None], here: Path
) -> None:
    Path("people").mkdir()

    @seed(SEED)
    @settings(CONFIGURED, max_examples=12 * BUILT)
    @given(files())
    def collect(content: bytes) -> None:
        number = len(list(Path("people").iterdir()))
        if number < BUILT and _try(here, content) == "valid":
            Path(f"people/p{number}.yaml").write_bytes(content)

    collect()
    ran = json.loads(run("build", "--engine", "embedded", "-t", "academic", "--json").out)
    tried(len(ran["documents"]))
    assert len(ran["documents"]) >= BUILT / 4
    for one in ran["documents"]:
        if one["path"] is None:
            content = Path(f"people/{one['person']}.yaml").read_text(
                encoding="utf-8", errors="replace"
            )
            errors = [item for item in one["diagnostics"] if item["severity"] == "error"]
            assert errors, content
            assert all(item["line"] for item in errors), (content, errors)
