"""The requests about a text: a download, a match, a value, the fields of a part, additions."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct
from pydantic import Base64Bytes, Field
from starlette.responses import Response
from starlette.routing import Route

from cvbuild.applications import load, match
from cvbuild.applications.packets import mail
from cvbuild.building import pipeline, profiles
from cvbuild.common.diagnostics import CvbuildError, Span
from cvbuild.inputs import saving
from cvbuild.inputs.person import localize, person_file
from cvbuild.inputs.person.person_file import PersonFile
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.tree import leaves
from cvbuild.model.text import language_tags
from cvbuild.serve import adverts, begin, edits, live, messages
from cvbuild.serve.form import fields, shapes
from cvbuild.serve.messages import Change, DocumentName, Files, Json, Kind, Subject, Words, posted
from cvbuild.serve.pictures import first_page

_Scale = Annotated[float, Field(gt=0, le=2)]
#: The numbers of what is added; None asks what there is.
_Chosen = Annotated[list[int] | None, Field(max_length=10_000)]
_Changes = Annotated[list[Change], Field(min_length=1, max_length=1001)]


class Requests(Struct):
    """Answers to requests that have a text."""

    desk: live.Desk

    def routes(self) -> list[Route]:
        """Return what is answered."""
        seconds = self.desk.request.timeout
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
            posted("/sheet", self._sheet),
        ]

    def _checked(self, person: str, text: str) -> PersonFile | live.CheckedApplication:
        return live.check(self.desk.subject(person)._replace(text=text), self.desk.request)

    def _download(
        self,
        person: Subject,
        text: str,
        document: DocumentName,
        format: Words,  # noqa: A002
    ) -> Response:
        checked = self._checked(person, text)
        folder = self.desk.new_folder()
        try:
            request = self.desk.request._replace(out=folder)
            path = live.make(checked, document, request, format).path
            if path.is_dir():
                path = Path(shutil.make_archive(str(path), "zip", path))
            data = path.read_bytes()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        # As a packet's files are named: of whom and what; behind it, that of the document.
        profile = checked.profile if isinstance(checked, PersonFile) else None
        own, extension = None, "".join(path.name.partition(".")[1:])
        if isinstance(checked, live.CheckedApplication):
            # A person has many: with or without private data, in many languages.
            profile = checked.documents.cv.profile if checked.documents else None
            own, extension = checked.locale, path.suffix
        locale = document.locale or own or (profile.locale if profile else "en")
        kind = mail.kind("letter" if document.kind == "letter" else "cv", locale)
        who = profile.name.display if profile else checked.person.name
        values = {"name": who, "kind": kind}
        return messages.attachment(mail.file_name("{name}_{kind}", values, extension), data)

    def _fields(self, text: str, path: messages.Steps, kind: Kind = "person") -> Json:
        names, profile = {"locale": fields.languages()}, None
        if kind == "application":
            with suppress(CvbuildError):
                data: Any = source_stage.parse(text, "text").data
                profile = person_file.read(self.desk.person(str(data.get("person")))).profile
            styles = self.desk.templates.items()
            names |= {
                "person": {str(row["name"]): str(row["title"]) for row in self.desk.titles()},
                "variant": {name: name for name in profile.variants} if profile else {},
                "template": {name: style.manifest.title for name, style in styles},
            }
        return fields.read(text, tuple(path), shapes.ROOTS[kind], names)

    def _place(self, kind: Kind, before: str, after: str) -> object:
        library = self.desk.request.library
        return shapes.complete(before, after, shapes.ROOTS[kind], library)

    def _file(self, person: Subject, name: messages.FileName, data: Base64Bytes) -> Json:
        subject = self.desk.subject(person)
        if isinstance(subject, live.ApplicationFile):
            return {"name": load.keep(data, saving.plain_name(name), subject.path.parent)}
        return {"name": saving.photo(data, subject)}

    def _history(self, person: Subject, version: Words = "") -> Json:
        path, cache = self.desk.subject(person).path, self.desk.request.cache
        if version:
            return {"text": edits.text_of(path, cache, version)}
        return {"versions": edits.history(path, cache)}

    def _match(self, person: Subject, text: str, document: DocumentName, advert: str) -> Json:
        request = self.desk.request._replace(locale=language_tags.require(document.locale))
        chosen = pipeline.choose(live.task(self._checked(person, text), document, request))
        matches = match.run(chosen, match.read(advert, begin.PASTED))
        return match.as_json(chosen, begin.PASTED, chosen.profile.locale, matches)

    def _sheet(self, person: Subject, text: str, document: DocumentName, scale: _Scale) -> Json:
        """Send page 1 of a document; one at a time, and after what tabs make."""
        self.desk.wait()
        request = self.desk.request._replace(out=self.desk.folder / "sheets")
        made = live.make(self._checked(person, text), document, request)
        return {
            "picture": first_page(made.path, scale),
            "pages": made.outcome.pages,
            "left_out": len(made.outcome.left_out),
        }

    def _untranslated(self, person: Subject, text: str, locale: Words) -> Json:
        request, tag = self.desk.request, language_tags.require(locale)
        own = self.desk.person(person)._replace(text=text)
        checked = profiles.check(own, request.library, seconds=request.timeout)
        profile, whole = checked.profile, checked.source
        if profile is None or whole is None or tag is None:
            raise CvbuildError(checked.diagnostics)
        # The texts of the file by where they are: path, words, language.
        file, written = source_stage.parse(text, source_stage.name_of(own.path)), dict[Span, Json]()
        for node, leaf in leaves(file.tree):
            words, path, language = node.data, leaf, profile.locale
            above = file.part(leaf[:-1]).data
            if shapes.in_languages(above):
                path, language = (
                    leaf[:-1],
                    language_tags.choose(above, language) or next(iter(above)),
                )
                words = above[language]
            known = {"path": list(path), "words": words or "", "language": language}
            written[file.span(path)] = known
        notes = [
            {**note.as_json(), "text": note.span and written.get(note.span)}
            for note in localize.localize(profile, tag)[1].each(whole)
        ]
        return {"notes": notes, "language": language_tags.canonical(tag)}

    def _additions(self, person: Subject, text: str, files: Files, chosen: _Chosen = None) -> Json:
        """Send what files would add to a text, or the text with what was chosen of it."""
        own = self.desk.person(person)
        # Whose they are is known: an author's list of works is of several people.
        read, _ = begin.read_files(files, own.name, self.desk.new_folder())
        return edits.additions(own, text, str(read["text"]), chosen)


def _advert(text: str, advert: str) -> Json:
    told = adverts.read(advert, begin.PASTED)
    values = [
        {"path": list(path), "value": told.get(path), "is_free": adverts.is_free(text, path)}
        for path in adverts.PATHS
    ]
    return {"values": values}


def _set(text: str, changes: _Changes, kind: Kind = "person") -> Json:
    after, path = edits.applied(text, changes, shapes.ROOTS[kind])
    return {"text": after, "path": list(path)}
