"""The requests about a text: a download, a match, a value, the fields of a part, additions."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Base64Bytes, Field
from starlette.responses import Response
from starlette.routing import Route

from cvbuild.applications import load, mail, match
from cvbuild.building import pipeline, profiles
from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers import adverts
from cvbuild.inputs import localize, saving
from cvbuild.inputs.person_file import PersonFile
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.entries import EditError
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import language_tags
from cvbuild.serve import begin, edits, files, live, messages
from cvbuild.serve.desk import Desk
from cvbuild.serve.form import completion, fields, rows, shapes
from cvbuild.serve.live import ApplicationFile, CheckedApplication
from cvbuild.serve.messages import Change, DocumentName, Files, Json, Kind, Subject, Words, posted
from cvbuild.serve.pictures import first_page

_Scale = Annotated[float, Field(gt=0, le=2)]
#: The numbers of what is added; None asks what there is.
_Chosen = Annotated[list[int] | None, Field(max_length=10_000)]
_Changes = Annotated[list[Change], Field(min_length=1, max_length=1001)]


class Requests:
    """Answers to requests that have a text."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> list[Route]:
        """Return what is answered."""
        seconds = self._desk.request.timeout
        return [
            posted("/download", self._download),
            posted("/match", self._match),
            posted("/file", self._file),
            posted("/set", _set, seconds=seconds),
            posted("/advert", _advert, seconds=seconds),
            posted("/history", self._history, seconds=seconds),
            posted("/fields", self._fields, seconds=seconds),
            posted("/place", self._place, seconds=seconds),
            posted("/untranslated", self._untranslated, seconds=seconds),
            posted("/additions", self._additions, seconds=seconds),
            # What somebody looks at comes first.
            posted("/sheet", self._sheet, before=self._desk.idle),
        ]

    def _checked(self, person: str, text: str) -> PersonFile | CheckedApplication:
        asked = live.subject_of(person, self._desk.people())
        return live.check(asked._replace(text=text), self._desk.request)

    def _download(
        self,
        person: Subject,
        text: str,
        document: DocumentName,
        format: Words,  # noqa: A002
    ) -> Response:
        """Send a document in a format."""
        checked = self._checked(person, text)
        folder = self._desk.new_folder()
        try:
            request = self._desk.request._replace(out=folder)
            made = live.make(checked, document, request, format)
            name, data = messages.packed(made.path)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return messages.attachment(_download_name(document, checked, name), data)

    def _fields(self, text: str, path: messages.Steps, kind: Kind = "person") -> Json:
        """Send the fields of a part of a text."""
        known: fields.Names = {"locale": fields.languages()}
        if kind == "application":
            known = fields.names_in(text, self._desk)
        return fields.read(text, tuple(path), shapes.ROOTS[kind], known)

    def _place(self, kind: Kind, before: str, after: str) -> object:
        """Send what may be written at a place of a text."""
        library = self._desk.request.library
        return completion.complete(before, after, shapes.ROOTS[kind], library)

    def _file(self, person: Subject, name: messages.FileName, data: Base64Bytes) -> Json:
        """Keep a person's photo or a PDF of an application, and send the name of its file."""
        subject = live.subject_of(person, self._desk.people())
        if isinstance(subject, ApplicationFile):
            kept = load.keep(data, saving.plain_name(name), subject.path.parent)
        else:
            kept = saving.photo(data, subject)
        return {"name": kept}

    def _history(self, person: Subject, version: Words = "") -> Json:
        """Send the earlier versions of a file, or the text of one of them."""
        path = live.subject_of(person, self._desk.people()).path
        cache = self._desk.request.cache
        if version:
            return {"text": files.text_of(path, cache, version)}
        return {"versions": files.history(path, cache)}

    def _match(self, person: Subject, text: str, document: DocumentName, advert: str) -> Json:
        """Send what an advertisement asks for, and whether a document has it."""
        request = self._desk.request
        checked = self._checked(person, text)
        task = live.task(checked, document, request)
        terms = match.read(advert, begin.PASTED)
        locale = pipeline.known_locale(document.locale)
        chosen = pipeline.choose(task, request._replace(locale=locale))
        matches = match.run(chosen, terms)
        return match.as_json(chosen, begin.PASTED, chosen.profile.locale, matches)

    def _sheet(self, person: Subject, text: str, document: DocumentName, scale: _Scale) -> Json:
        """Send page 1 of a document; one at a time, and after what tabs make."""
        checked = self._checked(person, text)
        request = self._desk.request._replace(out=self._desk.folder / "sheets")
        made = live.make(checked, document, request)
        return {
            "picture": first_page(made.path, scale),
            "pages": made.outcome.pages,
            "left_out": len(made.outcome.left_out),
        }

    def _untranslated(self, person: Subject, text: str, locale: Words) -> Json:
        """Send a note for each text that isn't in a language."""
        request, tag = self._desk.request, pipeline.known_locale(locale)
        own = self._desk.person(person)._replace(text=text)
        checked = profiles.check(own, request.library, seconds=request.timeout)
        profile, whole = checked.profile, checked.source
        if profile is None or whole is None or tag is None:
            raise CvbuildError(checked.diagnostics)
        written = _texts(source_stage.parse(text, source_stage.name_of(own.path)), profile.locale)
        notes = [
            {**note.as_json(), "text": written.get(note.span)}
            for _, note in localize.untranslated(profile, whole, tag)
        ]
        return {"notes": notes, "language": language_tags.canonical(tag)}

    def _additions(self, person: Subject, text: str, files: Files, chosen: _Chosen = None) -> Json:
        """Send what files would add to a text, or the text with what was chosen of it."""
        own = self._desk.person(person)
        # Whose they are is known: an author's list of works is of several people.
        read, _ = begin.read_files(files, own.name, self._desk.new_folder())
        there = source_stage.parse(text, str(own.path))
        new = source_stage.parse(str(read["text"]), "import")
        found = edits.Import(own, there, new)
        if chosen is None:
            rows, notes = found.in_words()
            return {"additions": rows, "notes": notes}
        try:
            return {"text": found.added_to(text, chosen)}
        except EditError:
            fact = "nothing can be added without changing the rest of the file"
            hint = "import it as a file of its own, and copy from there"
            raise CvbuildError.because("merge", fact, hint) from None


def _download_name(
    document: DocumentName, checked: PersonFile | CheckedApplication, name: str
) -> str:
    """Return a name as a packet's files have: of whom and what; behind it, that of the document."""
    if isinstance(checked, CheckedApplication):
        profile = checked.documents.cv.profile if checked.documents else None
        own, extension = checked.locale, Path(name).suffix
    else:
        # A person has many: with or without private data, in many languages.
        profile, own, extension = checked.profile, None, "".join(name.partition(".")[1:])
    locale = document.locale or own or (profile.locale if profile else "en")
    kind = mail.kind("letter" if document.kind == "letter" else "cv", locale)
    who = profile.name.display if profile else checked.person.name
    return mail.file_name("{name}_{kind}", {"name": who, "kind": kind}, extension)


def _advert(text: str, advert: str) -> Json:
    """Send what an advertisement says of an application, and what that has already."""
    told = adverts.read(advert, begin.PASTED)
    values = [
        {"path": list(path), "value": told.get(path), "is_free": adverts.is_free(text, path)}
        for path in adverts.PATHS
    ]
    return {"values": values}


def _set(text: str, changes: _Changes, kind: Kind = "person") -> Json:
    """Send a text after changes, and where the first one's value is."""
    after, path = edits.applied(text, changes, shapes.ROOTS[kind])
    return {"text": after, "path": list(path)}


def _texts(source: Source, own: str) -> Mapping[Span | None, Json]:
    """Return the texts of a file by where they are: path, words, language; ``own`` is usual."""
    texts = dict[Span | None, Json]()
    for node, leaf in source_stage.leaves(source.tree):
        words, path, language, above = node.data, leaf, own, source.part(leaf[:-1]).data
        if rows.in_languages(above):
            path, language = leaf[:-1], language_tags.choose(above, own) or next(iter(above))
            words = above[language]
        known = {"path": list(path), "words": words or "", "language": language}
        texts[source.span(path)] = known
    return texts
