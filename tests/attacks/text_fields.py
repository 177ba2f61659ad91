"""Every text field of a person's file and of a letter, with what puts a text into it.

They stand in fields.yaml, and in what is around the items of each kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date as Day
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from attacks.table import rows
from lettered import request_on
from msgspec.structs import asdict, replace
from profiles import DAY

from cvbuild.common.diagnostics import FieldPath
from cvbuild.inputs import letters
from cvbuild.inputs.letters import Draft
from cvbuild.inputs.people import Person
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml import writer
from cvbuild.inputs.yaml.source import parse
from cvbuild.outputs.pdf.latex.typography import Setting
from cvbuild.outputs.pdf.tex.job_folder import Engine
from cvbuild.outputs.pdf.typeset import Pdf
from cvbuild.outputs.types import Shown, Task

HARMLESS = "harmlessword"
#: Fields that take no words at all.
WORDLESS = ("contact.phone", "contact.birth-date.text", "contact.profiles.orcid")
_PERSON = {
    "name": "Ada Example",
    "contact": {"email": "ada@example.org"},
    "sections": [{"kind": "award", "items": [{"title": "T"}]}],
}
_LETTER = {"body": "T", "recipient": {"name": "Lin"}}


class Field(NamedTuple):
    """A text field: a path in a file, the last step of which is HARMLESS if it is a key."""

    name: str
    whole: dict[str, Any]
    path: FieldPath
    letter: bool

    def data(self, text: str) -> dict[str, Any]:
        needed = _LETTER if self.letter else _PERSON
        return {**needed, **_with(self.whole, self.path, text)}


def _with(value: Any, path: FieldPath, text: str) -> Any:
    if not path:
        return value.replace(HARMLESS, text)
    step, *rest = path
    inner = _with(value[step], tuple(rest), text)
    if isinstance(value, list):
        return [inner]
    beside = {key: one for key, one in value.items() if HARMLESS not in f"{key}{one}"}
    return {**beside, text if step == HARMLESS else step: inner}


def _places(value: Any, path: FieldPath = ()) -> Iterator[FieldPath]:
    if isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(inner, (*path, step))
    elif HARMLESS in value or path[-1] == HARMLESS:
        yield path


def _sections(kind: str, items: list[Any]) -> list[dict[str, Any]]:
    plain = yaml.safe_load(yaml.safe_dump(items[:1]).replace(HARMLESS, "T"))
    groups = [{"title": HARMLESS, "items": plain}, {"title": "T", "note": HARMLESS, "items": plain}]
    return [
        {"kind": kind, "title": HARMLESS, "items": plain},
        {"kind": kind, "title": "T", "note": HARMLESS, "items": plain},
        {"kind": kind, "title": "T", "items": items},
        {"kind": kind, "title": "T", "groups": groups},
    ]


@cache
def fields() -> tuple[Field, ...]:
    text = Path(__file__).with_name("fields.yaml").read_text("utf-8")
    *people, kinds, letter, other = yaml.safe_load_all(text)
    sections = {kind: {"sections": _sections(kind, items)} for kind, items in kinds.items()}
    files = [
        *(("", one) for one in people),
        *sections.items(),
        ("letter", letter),
        ("letter", other),
    ]
    return tuple(
        Field(
            ".".join(filter(None, [kind, *(step for step in path if isinstance(step, str))])),
            whole,
            path,
            kind == "letter",
        )
        for kind, whole in files
        for path in _places(whole)
    )


def task_with(field: Field, text: str) -> Task:
    written = _PERSON if field.letter else field.data(text)
    source = parse(writer.write(written), "people/ada.yaml")
    profile = validate(source)
    person = Person("ada", Path("people/ada.yaml"))
    variant = "academic" if profile.variants else None
    task = Task(person, profile, source, "academic", request_on(DAY), variant)
    if not field.letter:
        return task
    given = field.data(text)
    position = given.pop("position", "Engineer")
    made = parse(writer.write({"letter": given}), "applications/a.yaml")
    letter = letters.read(made)
    draft = Draft("a", letter.letter, Path(), Day(2026, 3, 5), position)
    return replace(task, source=source.grafted(letters.PATH, letter.node), draft=draft)


def tex_of(shown: Shown, setting: Setting, folder: Path) -> str:
    engine = Engine("pdflatex", "system", Path("pdflatex"), "")
    setter = Pdf(**asdict(shown), engine=engine, driver="direct", cache=folder, setting=setting)
    return setter.render(shown.selected, {}).tex


CASES = [(field, payload) for field in fields() for payload in rows("texts")]
