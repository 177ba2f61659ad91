"""The report of a build: a line per document, and its diagnostics."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from cvbuild.building.request import MARKDOWN, Request, document_key
from cvbuild.cli import console
from cvbuild.inputs.output_folder import DefaultFolder

if TYPE_CHECKING:
    from cvbuild.building.cache.index_format import JsonObject
    from cvbuild.cli.progress import Lines


def request_of(given: argparse.Namespace) -> Request:
    """Return what the arguments and the environment request."""
    return Request(
        out=given.out,
        templates=tuple(name for names in given.template for name in names),
        all_templates=given.all_templates,
        variants=tuple(name for names in given.variant for name in names),
        everybody=not given.people,
        template_path=tuple(given.template_path),
        engine=given.engine,
        driver=given.driver,
        locale=given.locale,
        epoch=os.environ.get("SOURCE_DATE_EPOCH", ""),
        cluster=getattr(given, "cluster", None) or "",
        private=given.private,
        sets=tuple(given.set),
        formats=_formats(given),
        one_folder=not isinstance(given.out, DefaultFolder),
    )


def _formats(given: argparse.Namespace) -> tuple[str, ...]:
    """Return the formats, with the flavour in the place of Markdown; raises UsageError."""
    names = [name for names in given.format for name in names]
    flavour = getattr(given, "flavour", None)
    if flavour and MARKDOWN not in names:
        from cvbuild.common.errors import UsageError

        message = "--flavour is for Markdown, and no format md is requested"
        raise UsageError.because("format", message, f"add --format md to --flavour {flavour}")
    return tuple(dict.fromkeys(flavour if flavour and name == MARKDOWN else name for name in names))


class Report:
    """The report on documents: a line each as they are done, or one JSON object at the end."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._documents: list[JsonObject] = []
        self._notes: list[JsonObject] = []
        self._faults: list[JsonObject] = []
        self._names: set[str] = set()
        self._packages: list[JsonObject] = []

    def faults(self, diagnostics: Iterable[JsonObject]) -> None:
        """Report the diagnostics of a person's file."""
        if self._as_json:
            self._faults.extend(diagnostics)
        else:
            console.show_plain(diagnostics)

    def document(
        self, document: JsonObject, notes: Iterable[JsonObject], lines: Lines | None = None
    ) -> None:
        """Report a document; each note once. ``lines`` are those on the terminal."""
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
            console.say(f"  TeX's log: {document['log']}")

    def _not_repeated(self, diagnostics: Iterable[JsonObject]) -> Iterator[JsonObject]:
        """Yield all but what was reported of a faulty package already."""
        for one in diagnostics:
            if one["code"] != "plugin" or one not in self._packages:
                yield one
            if one["code"] == "plugin":
                self._packages.append(one)

    def is_missing(self, names: Iterable[str]) -> bool:
        """Return whether there was no document of one of these names."""
        return not self._names.issuperset(names)

    def close(self, **others: str) -> None:
        """Print the JSON object, which has ``others`` too."""
        if self._as_json:
            from cvbuild.common import sandbox

            console.print_json(
                {
                    "sandbox": sandbox.in_force(),
                    "documents": self._documents,
                    "notes": self._notes,
                    "diagnostics": self._faults,
                    **others,
                }
            )


def _show_left_out(document: JsonObject) -> None:
    left_out = document["left_out"]
    if not left_out:
        return
    from cvbuild.common.diagnostics import Diagnostic

    used = f", {document['fill']:.0%} of the page used" if document["fill"] else ""
    console.say(f"  left out {len(left_out)} to fit one page{used}:")
    for item in left_out:
        console.say(f"    {Diagnostic.from_json(item)}")


def _name(document: JsonObject) -> str:
    return document_key(str(document["variant"] or document["template"]), document["format"])


def _line(document: JsonObject) -> str:
    if document["path"] is None:
        return f"✗ {document['person']} {_name(document)}: failed"
    count = document["pages"]
    pages = f"{count} page" + ("" if count == 1 else "s") if count else None
    how = "up to date" if document["cached"] else f"{document['seconds']:.1f} s"
    words = (pages, how, document["fonts"], document["engine"])
    return f"✓ {document['path']}  {', '.join(filter(None, words))}"
