"""One run over documents: find what is up to date, build what is left, record the outcomes.

The command line, the API, ``watch`` and ``why`` all use it. Only what the quick check needs is
imported here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cvbuild.building import fresh
from cvbuild.building.request import Pending, Request
from cvbuild.inputs.people import Person

if TYPE_CHECKING:
    from cvbuild.building.check.profiles import Checked
    from cvbuild.building.fresh import JsonObject
    from cvbuild.building.outcome import Outcome
    from cvbuild.building.request import Reporter
    from cvbuild.building.requested_documents import RequestedDocuments
    from cvbuild.outputs.task import Settings, Task

#: Formats that show publications alone.
_WITHOUT_CONTACT = ("bib",)
#: Called with the result of reading each person's file.
OnChecked = Callable[["Checked"], None]
#: Builds tasks; yields outcomes as they are done.
Runner = Callable[[Iterable["Task"], "Settings"], Iterator["Outcome"]]


class UpToDate:
    """A reporter that collects the documents; a build reports what is wrong with files."""

    def __init__(self) -> None:
        self.documents: list[JsonObject] = []

    def faults(self, person: Person, diagnostics: Iterable[JsonObject]) -> None:
        """Ignore them."""

    def document(self, document: JsonObject, notes: Iterable[JsonObject]) -> None:  # noqa: ARG002
        """Keep the document."""
        self.documents.append(document)


def look_again() -> None:
    """Forget which TeX and fonts were found: others may be older than the states stored now."""
    from cvbuild.outputs.pdf.fonts import installed, typefaces
    from cvbuild.outputs.pdf.tex import find

    for module in (find, installed, typefaces):
        module.look_again()


class Session:
    """A request, and what is known of earlier runs with the same options.

    ``settings`` are set when they are needed: making them takes longer than the quick check.
    """

    settings: Settings

    def __init__(self, request: Request) -> None:
        self.request = request
        self.entries = fresh.Entries(request, time.time_ns())

    def pending(
        self, people: Iterable[Person], reporter: Reporter, *, force: bool = False
    ) -> list[Pending]:
        """Return what is left to build, all if ``force``; ``reporter`` gets what is up to date."""
        if force:
            return [Pending(person) for person in people]
        return self.entries.check(people, reporter)

    def going_public(
        self, people: Iterable[Person], documents: Iterable[JsonObject]
    ) -> dict[str, int]:
        """Return how much of ``contact`` these documents show that nobody marked, by field."""
        names_of: dict[str, set[str]] = {}
        for document in documents:
            if document["path"] and document["format"] not in _WITHOUT_CONTACT:
                name = document["variant"] or document["template"]
                names_of.setdefault(document["person"], set()).add(name)
        counts = [
            entry["public"]
            for person in people
            if (names := names_of.get(person.name))
            and (entry := self.entries.person(person))
            and names.difference(entry["private"])
        ]
        fields = dict.fromkeys(field for one in counts for field in one)
        return {field: sum(one.get(field, 0) for one in counts) for field in fields}

    def read(
        self, pending: Iterable[Pending], requested: RequestedDocuments, on_checked: OnChecked
    ) -> Iterator[Task]:
        """Yield the documents to build; each person's file is read only when their turn comes.

        ``on_checked`` is called with the result of reading each file, before its first document.
        """
        from cvbuild.building import batch

        return batch.read(pending, requested, self.settings, on_checked)

    def build(
        self,
        pending: Sequence[Pending],
        requested: RequestedDocuments,
        on_checked: OnChecked,
        runner: Runner,
    ) -> Iterator[Outcome]:
        """Read, run and record; yields outcomes as they are done.

        An error that ends it early is raised once all that was finished is recorded.
        """
        from cvbuild.common.files import work_folders

        look_again()
        names = [one.person.name for one in pending]
        work_folders.begin(self.settings.out, names, time.time() - work_folders.OLD)

        def read(checked: Checked) -> None:
            self.entries.read(checked)
            on_checked(checked)

        todo = self.read(self.entries.reading(pending), requested, read)
        for outcome in runner(todo, self.settings):
            self.entries.finish(outcome)
            yield outcome
