"""What reports are made of: one result per document or file, and its diagnostics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cvbuild.building.request import document_key
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.inputs.people import Person

if TYPE_CHECKING:
    from cvbuild.building.cache.index_format import JsonObject

BUILT, UP_TO_DATE, FAILED, VALID = "built", "up to date", "failed", "valid"


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a document; without ``name`` it is of the person's file itself.

    ``path`` is that of the document, ``seconds`` how long it took.
    """

    person: str
    state: str
    name: str = ""
    path: str | None = None
    pages: int | None = None
    seconds: float = 0
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def title(self) -> str:
        """The person, and the document if it is one."""
        return f"{self.person} {self.name}".rstrip()

    @property
    def errors(self) -> list[Diagnostic]:
        """Why it failed."""
        return [one for one in self.diagnostics if one.severity == "error"]


@dataclass(frozen=True, slots=True)
class Results:
    """All results of a ``command``, in the order of people, and the ``others``, of no result.

    ``words`` say in short what came of it; ``stopped`` are errors that ended it early.
    """

    command: str
    words: str
    seconds: float
    results: tuple[Result, ...]
    others: tuple[Diagnostic, ...] = ()
    stopped: tuple[Diagnostic, ...] = ()

    def diagnostics(self) -> Iterator[tuple[str, Diagnostic]]:
        """Yield each diagnostic once, with the title of its result; errors first."""
        titled = [(one.title, item) for one in self.results for item in one.diagnostics]
        titled += [("", item) for item in (*self.stopped, *self.others)]
        order = ("error", "warning", "note")
        seen = set()
        for title, item in sorted(titled, key=lambda one: order.index(one[1].severity)):
            if item not in seen:
                seen.add(item)
                yield title, item

    def failed(self) -> list[Result]:
        """Return what failed."""
        return [one for one in self.results if one.state == FAILED]


def of_documents(
    files: Mapping[Person, list[JsonObject]], documents: Iterable[JsonObject]
) -> tuple[list[Result], list[Diagnostic]]:
    """Return the results of a build, and the notes on files; from what ``--json`` prints."""
    results = [_of_document(one) for one in documents]
    others: list[Diagnostic] = []
    for person, diagnostics in files.items():
        items = tuple(map(Diagnostic.from_json, diagnostics))
        if any(item.severity == "error" for item in items):
            results.append(Result(person.name, FAILED, diagnostics=items))
        else:
            others += items
    return sorted(results, key=lambda one: (one.person, one.name)), others


def _of_document(document: JsonObject) -> Result:
    state = FAILED if document["path"] is None else UP_TO_DATE if document["cached"] else BUILT
    return Result(
        document["person"],
        state,
        document_key(str(document["variant"] or document["template"]), document["format"]),
        document["path"],
        document["pages"],
        document["seconds"],
        tuple(map(Diagnostic.from_json, document["diagnostics"])),
    )


def of_files(by_person: Mapping[Person, Iterable[Diagnostic]]) -> list[Result]:
    """Return the results of a check."""
    results = []
    for person, diagnostics in by_person.items():
        items = tuple(diagnostics)
        wrong = any(item.severity == "error" for item in items)
        results.append(Result(person.name, FAILED if wrong else VALID, diagnostics=items))
    return results
