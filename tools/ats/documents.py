"""Build the corpus and store what the readers extracted, once per session."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from cvbuild.building import fresh, pipeline
from cvbuild.building.check import profiles
from cvbuild.building.check.profiles import Checked
from cvbuild.common import user_cache
from cvbuild.common.diagnostics import path_of
from cvbuild.inputs.people import Person
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings, Task
from tools.ats import readers
from tools.ats.facts import Block, Contact, contact, expected
from tools.ats.figures import Figures, figures_of, joined
from tools.ats.required import RIGHT_TO_LEFT

CORPUS = Path(__file__).parent / "corpus"
CVS = tuple(sorted(path.stem for path in CORPUS.glob("*.yaml")))
#: Long enough for a loaded machine.
_TIMEOUT = 300


@dataclass(frozen=True, slots=True)
class Document:
    """One CV in one template by one engine (``auto``: the one that the build chooses)."""

    cv: str
    template: str
    engine: str = "auto"

    def __str__(self) -> str:
        return f"{self.cv}-{self.template}-{self.engine}"


@dataclass(frozen=True, slots=True)
class Extracted:
    """A built document: its engine's label, its pages' texts by reader, what it had no room for.

    ``problems`` are the build's diagnostics if there is no PDF.
    """

    engine: str
    texts: dict[str, list[str]]
    left_out: Sequence[str]
    problems: Sequence[str] = ()


@cache
def checked(cv: str) -> Checked:
    """Return the CV's profile; fail if the corpus has an error."""
    found = profiles.check(Person(cv, CORPUS / f"{cv}.yaml"), Library.at())
    if found.profile is None:
        raise AssertionError([str(item) for item in found.diagnostics])
    return found


def extracted(document: Document, folder: Path) -> Extracted:
    """Return the document's texts; it is built at the first call by any of pytest's workers."""
    folder.mkdir(parents=True, exist_ok=True)
    stored = folder / f"{document}.json"
    with _locked(stored.with_suffix(".lock")):
        if not stored.exists():
            made = _build(document, folder / str(document))
            stored.write_text(json.dumps(asdict(made)), encoding="utf-8")
    return Extracted(**json.loads(stored.read_text(encoding="utf-8")))


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one of pytest's workers run at a time."""
    import fcntl

    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build(document: Document, out: Path) -> Extracted:
    one = checked(document.cv)
    assert one.profile is not None
    assert one.source is not None
    settings = Settings(
        out=out,
        library=Library.at(),
        today=0,
        epoch=0,
        engine=document.engine,
        driver="direct",
        timeout=_TIMEOUT,
        cache=user_cache.folder(),
    )
    outcome = pipeline.build(Task(one.person, one.profile, one.source, document.template), settings)
    if outcome.path is None:
        problems = [str(item) for item in outcome.diagnostics]
        return Extracted(document.engine, {}, (), problems)
    place = out / ".build" / document.cv / document.template / "record.json"
    record = fresh.read(place, settings.cache)
    assert record is not None
    texts = readers.read(outcome.path)
    return Extracted(outcome.engine or "", texts, record.left_out)


def facts(document: Document, left_out: Sequence[str]) -> tuple[tuple[Block, ...], Contact]:
    """Return what the document must show, and what must be found at its top."""
    profile = checked(document.cv).profile
    assert profile is not None
    options = templates.resolve(Library.at().require(document.template), profile)
    blocks = expected(profile, options, frozenset(path_of(name) for name in left_out))
    return blocks, contact(profile)


def measured(document: Document, made: Extracted) -> dict[str, Figures]:
    """Return the figures of each reader."""
    blocks, who = facts(document, made.left_out)
    figures = {}
    for reader, pages in made.texts.items():
        text, layout = joined(pages, who.name.text), reader == "poppler layout"
        found = figures_of(text, blocks, who, layout=layout)
        if document.cv in RIGHT_TO_LEFT:
            # A reader gives the order in which lines are read, or that in which they are seen.
            turned = joined(readers.logical(pages, reader), who.name.text)
            seen = figures_of(turned, blocks, who, layout=layout, leftward=text)
            found = max(found, seen, key=lambda one: one.recall)
        figures[reader] = found
    return figures
