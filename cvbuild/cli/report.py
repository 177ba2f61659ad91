"""What a build prints: a line per document, its diagnostics, a summary; or one JSON object."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from cvbuild.cli import console
from cvbuild.cli.console import counted, some
from cvbuild.inputs.people import WORKSPACE
from cvbuild.outputs.request import document_key

if TYPE_CHECKING:
    from cvbuild.building.fresh import JsonObject
    from cvbuild.inputs.people import Person

#: More documents, or people, than these need a summary.
HANDFUL = 5
#: Fields of ``contact``, as words for one and for several.
_PUBLIC = {
    "phone": ("phone number", "phone numbers"),
    "address": ("address", "addresses"),
    "birth-date": ("birth date", "birth dates"),
}


class Report:
    """The report on documents: a line each as they are done, or one JSON object at the end.

    ``people`` is how many there are: for many, what is up to date has no line, and the notes are
    counted at the end, as documents are. ``read`` are the people whose files were read.
    """

    def __init__(self, *, as_json: bool, people: int = 1) -> None:
        self.documents: list[JsonObject] = []
        self.files: dict[Person, list[JsonObject]] = {}
        self.notes: list[JsonObject] = []
        self.read: dict[Person, None] = {}
        self._as_json, self._is_of_many = as_json, people > HANDFUL
        #: Of many people notes are only counted.
        self._unshown = ("note",) if self._is_of_many else ()
        #: What is said of the documents of each person.
        self._said: dict[str, list[JsonObject]] = {}
        self._began = time.monotonic()

    def faults(self, person: Person, diagnostics: Iterable[JsonObject]) -> None:
        """Report the diagnostics of a person's file, which several languages read, once."""
        known = self.files.setdefault(person, [])
        new = [item for item in diagnostics if item not in known]
        known.extend(new)
        if not self._as_json:
            console.show(item for item in new if item["severity"] not in self._unshown)

    def document(self, document: JsonObject, notes: Iterable[JsonObject]) -> None:
        """Report a document; each note once."""
        new = [note for note in notes if note not in self.notes]
        self.notes.extend(new)
        self.documents.append(document)
        # Others concern the machine, and not a person.
        about = [note for note in new if note["file"] is not None]
        diagnostics = [*about, *document["diagnostics"]]
        self._said.setdefault(document["person"], []).extend(diagnostics)
        if self._as_json:
            return
        if document["path"] is None:
            console.say(f"✗ {document['person']} {name_of(document)}: failed")
        elif not (document["cached"] and self._is_of_many):
            pages = counted(document["pages"], "page") if document["pages"] else None
            how = "up to date" if document["cached"] else f"{document['seconds']:.1f} s"
            words = (pages, how, document["fonts"], document["engine"])
            console.say(f"✓ {document['path']}  {', '.join(filter(None, words))}")
        console.show(note for note in new if note not in about)
        console.show(item for item in diagnostics if item["severity"] not in self._unshown)
        left_out = document["left_out"] if not document["cached"] else ()
        if left_out:
            # What had no room on one page; of many people only how much.
            used = f", {document['fill']:.0%} of the page used" if document["fill"] else ""
            end = "; --json lists them" if self._is_of_many else "; keep: true keeps an item:"
            console.say(f"  left out {len(left_out)} to fit one page{used}{end}")
        for item in left_out if not self._is_of_many else ():
            from cvbuild.common.diagnostics import Diagnostic

            console.say(f"    {Diagnostic.from_json(item)}")
        if document["log"]:
            console.say(f"  TeX's log: {document['log']}")

    def public(self, counts: Mapping[str, int]) -> None:
        """Report how much of ``contact`` goes public, by field, if anything does."""
        fields = [field for field in _PUBLIC if counts.get(field)]
        if not fields:
            return
        from cvbuild.common.diagnostics import Diagnostic

        words = [f"{counts[field]} {_PUBLIC[field][counts[field] > 1]}" for field in fields]
        what = " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
        fact = f"{what} {'goes' if sum(counts.values()) == 1 else 'go'} public"
        setting = f"defaults: {{private: [{', '.join(fields)}]}}"
        hint = f"to keep such data private, add it in {WORKSPACE}: {setting}"
        self.add([Diagnostic("note", "public", fact, hint=hint).as_json()])

    def add(self, notes: Iterable[JsonObject]) -> None:
        """Report what concerns no document of this build; each note once."""
        new = [note for note in notes if note not in self.notes]
        self.notes.extend(new)
        if not self._as_json:
            console.show(new)

    def is_missing(self, names: Iterable[str]) -> bool:
        """Return whether there was no document of one of these names."""
        return bool({*names} - {item["variant"] or item["template"] for item in self.documents})

    def close(self, *, interrupted: bool = False, **others: object) -> None:
        """Print the summary, or the JSON object, which has ``others`` too."""
        counts = self._counts()
        if self._as_json:
            from cvbuild.common import limits

            answer = {
                "sandbox": "landlock" if limits.landlock_version() else "none",
                "documents": self.documents,
                "notes": self.notes,
                "diagnostics": [item for items in self.files.values() for item in items],
                "summary": counts | {"interrupted": interrupted},
            }
            console.print_json(answer | others)
            return
        if self._is_of_many and counts["notes"]:
            notes = counted(counts["notes"], "note")
            people = counted(counts["people_with_notes"], "person", "people")
            said = (item for items in self._said.values() for item in items)
            is_of_files = all(item["severity"] == "error" for item in said)
            how = "cvbuild check" if is_of_files else "cvbuild build --json"
            console.say(f"{notes} on {people}; {how} lists them")
        if self._is_of_many or len(self.documents) > HANDFUL:
            # Then each failure with its first error; the same error once.
            from cvbuild.common.diagnostics import Diagnostic

            nouns = ("built", "up_to_date", "failed")
            words = [f"{counts[noun]} {noun.replace('_', ' ')}" for noun in nouns if counts[noun]]
            if wrong := counts["files_with_errors"]:
                words.append(f"{counted(wrong, 'file')} with errors")
            console.say(f"{', '.join(words) or 'nothing built'} in {counts['seconds']:.1f} s")
            failed = [(person.name, items) for person, items in self.files.items()]
            failed += [
                (f"{item['person']} {name_of(item)}", item["diagnostics"])
                for item in self.documents
                if item["path"] is None
            ]
            names_of: dict[str, list[str]] = {}
            for name, items in failed:
                if errors := [item for item in items if item["severity"] == "error"]:
                    names_of.setdefault(str(Diagnostic.from_json(errors[0])), []).append(name)
            for text, names in names_of.items():
                console.say(f"✗ {some(names)}: {text}")

    def _counts(self) -> JsonObject:
        """Return what became of documents and files, as --json has it."""
        built = [item for item in self.documents if item["path"] is not None]
        up_to_date = sum(bool(item["cached"]) for item in built)
        noted: dict[str, list[JsonObject]] = {}
        every = [(person.name, items) for person, items in self.files.items()]
        for name, items in (*every, *self._said.items()):
            for item in items:
                if item["severity"] != "error" and item not in noted.get(name, ()):
                    noted.setdefault(name, []).append(item)
        wrong = [any(item["severity"] == "error" for item in own) for own in self.files.values()]
        return {
            "built": len(built) - up_to_date,
            "up_to_date": up_to_date,
            "failed": len(self.documents) - len(built),
            "files_with_errors": sum(wrong),
            "notes": sum(map(len, noted.values())),
            "people_with_notes": len(noted),
            "seconds": round(time.monotonic() - self._began, 3),
        }


def name_of(document: JsonObject) -> str:
    """Return the name of a document among those of a person: ``academic``, ``academic.txt``."""
    return document_key(str(document["variant"] or document["template"]), document["format"])
