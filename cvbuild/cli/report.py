"""What a build prints: a line per document, its diagnostics, a summary; or one JSON object."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from cvbuild.building import document_key
from cvbuild.cli import console
from cvbuild.inputs.people import WORKSPACE

if TYPE_CHECKING:
    from cvbuild.building.fresh import Current, JsonObject
    from cvbuild.inputs.people import Person


class Report:
    """The report on documents: a line each as they are done, or one JSON object at the end.

    ``people`` is how many there are: for many, what is up to date has no line, and the notes are
    counted at the end, as documents are. ``read`` are the people whose files were read, with the
    folder of their group.
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
        new = [item for item in diagnostics if item not in known]
        known.extend(new)
        self.summary.file(person.name, new)
        if not self._as_json:
            console.show_plain(self._to_be_shown(new))

    def document(self, document: JsonObject, notes: Iterable[JsonObject]) -> None:
        """Report a document; each note once."""
        self._names.add(str(document["variant"] or document["template"]))
        new = [note for note in notes if note not in self.notes]
        self.notes.extend(new)
        self.documents.append(document)
        name = f"{document['person']} {name_of(document)}"
        # Others concern the machine, and not a person.
        about = [note for note in new if note["file"] is not None]
        self.summary.document(name, document, about)
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

    def up_to_date(self, current: Iterable[Current]) -> None:
        """Report what needs no building."""
        for person, documents, faults in current:
            for document, notes in documents:
                self.document(document, notes)
            if faults is not None:
                self.faults(person, faults)

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
        """Yield all, but of many people no notes."""
        for item in diagnostics:
            if item["severity"] != "note" or not self._is_of_many:
                yield item

    def is_missing(self, names: Iterable[str]) -> bool:
        """Return whether there was no document of one of these names."""
        return not self._names.issuperset(names)

    def close(self, *, interrupted: bool = False, **others: object) -> None:
        """Print the summary, or the JSON object, which has ``others`` too."""
        if self._as_json:
            from cvbuild.common import limits

            faults = [item for items in self.files.values() for item in items]
            console.print_json(
                {
                    "sandbox": limits.sandbox(),
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
    end = "; --json lists them" if in_short else "; keep: true keeps an item:"
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


# -- the summary -----------------------------------------------------------------------------------

#: More documents, or people, than these need a summary.
HANDFUL = 5
#: How many names are listed.
_MOST_NAMES = 3
#: Fields of ``contact``, as words for one and for several.
_PUBLIC = {
    "phone": ("phone number", "phone numbers"),
    "address": ("address", "addresses"),
    "birth-date": ("birth date", "birth dates"),
}


class Summary:
    """Counts what became of documents; ``seconds`` are those since it was made."""

    def __init__(self) -> None:
        self.built = self.up_to_date = self.failed = self.wrong_files = 0
        self._failures: dict[str, list[str]] = {}
        self._notes: dict[str, list[JsonObject]] = {}
        self._only_files = True
        self._began = time.monotonic()

    def file(self, person: str, diagnostics: Iterable[JsonObject]) -> None:
        """Count what is wrong with a person's file."""
        items = [*diagnostics]
        if self._first_error(person, items):
            self.wrong_files += 1
        self._note(person, items)

    def document(self, name: str, document: JsonObject, notes: Iterable[JsonObject]) -> None:
        """Count a document; ``name`` stands for it in the summary, ``notes`` are on its texts."""
        if document["path"] is None:
            self.failed += 1
            self._first_error(name, document["diagnostics"])
        elif document["cached"]:
            self.up_to_date += 1
        else:
            self.built += 1
        if self._note(document["person"], (*document["diagnostics"], *notes)):
            self._only_files = False

    @property
    def documents(self) -> int:
        """How many documents were counted."""
        return self.built + self.up_to_date + self.failed

    def as_json(self) -> JsonObject:
        """Return a plain object for ``--json``."""
        return {
            "built": self.built,
            "up_to_date": self.up_to_date,
            "failed": self.failed,
            "files_with_errors": self.wrong_files,
            "notes": self._count(),
            "people_with_notes": len(self._notes),
            "seconds": round(self.seconds, 3),
        }

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self._began

    def lines(self) -> Iterator[str]:
        """Yield the counts, then each failure with its first error; the same error once."""
        counts = (
            (self.built, f"{self.built} built"),
            (self.up_to_date, f"{self.up_to_date} up to date"),
            (self.failed, f"{self.failed} failed"),
            (self.wrong_files, f"{counted(self.wrong_files, 'file')} with errors"),
        )
        words = ", ".join(text for count, text in counts if count) or "nothing built"
        yield f"{words} in {duration(self.seconds)}"
        for error, names in self._failures.items():
            yield f"✗ {some(names)}: {error}"

    def notes(self) -> Iterator[str]:
        """Yield how many notes there are, on how many people, and what lists them."""
        if self._notes:
            count = counted(self._count(), "note")
            people = counted(len(self._notes), "person", "people")
            how = "cvbuild check" if self._only_files else "cvbuild build --json"
            yield f"{count} on {people}; {how} lists them"

    def _first_error(self, name: str, diagnostics: Iterable[JsonObject]) -> bool:
        """Keep the first error under its text; return whether there is one."""
        for item in diagnostics:
            if item["severity"] == "error":
                from cvbuild.common.diagnostics import Diagnostic

                self._failures.setdefault(str(Diagnostic.from_json(item)), []).append(name)
                return True
        return False

    def _note(self, person: str, diagnostics: Iterable[JsonObject]) -> bool:
        """Count the notes and warnings, each once; return whether there are any."""
        notes = [item for item in diagnostics if item["severity"] != "error"]
        for item in notes:
            known = self._notes.setdefault(person, [])
            if item not in known:
                known.append(item)
        return bool(notes)

    def _count(self) -> int:
        return sum(map(len, self._notes.values()))


def public_note(counts: Mapping[str, int]) -> JsonObject:
    """Return the note that so much of ``contact`` goes public, by field."""
    from cvbuild.common.diagnostics import Diagnostic

    fields = [field for field in _PUBLIC if counts.get(field)]
    words = [f"{counts[field]} {_PUBLIC[field][counts[field] > 1]}" for field in fields]
    what = " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
    verb = "goes" if sum(counts.values()) == 1 else "go"
    setting = f"defaults: {{private: [{', '.join(fields)}]}}"
    hint = f"to keep such data private, add it in {WORKSPACE}: {setting}"
    return Diagnostic("note", "public", f"{what} {verb} public", hint=hint).as_json()


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: 1 page, 2 pages."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def duration(seconds: float, *, whole: bool = False) -> str:
    """Return a time for people: 0.3 s (but 1 s if ``whole``), 41 s, 3 min 5 s."""
    if seconds < 9.95 and not whole:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def some(names: list[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
