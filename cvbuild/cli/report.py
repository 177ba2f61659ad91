"""What a build prints: a line per document, its diagnostics, a summary; or one JSON object."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from cvbuild.building.request import document_key
from cvbuild.cli import console
from cvbuild.cli.summary import HANDFUL, Summary, counted, public_note

if TYPE_CHECKING:
    from cvbuild.building.fresh import JsonObject
    from cvbuild.cli.progress import Lines
    from cvbuild.inputs.people import Person


class Report:
    """The report on documents: a line each as they are done, or one JSON object at the end.

    ``people`` is how many there are: for many, what is up to date has no line, and the notes are
    printed once at the end, as a summary is. ``read`` are the people whose files were read,
    with the folder of their group.
    """

    def __init__(self, *, as_json: bool, people: int = 1) -> None:
        self.summary = Summary()
        self.documents: list[JsonObject] = []
        self.files: dict[Person, list[JsonObject]] = {}
        self.notes: list[JsonObject] = []
        self.read: dict[Person, str | None] = {}
        self._as_json = as_json
        self._is_of_many = people > HANDFUL and console.level <= 0
        self._names: set[str] = set()

    def faults(self, person: Person, diagnostics: Iterable[JsonObject]) -> None:
        """Report the diagnostics of a person's file, which several languages read, once."""
        known = self.files.setdefault(person, [])
        found = [one for one in diagnostics if one not in known]
        known.extend(found)
        self.summary.file(person.name, found)
        if not self._as_json:
            console.show_plain(self._to_be_shown(found))

    def document(
        self, document: JsonObject, notes: Iterable[JsonObject], lines: Lines | None = None
    ) -> None:
        """Report a document; each note once. ``lines`` are those on the terminal."""
        self._names.add(str(document["variant"] or document["template"]))
        new = [note for note in notes if note not in self.notes]
        self.notes.extend(new)
        self.documents.append(document)
        name = f"{document['person']} {name_of(document)}"
        # Others concern the machine, and not a person.
        about = [note for note in new if note["file"] is not None]
        self.summary.document(name, document, about)
        if lines:
            lines.end(name)
        if self._as_json:
            return
        if not (document["cached"] and self._is_of_many):
            console.say(_line(document), document["path"])
        console.show_plain(note for note in new if note not in about)
        diagnostics = (*about, *document["diagnostics"])
        console.show_plain(self._to_be_shown(diagnostics))
        if not document["cached"]:
            _show_left_out(document, in_short=self._is_of_many)
        if console.level > 0 and document["verified"]:
            nouns = ("text", "link", "font", "page")
            counts = [counted(document["verified"][f"{noun}s"], noun) for noun in nouns]
            console.say(f"  compared with the file: {', '.join(counts)}")
        if document["log"]:
            console.say(f"  TeX's log: {document['log']}")

    def public(self, counts: Mapping[str, int]) -> None:
        """Report how much of ``contact`` goes public, by field, if anything does."""
        if counts:
            self.add([public_note(counts)])

    def add(self, notes: Iterable[JsonObject]) -> None:
        """Report what concerns no document of this build; each note once."""
        new = [note for note in notes if note not in self.notes]
        self.notes.extend(new)
        if not self._as_json:
            console.show_plain(new)

    def _to_be_shown(self, diagnostics: Iterable[JsonObject]) -> Iterator[JsonObject]:
        """Yield all, but of many people only the errors."""
        for one in diagnostics:
            if one["severity"] == "error" or not self._is_of_many:
                yield one

    def is_missing(self, names: Iterable[str]) -> bool:
        """Return whether there was no document of one of these names."""
        return not self._names.issuperset(names)

    def close(self, *, interrupted: bool = False, **others: object) -> None:
        """Print the summary, or the JSON object, which has ``others`` too."""
        if self._as_json:
            from cvbuild.common import landlock

            faults = [one for found in self.files.values() for one in found]
            console.print_json(
                {
                    "sandbox": landlock.name(),
                    "documents": self.documents,
                    "notes": self.notes,
                    "diagnostics": faults,
                    "summary": self.summary.as_json() | {"interrupted": interrupted},
                    **others,
                }
            )
            return
        for line in self.summary.notes() if self._is_of_many else ():
            console.say(line)
        if self._is_of_many or self.summary.documents > HANDFUL:
            for line in self.summary.lines():
                console.say(line)


def _show_left_out(document: JsonObject, *, in_short: bool) -> None:
    """Print what had no room on one page; only how much, if ``in_short``."""
    left_out = document["left_out"]
    if not left_out:
        return
    from cvbuild.common.diagnostics import Diagnostic

    used = f", {document['fill']:.0%} of the page used" if document["fill"] else ""
    which = f"--variant {document['variant']} " if document["variant"] else ""
    show = f"cvbuild show {document['person']} {which}--one-page"
    end = f"; {show} lists them" if in_short else "; keep: true keeps an item:"
    console.say(f"  left out {len(left_out)} to fit one page{used}{end}")
    for item in left_out if not in_short else ():
        console.say(f"    {Diagnostic.from_json(item)}")


def name_of(document: JsonObject) -> str:
    """Return the name of a document among those of a person: ``academic``, ``academic.txt``."""
    return document_key(str(document["variant"] or document["template"]), document["format"])


def _line(document: JsonObject) -> str:
    if document["path"] is None:
        return f"✗ {document['person']} {name_of(document)}: failed"
    count = document["pages"]
    pages = counted(count, "page") if count else None
    how = "up to date" if document["cached"] else f"{document['seconds']:.1f} s"
    words = (pages, how, document["fonts"], document["engine"])
    return f"✓ {document['path']}  {', '.join(filter(None, words))}"
