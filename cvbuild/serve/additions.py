"""What files of other programs add to a CV that is open: listed in words, and added if chosen."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence

from starlette.responses import JSONResponse, Response

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import CvbuildError
from cvbuild.common.limits import SECONDS
from cvbuild.importers import merging
from cvbuild.importers.merging import Merged
from cvbuild.inputs import changes, people
from cvbuild.inputs.people import Person
from cvbuild.inputs.references import bibliography, same_items
from cvbuild.inputs.yaml import edit, source
from cvbuild.inputs.yaml.edit import Addition
from cvbuild.inputs.yaml.entries import EditError
from cvbuild.inputs.yaml.source import Source
from cvbuild.serve import begin, live
from cvbuild.serve.desk import Desk
from cvbuild.serve.documents import Json
from cvbuild.serve.messages import AdditionsRequest
from cvbuild.serve.requests import endpoint


class Additions:
    """Answers to what the form asks of files."""

    def __init__(self, desk: Desk) -> None:
        self._desk, work = desk, live.in_time(SECONDS, self._additions)
        self.answer = endpoint(AdditionsRequest, work, asyncio.Semaphore(1), begin.MOST_BODY)

    def _additions(self, wanted: AdditionsRequest) -> Response:
        """Send what files would add to a text, or the text with what was chosen of it."""
        person = self._desk.person(wanted.person)
        folder = self._desk.new_folder()
        folder.mkdir()
        try:
            # Whose they are is known: an author's list of works is of several people.
            read = begin.read_files(wanted.files, person.name, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        there = source.parse(wanted.text, str(person.path))
        merged = _merged(person, there, source.parse(str(read["text"]), "import"))
        additions = [*_single(merged.additions)]
        if wanted.chosen is None:
            notes = [note.message for _, note in merged.notes]
            return JSONResponse({"additions": _in_words(there, additions), "notes": notes})
        try:
            text = edit.add(wanted.text, chosen(additions, wanted.chosen))
        except EditError:
            fact = "nothing can be added without changing the rest of the file"
            hint = "import it as a file of its own, and copy from there"
            raise CvbuildError.because("merge", fact, hint) from None
        return JSONResponse({"text": text})


def _merged(person: Person, there: Source, new: Source) -> Merged:
    """Return what the facts of an import add; what the private file has is never added."""
    overlay = people.overlay(person.path)
    known = source.load(overlay).data if overlay.exists() else None
    facts = bibliography.expanded(there, person.path.parent).source.data
    return merging.merge(there.data, new.data, known, facts, by_date=True)  # type: ignore[arg-type]


def _single(additions: Iterable[Addition]) -> Iterator[Addition]:
    """Yield the additions, those of a list as one for each of its items."""
    for one in additions:
        if isinstance(one.value, list):
            for at, value in enumerate(one.value):
                yield Addition((*one.path, at), value, one.after)
        else:
            yield one


def _in_words(there: Source, additions: Sequence[Addition]) -> list[Json]:
    """Return of each addition where it goes, and what it says."""
    listed, before = list[Json](), there.data
    for one in additions:
        after = edit.apply(before, [one])
        (change, *_) = changes.compare(before, after)
        ((_, words), *_) = changes.words(change)[-1:]
        items = one.value.get("items") if isinstance(one.value, dict) else None
        if isinstance(items, list):
            words = f"{len(items)}: {'; '.join(map(same_items.first, items))}"
        listed.append({"place": changes.place(change, before, after), "words": words})
        before = after
    return listed


def chosen(additions: Sequence[Addition], numbers: Collection[int]) -> list[Addition]:
    """Return the additions with these numbers, at the places that they have without the others."""
    kept, left_out = list[Addition](), list[FieldPath]()
    for number, one in enumerate(additions):
        if number in numbers:
            kept.append(Addition(_without(one.path, left_out), one.value, one.after))
        left_out = [merging.behind(path, one.path) for path in left_out]
        if number not in numbers:
            left_out.append(one.path)
    return kept


def _without(path: FieldPath, left_out: Sequence[FieldPath]) -> FieldPath:
    """Return a path where the items at some other paths aren't there."""
    return tuple(
        step
        - sum(
            len(other) == at + 1 and other[:at] == path[:at] and int(other[at]) < step
            for other in left_out
        )
        if isinstance(step, int)
        else step
        for at, step in enumerate(path)
    )
