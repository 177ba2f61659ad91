"""What a build or a check found, for others: GitHub's annotations, drafts to people."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cvbuild.cli import console
from cvbuild.cli.console import counted, some
from cvbuild.cli.report import Report
from cvbuild.common.diagnostics import CvbuildError, Diagnostic
from cvbuild.common.files import safe_files, safe_folders
from cvbuild.inputs.people import MAIL, Person
from cvbuild.inputs.person import person_file, settings
from cvbuild.inputs.references import identity
from cvbuild.model import locales
from cvbuild.model.profile import Mail
from cvbuild.model.text import language_tags

if TYPE_CHECKING:
    from cvbuild.applications.packets.mail import Draft

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def of_build(
    given: argparse.Namespace, report: Report, stopped: BaseException | None = None
) -> None:
    """Tell what a build found; ``stopped`` is what ended it early. Raises CvbuildError."""
    read = Diagnostic.from_json
    files = {person: [*map(read, items)] for person, items in report.files.items()}
    by_name = {person.name: items for person, items in files.items()}
    others = [*map(read, report.notes)]
    for document in report.documents:
        by_name.setdefault(document["person"], others).extend(map(read, document["diagnostics"]))
    if isinstance(stopped, KeyboardInterrupt):
        fact = "it was interrupted before everything was done"
        others.append(Diagnostic("error", "interrupted", fact))
    elif isinstance(stopped, CvbuildError):
        others += stopped.diagnostics
    write(given, files, others)


def write(
    given: argparse.Namespace,
    by_person: Mapping[Person, Iterable[Diagnostic]],
    others: Iterable[Diagnostic] = (),
) -> None:
    """Tell what is asked for of what was found, by person; raises CvbuildError."""
    # Each once, with its title.
    titles = dict[Diagnostic, str]()
    for title, items in (*((who.name, own) for who, own in by_person.items()), ("cvbuild", others)):
        for item in items if given.github else ():
            titles.setdefault(item, title)
    for item in sorted(titles, key=lambda item: [*_COMMANDS].index(item.severity)):
        place = dict[str, object]()
        if item.span:
            # The path in the repository, which need not be the working folder.
            file, top = item.span.file, os.environ.get("GITHUB_WORKSPACE")
            inside = os.path.relpath(os.path.realpath(file), os.path.realpath(top)) if top else file
            place["file"] = file if inside.startswith(os.pardir) else inside.replace(os.sep, "/")
            if item.span.line:
                place |= {"line": item.span.line, "col": item.span.column}
        place["title"] = titles[item]
        values = ",".join(f"{name}={_data(str(value), ':,')}" for name, value in place.items())
        hint = f"; {item.hint}" if item.hint else ""
        console.command(f"::{_COMMANDS[item.severity]} {values}::{_data(item.message + hint)}")
    if given.mail:
        write_drafts(by_person)


def _data(text: str, others: str = "") -> str:
    """Escape a message; the value of a property, with ``others``."""
    return "".join(f"%{ord(c):02X}" if c in f"%\r\n{others}" else c for c in text)


# -- drafts of e-mails to people about what is wrong in their own files; nothing is sent -----------

#: What the person can mend, the worst first; notes are for whoever builds.
_KINDS = ("error", "warning")
#: The folder of the drafts.
_FOLDER = "errors"


def write_drafts(by_person: Mapping[Person, Iterable[Diagnostic]]) -> None:
    """Write a draft for each person with errors or warnings; remove that of one with none."""
    # It loads the package email, which a check without drafts doesn't need.
    from cvbuild.applications.packets.mail import message

    written = 0
    without: list[str] = []
    folder = safe_folders.real(safe_files.OUT, MAIL, _FOLDER, make=True)
    for person, items in by_person.items():
        file = f"{person.name}.eml"
        # What is wrong in the person's file or in one beside it, such as a BibTeX file.
        own = [
            item
            for item in dict.fromkeys(items)
            if item.severity in _KINDS
            and (
                item.span is None
                or (
                    Path(item.span.file).is_relative_to(person.path.parent)
                    and not settings.is_shared(item.span)
                )
            )
        ]
        if own:
            own.sort(key=lambda item: _KINDS.index(item.severity))
            draft = _draft(person, own)
            try:
                content = message(draft)
            except CvbuildError:  # the address isn't valid
                draft = replace(draft, recipient=None)
                content = message(draft)
            safe_folders.write(folder / file, content)
            written += 1
            without += [] if draft.recipient else [person.name]
        else:
            (folder / file).unlink(missing_ok=True)
    if not written:
        console.say("no drafts: nobody has errors or warnings in the own files")
        return
    where = f"{safe_files.OUT}/{MAIL}/{_FOLDER}/"
    console.say(f"{counted(written, 'draft')} in {where}; send them with a mail program")
    if without:
        console.say(f"without an address, as the file has none that is public: {some(without)}")


def _draft(person: Person, faults: list[Diagnostic]) -> Draft:
    """Return a draft about what is wrong, to the first address that isn't private, if any."""
    from cvbuild.applications.packets.mail import Draft, Mailbox

    source = person_file.read(person).source
    data = source.data if source and isinstance(source.data, dict) else {}
    name = next(iter(identity.name_forms(data.get("name"))), person.name)
    locale = str(data.get("locale", ""))
    locale = locale if language_tags.locale(locale) else "en"
    loaded = settings.load(settings.file_of(person.path))
    mail = loaded.data.mail if loaded and loaded.data else Mail()

    def words(text: str | None) -> str:
        """Return a text of the workspace in the language, else in the first that it has."""
        texts = dict(getattr(text, "translations", ()))
        tag = language_tags.choose(texts, locale) or next(iter(texts), "")
        return texts[tag] if texts else text or ""

    kinds = [(kind, [*items]) for kind, items in groupby(faults, key=lambda item: item.severity)]
    count = " and ".join(counted(len(items), kind) for kind, items in kinds)
    greeting = locales.table(locale).words["letter-opening-name"].format(name=name)
    lead = f"cvbuild found {count} in your CV. Each line says where, what, and how to mend it."
    lists = ["\n".join(f"- {item}" for item in items) for _, items in kinds]
    body = "\n\n".join([greeting, words(mail.text) or lead, *lists])
    contact = data.get("contact")
    written = contact.get("email") if isinstance(contact, dict) else None
    every = written if isinstance(written, list) else [written]
    addresses = [item.get("address") if isinstance(item, dict) else item for item in every]
    address = next((item for item in addresses if isinstance(item, str)), "")
    return Draft(words(mail.subject) or f"Your CV: {count}", body, recipient=Mailbox(name, address))
