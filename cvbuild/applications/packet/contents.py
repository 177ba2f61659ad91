"""The contents of a packet: names and bytes of its files, from documents that were built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date as Day

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.applications import merge_pdf
from cvbuild.applications.documents import Documents
from cvbuild.applications.load import LoadedApplication
from cvbuild.applications.merge_pdf import About, Part
from cvbuild.applications.packet import email, file_names
from cvbuild.applications.packet.email import Draft, Mailbox
from cvbuild.building.outcome import Record
from cvbuild.common.diagnostics import Diagnostic, Span, path_of
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile, locales
from cvbuild.outputs import registry, text
from cvbuild.outputs.types import Plan

MESSAGE = "message.eml"


class Built(Struct, frozen=True):
    """A document that was built: everything that it was made from, its record and its bytes."""

    document: Plan
    record: Record
    content: bytes


class Names(Struct, frozen=True):
    """The names of the files; ``whole`` is the merged one, None if there is only one part.

    ``text`` and ``letter_text`` are plain text for forms; ``others`` are CV and letter in further
    formats.
    """

    cv: str
    text: str
    letter: str | None
    attached: tuple[str, ...]
    whole: str | None
    letter_text: str | None = None
    others: tuple[str, ...] = ()

    @property
    def parts(self) -> tuple[str, ...]:
        """The PDFs in reading order, without the merged one."""
        first = (self.cv,) if self.letter is None else (self.letter, self.cv)
        return (*first, *self.attached)


def names_of(loaded: LoadedApplication, tasks: Documents, day: Day) -> Names:
    """Return names by the application's pattern; raises CvbuildError if it can't name files."""
    cv = tasks.cv
    data, name = loaded.data, cv.profile.name
    fields = {
        "name": name.display,
        "given": name.given or "",
        "family": name.family or "",
        "position": data.position,
        "employer": data.employer,
        "date": day.isoformat(),
        "slug": loaded.slug,
        "template": cv.template,
        "variant": cv.variant or "",
    }
    locale = data.locale or (cv.chosen.locale if cv.chosen else None) or cv.profile.locale
    cv_kind, letter_kind, whole_kind = (
        file_names.kind(document, locale) for document in ("cv", "letter", "application")
    )
    letter = [letter_kind] if loaded.letter else []
    titles = [one.title for one in loaded.attached]
    whole = [whole_kind] if letter or titles else []
    pattern = data.files or file_names.DEFAULT
    span = loaded.source.span(("files",) if data.files else ("attachments",))
    documents = [{**fields, "kind": kind} for kind in (cv_kind, *letter, *titles, *whole)]
    names = list(file_names.file_names(pattern, documents, ".pdf", span))
    texts = [file_names.file_name(pattern, one, ".txt", span) for one in documents[:2]]
    others = [
        file_names.file_name(
            pattern, documents[bool(task.draft)], registry.find(task.format).suffix, span
        )
        for task in tasks.others
    ]
    written = [*texts[: 2 if letter else 1], *others]
    hint = "leave out the format txt: the text is there already"
    file_names.distinct(written, loaded.source.span(("formats",)), hint)
    return Names(
        others=tuple(others),
        letter_text=texts[1] if letter else None,
        cv=names.pop(0),
        text=texts[0],
        letter=names.pop(0) if letter else None,
        whole=names.pop() if whole else None,
        attached=tuple(names),
    )


def attached(loaded: LoadedApplication) -> tuple[Part, ...]:
    """Return the attachments as parts of the merged file."""
    return tuple(
        Part(one.title, one.content, one.path.name, span=one.span) for one in loaded.attached
    )


def files(
    loaded: LoadedApplication,
    names: Names,
    cv: Built,
    letter: Built | None,
    others: Iterable[Built] = (),
) -> tuple[dict[str, bytes], tuple[Diagnostic, ...]]:
    """Return all files of an application's packet by name, and notes on them.

    Raises CvbuildError for parts that can't be merged, and for a message that is too large.
    """
    data, profile = loaded.data, cv.document.task.profile
    table = locales.table(profile.locale).words
    applying = table["letter-subject"].format(position=data.named_position)
    subject = f"{applying}, {profile.name.display}"
    titles = {table["letter-title"]: letter} if letter else {}
    titles[table["cv-title"]] = cv
    own = (
        Part(title, one.content, one.document.path.name, profile.locale, is_own=True)
        for title, one in titles.items()
    )
    parts = (*own, *attached(loaded))
    files = dict(zip(names.parts, (part.content for part in parts), strict=True))
    sent, notes = dict(files), tuple[Diagnostic, ...]()
    if names.whole:
        about = About(subject, profile.name.display, profile.locale, cv.record.epoch)
        merged = merge_pdf.merge(parts, about)
        files[names.whole], notes = merged.content, merged.notes
        if data.attach == "merged":
            sent = {names.whole: merged.content}
    files[names.text] = _text(cv).encode("utf-8")
    if names.letter_text and letter:
        files[names.letter_text] = text.text(letter.document.shown.view).encode("utf-8")
    further = dict(zip(names.others, (one.content for one in others), strict=True))
    attachments = tuple({**sent, **further}.items())
    draft = replace(_draft(loaded, profile, subject, table), attachments=attachments)
    mail = email.message(draft, _places(loaded, cv.document.task.source))
    limited = "size-limit" if "size_limit" in data.model_fields_set else "attachments"
    email.check_size(mail, attachments, data.size_limit, loaded.source.span((limited,)))
    return {**files, **further, MESSAGE: mail}, notes


def _places(loaded: LoadedApplication, person: Source) -> dict[str, Span | None]:
    """Return where the message's headers come from."""
    data, source = loaded.data, loaded.source
    own_subject = data.message is not None and data.message.subject
    return {
        "From": person.span(("contact", "email")),
        "To": source.span(("recipient", "email")),
        "Subject": source.span(("message", "subject") if own_subject else ("position",)),
    }


def _text(built: Built) -> str:
    """Return the CV as text: what its PDF shows, without what one page had no room for."""
    left_out = frozenset(path_of(name) for name in built.record.left_out)
    selected = built.document.selected
    fitting = replace(selected, left_out=selected.left_out | left_out)
    return text.text(built.document.shown.view_of(fitting))


def _draft(
    loaded: LoadedApplication, profile: Profile, subject: str, table: Mapping[str, str]
) -> Draft:
    data, name = loaded.data, profile.name.display
    sender, to, message = next(iter(profile.contact.email), None), data.recipient, data.message
    body = (message and message.body) or _body(loaded, profile, table)
    return Draft(
        subject=(message and message.subject) or subject,
        body=body,
        sender=Mailbox(name, sender.address) if sender else None,
        recipient=Mailbox(to.name or "", to.email) if to and to.email else None,
    )


def _body(loaded: LoadedApplication, profile: Profile, table: Mapping[str, str]) -> str:
    """Return a short message: the letter's greeting, a sentence on the position, its closing."""
    data = loaded.data
    to, letter = data.recipient, loaded.letter and loaded.letter.letter
    greeting = table["letter-opening"]
    if to and to.name:
        greeting = table["letter-opening-name"].format(name=to.name)
    greeting = (letter and letter.opening) or greeting
    closing = (letter and letter.closing) or table["letter-closing"]
    sentence = table["letter-email"].format(position=data.position, employer=data.employer)
    return f"{greeting}\n\n{sentence}\n\n{closing}\n{profile.name.display}"
