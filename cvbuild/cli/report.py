"""What a build prints: a line per document, and what people should know of it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cvbuild.building.request import PDF, Asked, key_of
from cvbuild.cli import console

if TYPE_CHECKING:
    from cvbuild.building.cache.index_format import Plain
    from cvbuild.cli.progress import Lines


def asked_of(given: argparse.Namespace) -> Asked:
    """What the arguments and the environment ask for."""
    return Asked(
        out=given.out,
        templates=tuple(name for names in given.template for name in names),
        all_templates=given.all_templates,
        variants=tuple(name for names in given.variant for name in names),
        everybody=not given.people,
        template_path=tuple(given.template_path),
        engine=given.engine,
        driver=given.driver,
        tags=given.tags,
        locale=given.locale,
        epoch=os.environ.get("SOURCE_DATE_EPOCH", ""),
        cluster=getattr(given, "cluster", None) or "",
        private=given.private,
        sets=tuple(given.set),
        formats=tuple(dict.fromkeys(name for names in given.format for name in names)) or (PDF,),
    )


class Report:
    """What is said of documents: a line each as they come, or one JSON object at the end."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._documents: list[Plain] = []
        self._notes: list[Plain] = []
        self._faults: list[Plain] = []
        self._names: set[str] = set()
        self._packages: list[Plain] = []

    def faults(self, diagnostics: Iterable[Plain]) -> None:
        """What is to be said of a person's file."""
        if self._as_json:
            self._faults.extend(diagnostics)
        else:
            console.show_plain(diagnostics)

    def document(self, document: Plain, notes: Iterable[Plain], lines: Lines | None = None) -> None:
        """A document, with the notes that are made once; ``lines`` are those on the terminal."""
        self._names.add(str(document["variant"] or document["template"]))
        new = [note for note in notes if note not in self._notes]
        self._notes.extend(new)
        if self._as_json:
            self._documents.append(document)
            return
        if lines:
            lines.end(f"{document['person']} {_name(document)}", _line(document))
        else:
            console.say(_line(document))
        console.show_plain((*new, *self._not_repeated(document["diagnostics"])))
        if not document["cached"]:
            _show_left_out(document)
        if document["log"]:
            console.say(f"  TeX's words: {document['log']}")

    def _not_repeated(self, diagnostics: Iterable[Plain]) -> Iterator[Plain]:
        """Yield them without what was said of a faulty package already."""
        for one in diagnostics:
            if one["code"] != "plugin" or one not in self._packages:
                yield one
            if one["code"] == "plugin":
                self._packages.append(one)

    def lacks(self, names: Iterable[str]) -> bool:
        """Whether there was no document of one of these names."""
        return not self._names.issuperset(names)

    def close(self) -> None:
        """Print the JSON object."""
        if self._as_json:
            console.print_json(
                {
                    "documents": self._documents,
                    "notes": self._notes,
                    "diagnostics": self._faults,
                }
            )


def _show_left_out(document: Plain) -> None:
    left_out = document["left_out"]
    if not left_out:
        return
    from cvbuild.common.diagnostics import Diagnostic

    used = f", {document['fill']:.0%} of the page used" if document["fill"] else ""
    console.say(f"  left out {len(left_out)} to fit one page{used}:")
    for item in left_out:
        console.say(f"    {Diagnostic.from_json(item)}")


def _name(document: Plain) -> str:
    return key_of(str(document["variant"] or document["template"]), document["format"])


def _line(document: Plain) -> str:
    if document["path"] is None:
        return f"✗ {document['person']} {_name(document)}: failed"
    count = document["pages"]
    pages = f"{count} page" + ("" if count == 1 else "s") if count else None
    how = "up to date" if document["cached"] else f"{document['seconds']:.1f} s"
    words = (pages, how, document["fonts"], document["engine"])
    return f"✓ {document['path']}  {', '.join(filter(None, words))}"
