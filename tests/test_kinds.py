"""Each kind of section is described once, and whoever misses something of one says what."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from profiles import profile

import cvbuild
from cvbuild.common.errors import CvbuildError
from cvbuild.model import kinds
from cvbuild.model.kinds.describe import Kind, Listed, UnderHeading
from cvbuild.model.locales.words import table
from cvbuild.model.parts import Item
from cvbuild.outputs.jsonresume.items import LISTS
from cvbuild.outputs.styles.file_names import builtin_folder

PACKAGE = Path(cvbuild.__file__).parent

#: Modules that give some kinds a meaning of their own; what they don't name is shown by its lines.
PLACES = {
    "linked data": "outputs/html/linked_data.py",
    "bib": "outputs/bib.py",
    "headings": "importers/words/headings.toml",
}
#: Where each kind has one. (For bib, keywords are a field.)
MEANINGS = {
    "text": "",
    "bullets": "",
    "keywords": "linked data, bib",
    "education": "linked data, headings",
    "experience": "linked data, headings",
    "volunteer": "headings",
    "project": "headings",
    "publication": "linked data, bib, headings",
    "patent": "bib, headings",
    "award": "linked data, headings",
    "grant": "headings",
    "talk": "headings",
    "teaching": "headings",
    "service": "headings",
    "skill": "linked data, headings",
    "language": "linked data, headings",
    "certificate": "headings",
    "reference": "headings",
    "entry": "",
}


def words_of(path: Path) -> set[object]:
    """The constants of a module, or the names of the parts of a table."""
    text = path.read_text("utf-8")
    if path.suffix == ".toml":
        return {name for part in tomllib.loads(text).values() for name in part}
    return {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}


def undecided(names: Iterable[str], meanings: Mapping[str, str]) -> Iterator[str]:
    """The kinds of which nobody said where they mean something, and where it isn't so."""
    places = {place: words_of(PACKAGE / file) for place, file in PLACES.items()}
    for name in names:
        if name not in meanings:
            yield f"{name}: has it a meaning in {', '.join(PLACES.values())}? say so in MEANINGS"
            continue
        said = {*filter(None, meanings[name].split(", "))}
        known = {place for place, words in places.items() if name in words}
        yield from (f"{name}: {PLACES[place]} and MEANINGS differ" for place in said ^ known)


def items_of(kind: Kind) -> type[Item]:
    """The model of a kind's items."""
    assert kind.section
    annotation: Any = kind.section.model_fields["items"].annotation
    found: type[Item] = get_args(annotation)[0]
    return found


def lacks(kind: Kind) -> Iterator[str]:
    """What a kind lacks, or says wrong."""
    words, sections = table("en").words, builtin_folder() / "_core" / "sections"
    yield from (f"label {label}" for label in (kind.name, *kind.labels) if label not in words)
    if not (sections / f"{kind.name}.tex.j2").is_file():
        yield "LaTeX template"
    if kind.text is None and (kind.run is None or kind.run.unless):
        yield "plain text"
    if kind.weight is None or not 0 <= kind.weight <= 100:
        yield "weight"
    form = kind.json
    if form is None:
        yield "JSON Resume"
    elif (name := getattr(form, "list", LISTS[0])) not in LISTS:
        yield f"a list of JSON Resume instead of {name}"
    if kind.section is None:
        return
    if kind.example is None:
        yield "example"
    if (name := get_args(kind.section.model_fields["kind"].annotation)[0]) != kind.name:
        yield f"the name of its section, {name}"
    model = items_of(kind)
    keys = {field.alias or name for name, field in model.model_fields.items()}
    named = [*(kind.run.unless if kind.run else ()), *([kind.search] if kind.search else ())]
    if isinstance(form, Listed):
        named += [*form.keys, *form.shared, *([form.parts] if form.parts else ())]
    yield from (f"a field {name}" for name in named if name not in keys)


def test_no_kind_lacks_anything() -> None:
    every = {**kinds.OWN, **kinds.KINDS}
    assert len(every) >= 19
    assert {kind.name: found for kind in every.values() if (found := [*lacks(kind)])} == {}
    there = (builtin_folder() / "_core" / "sections").glob("*.tex.j2")
    assert {path.name.removesuffix(".tex.j2") for path in there} == every.keys()


def test_every_place_that_may_know_a_kind_was_asked() -> None:
    assert list(undecided(kinds.KINDS, MEANINGS)) == []
    assert MEANINGS.keys() == {*kinds.KINDS}
    told = list(undecided(["toy", "grant"], {"grant": "bib, headings"}))
    assert told == [
        f"toy: has it a meaning in {', '.join(PLACES.values())}? say so in MEANINGS",
        "grant: outputs/bib.py and MEANINGS differ",
    ]


def test_what_is_lacking_is_named() -> None:
    kind = Kind("toy", next(iter(kinds.KINDS.values())).section, json=UnderHeading("toys"))
    assert ", ".join(lacks(kind)) == (
        "label toy, LaTeX template, plain text, weight, a list of JSON Resume instead of toys, "
        "example, the name of its section, text"
    )
    with pytest.raises(CvbuildError, match=r'^there is no kind "toy"; list it in cvbuild/model/'):
        kinds.of("toy")


@pytest.mark.parametrize("name", sorted(kinds.KINDS))
def test_an_example_has_items_of_its_kind(name: str) -> None:
    made = profile(kinds.KINDS[name].require("example"))
    assert [section.kind for section in made.sections] == [name]
    assert isinstance(made.sections[0].items[0], items_of(kinds.KINDS[name]))


# ------------------------------------------------------------------------- a kind from outside

MODULE = '''\
"""Unpaid work."""

from cvbuild.model.base import Prose
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Head, Kind, Labelled, Listed
from cvbuild.model.parts import Item


class Stroll(Item):
    """Unpaid work."""

    role: Prose
    """What one was."""
    cause: Prose | None = None
    """For what."""
    date: Date | None = None
    """When."""


EXPEDITION = Kind(
    "expedition",
    Stroll,
    about="Unpaid work.",
    labels=("cause",),
)
'''
EXAMPLE = """\
sections:
  - kind: expedition
    items:
      - {role: Guide, cause: Old bridges, date: 2021}
"""
LATEX = r"""<% import "macros.tex.j2" as cvb with context %>
<< cvb.head(section) >>
<% for group in section.groups %>
<< cvb.group_head(group) >>
<% for item in group.items %>
\CvbEntry{id=<< item.id >>, title={<< item.role >>},
  <% if item.date %> dates={<< item.date >>}<% endif %>}
<% if item.cause %>
\CvbDetail{id=<< item.sub("cause") >>, label={<< document.words.cause >>}, text={<< item.cause >>}}
<% endif %>
<% endfor %>
<% endfor %>
"""


_WITH_WEIGHT = '    weight=50,\n    labels=("cause",),\n'


class Checkout:
    """A copy of cvbuild and its templates, and a person with the kind."""

    def __init__(self, root: Path, cache: Path) -> None:
        self.root = root
        shutil.copytree(PACKAGE, root / "cvbuild", ignore=shutil.ignore_patterns("templates"))
        shutil.copytree(builtin_folder(), root / "templates")
        (root / "people").mkdir()
        (root / "people/ada.yaml").write_text(f"name: Ada Example\n{EXAMPLE}", encoding="utf-8")
        path = os.pathsep.join([str(root), str(Path(__file__).parents[1])])  # the latter for tools/
        self.environment = {**os.environ, "PYTHONPATH": path, "CVBUILD_CACHE": str(cache)}

    def write(self, place: str, old: str, new: str) -> None:
        path = self.root / place
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        assert old in text, place
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def describe(self, words: str) -> None:
        """Add to the KIND."""
        self.write("cvbuild/model/kinds/expedition.py", '    labels=("cause",),\n', words)

    def schema_page(self) -> subprocess.CompletedProcess[str]:
        """The page of all kinds, as `make docs` writes it."""
        return self.python("-c", "from tools import schema_page; print(schema_page.markdown())")

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "cvbuild", *arguments)

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            check=False,
            capture_output=True,
            text=True,
            cwd=self.root,
            env=self.environment,
            timeout=300,
        )

    def error(self, *arguments: str) -> str:
        """The one error that a command ends with."""
        ran = self.run(*arguments)
        assert ran.returncode == 1, ran.stderr
        assert "Traceback" not in ran.stderr
        told = [line.strip() for line in ran.stderr.splitlines() if ";" in line]
        assert len(told) == 1, ran.stderr
        return re.sub(r"^(error: )?", "", told[0])


@pytest.mark.deep
@pytest.mark.usefixtures("requires_embedded")
def test_a_kind_from_outside(tmp_path: Path, tex_cache: Path) -> None:
    """Its module, one line in the table, its words, its LaTeX; each that is missing is named."""
    checkout = Checkout(tmp_path, tex_cache)
    pdf = ("build", "--engine", "embedded")
    assert 'unknown kind "expedition"' in checkout.error("check")

    module = tmp_path / "cvbuild/model/kinds/expedition.py"
    module.write_text(MODULE, encoding="utf-8")
    registry = "cvbuild/model/kinds/__init__.py"
    entry = '    "entry": "projects",\n'
    checkout.write(registry, entry, f'{entry}    "expedition": "expedition",\n')
    table = "cvbuild/model/locales/tables/en.toml"
    for label in ("cause", "expedition"):
        for command in (("build", "--format", "txt"), pdf):
            assert checkout.error(*command) == (
                f'there is no label "{label}"; add {label} = "…" under [words] in {table}'
            )
        checkout.write(table, "[words]\n", f'[words]\n{label} = "{label.title()}"\n')

    described = f"in {module.relative_to(tmp_path)}"
    assert checkout.error("build", "--format", "txt") == (
        f'the kind "expedition" has no plain-text description; give its KIND text=… {described}'
    )
    assert checkout.error("build", "--format", "json") == (
        f'the kind "expedition" has no JSON Resume description; give its KIND json=… {described}'
    )
    assert checkout.schema_page().stderr.endswith(
        f'the kind "expedition" has no example; give its KIND example=… {described}\n'
    )
    place = "sections/expedition.tex.j2"
    assert checkout.error(*pdf) == (
        f'the kind "expedition" has no LaTeX template; add templates/_core/{place}, '
        f"or {place} to the template academic"
    )

    checkout.describe(
        '    labels=("cause",),\n'
        '    text=(Head("role"), Labelled("cause", "cause")),\n'
        '    json=Listed("voluntary", {"role": "position"}),\n'
        f'    example="""\\\n{EXAMPLE}""",\n'
    )
    assert checkout.error("build", "--format", "json").startswith(
        'the kind "expedition" goes to the list "voluntary", which JSON Resume lacks; write one '
    )
    checkout.write(f"cvbuild/model/kinds/{module.name}", '"voluntary"', '"volunteer"')
    (tmp_path / "templates/_core" / place).write_text(LATEX, encoding="utf-8")
    assert checkout.error(*pdf, "-t", "one-page") == (
        f'the kind "expedition" has no weight; give its KIND weight=… {described}'
    )
    checkout.write(f"cvbuild/model/kinds/{module.name}", '    labels=("cause",),\n', _WITH_WEIGHT)
    assert checkout.run(*pdf, "-t", "one-page").returncode == 0
    for command in (("build", "--format", "txt"), ("build", "--format", "json"), pdf):
        ran = checkout.run(*command)
        assert ran.returncode == 0, ran.stderr
    made = tmp_path / "out/ada"
    assert (made / "academic.txt").read_text(encoding="utf-8") == (
        "Ada Example\n\n\nEXPEDITION\n\nGuide (2021)\nCause: Old bridges\n"
    )
    assert '"position": "Guide"' in (made / "academic.json").read_text(encoding="utf-8")
    assert (made / "academic.pdf").read_bytes().startswith(b"%PDF")
    assert "### expedition\n" in checkout.schema_page().stdout

    german = checkout.run("build", "--format", "txt", "--locale", "de")
    assert german.returncode == 0
    for label in ("expedition", "cause"):
        assert f'note: no German word for "{label}"; the English one is used' in german.stderr


def test_a_kind_without_a_description_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kinds._MODULES, "patents-of-others", "publications")
    with pytest.raises(LookupError, match=r"publications has no PATENTS_OF_OTHERS for the kind"):
        kinds.KINDS["patents-of-others"]


def test_what_weighs_most_on_one_page() -> None:
    weights: dict[int | None, set[str]] = {}
    for name, kind in kinds.KINDS.items():
        weights.setdefault(kind.weight, set()).add(name)
    assert weights == {
        100: {"education", "experience"}, 80: {"publication"}, 70: {"project", "skill"},
        60: {"award", "grant", "patent", "volunteer"}, 50: {"certificate", "language", "teaching"},
        40: {"bullets", "entry", "service", "talk"}, 20: {"reference"}, 15: {"text"},
        10: {"keywords"},
    }  # fmt: skip


@pytest.mark.usefixtures("requires_embedded")
def test_items_beside_groups_are_set_in_every_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each kind whole items stand beside groups of bare ones, and bare ones beside whole."""
    monkeypatch.chdir(tmp_path)
    sections = []
    for kind in kinds.KINDS.values():
        (example,) = yaml.safe_load(kind.require("example"))["sections"]
        whole = example["items"] if isinstance(example["items"], list) else [example["items"]]
        fields = items_of(kind).model_fields.items()
        needed = {field.alias or name for name, field in fields if field.is_required()}
        needed |= {"employer", "organization"}
        bare = [
            {key: one[key] for key in one if key in needed} if isinstance(one, dict) else one
            for one in whole
        ]
        for items, grouped in ((whole, bare), (bare, whole)):
            groups = [{"title": "Group", "items": grouped}]
            sections.append({"kind": kind.name, "items": items, "groups": groups})
    text = json.dumps({"name": "Ada", "sections": sections}, default=str)
    Path("ada.yaml").write_text(text, encoding="utf-8")
    formats = ["pdf", "html", "docx", "txt", "md", "json", "bib"]
    made = cvbuild.build(["ada.yaml"], templates=["plain"], formats=formats, engine="embedded")
    assert [str(one.diagnostics) for one in made if not one.path] == []
    assert len(made) == len(formats)
