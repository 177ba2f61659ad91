"""Build the packet of an application, everything that goes out with it: whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date as Day
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.applications import documents
from cvbuild.applications.documents import Documents
from cvbuild.applications.load import FOLDER, MAX_BYTES, LoadedApplication, Part
from cvbuild.applications.packets import mail, merge_pdf
from cvbuild.applications.packets.merge_pdf import About
from cvbuild.building import batch
from cvbuild.building.pipeline import Record, prepare
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, NoTexError, foreign, path_of
from cvbuild.common.files import file_state, safe_files, safe_folders
from cvbuild.common.files.safe_folders import BUILD
from cvbuild.model import locales
from cvbuild.model.profile import Profile
from cvbuild.outputs.formats import text
from cvbuild.outputs.request import APPLICATIONS, Request
from cvbuild.outputs.types import Shown, Task, find_output


class Packet(Struct, frozen=True):
    """A packet that was built, or was up to date (``cached``).

    ``files`` are names in ``folder``; ``inputs`` what people wrote, by names in a workspace;
    ``pages`` the numbers of pages of PDFs that TeX made.
    """

    application: LoadedApplication
    folder: Path
    files: tuple[str, ...]
    inputs: tuple[tuple[str, Path], ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    cached: bool = False
    pages: Mapping[str, int] = field(default_factory=dict)

    def listed(self) -> list[dict[str, Any]]:
        """Return name, bytes and pages of each file."""
        sizes = {name: (self.folder / name).stat().st_size for name in self.files}
        return [{"name": n, "size": size, "pages": self.pages.get(n)} for n, size in sizes.items()]


def build(
    loaded: LoadedApplication, request: Request, root: Path = Path(), day: Day | None = None
) -> Packet:
    """Build the documents of an application and put its packet in place, or leave the old one.

    ``day`` is that of the letter and of the file names. Raises CvbuildError.
    """
    store = f"{BUILD}/{APPLICATIONS}/{loaded.slug}"
    safe_files.refuse_links(request.out, f"{FOLDER}/{loaded.slug}", store)
    request = request._replace(locale=loaded.data.locale or request.locale, jobs=2)
    day = day or request.counted_from
    tasks = documents.of(loaded, request, day, root)
    names = names_of(loaded, tasks, day)
    pdfs = [task for task in (tasks.cv, tasks.letter) if task]
    outcomes = [*batch.run((*pdfs, *tasks.others), request)]
    failed = [outcome for outcome in outcomes if outcome.path is None]
    if failed:
        has_tex = all(outcome.exit_code != NoTexError.exit_code for outcome in failed)
        faults = dict.fromkeys(item for outcome in failed for item in outcome.diagnostics)
        raise (CvbuildError if has_tex else NoTexError)(faults)
    for outcome in outcomes:
        if outcome.path and outcome.path.is_dir():
            fact = f"{outcome.format} makes a folder, which can't go out with an application"
            span = loaded.source.span(("formats",))
            raise CvbuildError.because("format", fact, "leave it out", span)
    own = [_built(task) for task in reversed(pdfs)]
    cv, others = own[-1], [_built(task) for task in tasks.others]
    # The CV's come first, whichever was built first.
    outcomes.sort(key=lambda outcome: outcome.path != cv.document.path)
    diagnostics = [*loaded.warnings, *tasks.warnings]
    for outcome in outcomes:
        noted = (*outcome.notes, *outcome.diagnostics, *outcome.left_out)
        # The letter's head is the CV's, which has the same diagnostics.
        is_cv = outcome.path == cv.document.path
        diagnostics += [item for item in noted if is_cv or item.code != "untranslated"]
    files, notes = packet_files(loaded, names, own, others)
    folder = request.out / FOLDER / loaded.slug
    cached = _is_put(files, folder, request.out / store)
    return Packet(
        application=loaded,
        folder=folder,
        files=tuple(files),
        inputs=documents.inputs(loaded, [each.document for each in own]),
        diagnostics=tuple(dict.fromkeys((*diagnostics, *notes))),
        cached=cached,
        pages={name: each.record.pages or 0 for name, each in zip(names.parts, own, strict=False)},
    )


def _built(task: Task) -> Built:
    """Return a document as it was built; raises CvbuildError if it has changed since."""
    document = prepare(task)
    record = Record.read(document.record, task.request.cache)
    with foreign("packet", "can't read what was built"):
        content = safe_files.read(document.path, MAX_BYTES, links=False)
    # Another run may have built it from a newer text of the person's.
    is_ours = record is not None and record.key == document.key
    if record is None or not is_ours or record.file_hash != file_state.hash_of(content):
        reason = f"{document.path} was changed while the packet was built"
        raise CvbuildError.because("packet", reason, "try again")
    return Built(document, record, content)


def _is_put(files: Mapping[str, bytes], folder: Path, lock: Path) -> bool:
    """Put the packet in place; return whether it was there, and was left alone."""
    hint = "nothing was changed; check the output folder"
    with (
        foreign("packet", "can't write the packet", hint),
        safe_folders.locked(safe_folders.stored(lock, make=True)),
    ):
        # No slug has a full stop. What a killed run left under this name goes, too.
        new = safe_folders.real(folder.parent.parent, FOLDER, make=True) / f".{folder.name}.new"
        try:
            if safe_folders.hash_at(folder) == file_state.hash_of(files):
                return True
            safe_folders.write_contents(new, files)
            safe_folders.replace_contents(new, folder)
        finally:
            safe_folders.remove(new)
    return False


# -- the contents ----------------------------------------------------------------------------------

MESSAGE = "message.eml"


class Built(Struct, frozen=True):
    """A document that was built: everything that it was made from, its record and its bytes."""

    document: Shown
    record: Record
    content: bytes


class Names(Struct, frozen=True):
    """The PDFs in reading order, the merged one, CV and letter as text, both in further formats."""

    parts: tuple[str, ...]
    whole: str | None
    texts: tuple[str, ...]
    others: tuple[str, ...]


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
        "template": cv.style,
        "variant": cv.variant or "",
    }
    locale = data.locale or (cv.chosen.locale if cv.chosen else None) or cv.profile.locale
    own = [mail.kind(each, locale) for each in (("letter", "cv") if loaded.letter else ("cv",))]
    kinds = [*own, *(file.title for file in loaded.attached)]
    kinds += [mail.kind("application", locale)] if len(kinds) > 1 else []
    pattern = data.files or mail.DEFAULT
    span = loaded.source.span(("files",) if data.files else ("attachments",))
    documents = [{**fields, "kind": each} for each in kinds]
    names = [*mail.file_names(pattern, documents, ".pdf", span)]
    whole = names.pop() if len(names) > 1 else None
    # The CV's comes first.
    texts = [mail.file_name(pattern, of, ".txt", span) for of in documents[len(own) - 1 :: -1]]
    others = [
        mail.file_name(pattern, documents[0 if task.draft else len(own) - 1], suffix, span)
        for task in tasks.others
        for suffix in [find_output(task.format).suffix]
    ]
    place, hint = loaded.source.span(("formats",)), "leave it out: it is made already"
    mail.distinct([*names, *([whole] if whole else ()), *texts, *others], place, hint)
    return Names(tuple(names), whole, tuple(texts), tuple(others))


def packet_files(
    loaded: LoadedApplication, names: Names, own: Sequence[Built], others: Iterable[Built] = ()
) -> tuple[dict[str, bytes], tuple[Diagnostic, ...]]:
    """Return all files of an application's packet by name, and notes on them.

    ``own`` are the letter, if there is one, and the CV. Raises CvbuildError.
    """
    cv, letter = own[-1], own[0] if own[1:] else None
    data, profile = loaded.data, cv.document.profile
    table = locales.table(profile.locale).words
    applying = table["letter-subject"].format(position=data.named_position)
    subject = f"{applying}, {profile.name.display}"
    titles = (table["letter-title"], table["cv-title"])[-len(own) :]
    parts = [
        Part(title, pdf.content, pdf.document.path.name, profile.locale, is_own=True)
        for title, pdf in zip(titles, own, strict=True)
    ]
    parts += loaded.attached
    files = dict(zip(names.parts, (part.content for part in parts), strict=True))
    sent, notes = dict(files), tuple[Diagnostic, ...]()
    if names.whole:
        about = About(subject, profile.name.display, profile.locale, cv.record.epoch)
        merged = merge_pdf.merge(parts, about)
        files[names.whole], notes = merged.content, merged.notes
        if data.attach == "merged":
            sent = {names.whole: merged.content}
    # What its PDF shows, without what one page had no room for.
    selected, left_out = cv.document.selected, map(path_of, cv.record.left_out)
    fitting = replace(selected, left_out=selected.left_out.union(left_out))
    texts = [text.text(cv.document.view_of(fitting))]
    if letter:
        texts.append(text.text(letter.document.view))
    files |= {name: words.encode() for name, words in zip(names.texts, texts, strict=True)}
    further = dict(zip(names.others, (other.content for other in others), strict=True))
    attachments = tuple({**sent, **further}.items())
    sender, to, written = next(iter(profile.contact.email), None), data.recipient, data.message
    draft = mail.Draft(
        subject=(written and written.subject) or subject,
        body=(written and written.body) or _body(loaded, profile, table),
        sender=mail.Mailbox(profile.name.display, sender.address) if sender else None,
        recipient=mail.Mailbox(to.name or "", to.email) if to and to.email else None,
        attachments=attachments,
    )
    # Where the headers come from.
    source, has_subject = loaded.source, written is not None and written.subject
    places = {
        "From": cv.document.source.span(("contact", "email")),
        "To": source.span(("recipient", "email")),
        "Subject": source.span(("message", "subject") if has_subject else ("position",)),
    }
    content = mail.message(draft, places)
    limited = "size-limit" if "size_limit" in data.model_fields_set else "attachments"
    mail.check_size(content, attachments, data.size_limit, source.span((limited,)))
    return {**files, **further, MESSAGE: content}, notes


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
