"""Drafts of e-mails to people: what is wrong in the own files, or how old they are.

Nothing is sent. Drafts about errors and about updates have a folder each; an earlier one is removed
if there is nothing to say any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

from msgspec.structs import replace

from cvbuild.applications.packet import email
from cvbuild.applications.packet.email import Draft, Mailbox
from cvbuild.cli import console
from cvbuild.cli.summary import counted, some
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import safe_folders
from cvbuild.inputs import output_folder, person_file, person_names, workspace
from cvbuild.inputs.people import MAIL, Person

#: What the person can mend, the worst first; notes are for whoever builds.
_KINDS = ("error", "warning")
#: The folders of drafts: what is wrong, and what should be looked through.
ERRORS, UPDATES = "errors", "updates"


def write(found: Mapping[Person, Iterable[Diagnostic]]) -> None:
    """Write a draft for each person with errors or warnings, and say how many there are.

    Raises CvbuildError if a folder is a link, or can't be written.
    """
    drafts: dict[str, Draft | None] = {}
    names = person_names.read(person.path for person in found)
    for person, items in found.items():
        own = [*dict.fromkeys(_own(person.path, [*items]))]
        name = next(iter(names[person.path]), "") or person.name
        drafts[person.name] = _draft(person, name, own) if own else None
    put(ERRORS, drafts)


def to(person: Person, name: str, subject: str, *paragraphs: str) -> Draft:
    """Return a draft to a person of that ``name``, at the first public address of the file."""
    body = "\n\n".join([f"Dear {name},", *paragraphs])
    return Draft(subject, body, recipient=Mailbox(name, _address(person)))


def put(kind: str, drafts: Mapping[str, Draft | None]) -> None:
    """Write the drafts by people's names, say how many there are, and remove those that are None.

    Raises CvbuildError if a folder is a link, or can't be written.
    """
    out = output_folder.default()
    written: list[str] = []
    without: list[str] = []
    with safe_folders.opened(out, MAIL, kind, make=True) as folder:
        for person, draft in drafts.items():
            name = f"{person}.eml"
            if draft:
                content, has_address = _encoded(draft)
                folder.write(name, content, f"{name}.new")
                written.append(person)
                without += [] if has_address else [person]
            elif folder.state(name):
                folder.unlink(name)
    where = f"{out}/{MAIL}/{kind}/"
    console.say(f"{counted(len(written), 'draft')} in {where}; send them with a mail program")
    if without:
        console.say(f"without an address, as the file has none that is public: {some(without)}")


def _own(file: Path, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield what is wrong in a person's own files, the worst first; not in the workspace's."""
    for kind in _KINDS:
        for item in found:
            if item.severity == kind and (item.span is None or _is_beside(file, item.span)):
                yield item


def _is_beside(file: Path, span: Span) -> bool:
    """Return whether a place is in the person's file or in one beside it, such as a BibTeX file."""
    return Path(span.file).is_relative_to(file.parent) and not workspace.is_shared(span)


def _draft(person: Person, name: str, found: list[Diagnostic]) -> Draft:
    """Return the draft to a person."""
    kinds = [(kind, [*items]) for kind, items in groupby(found, key=lambda one: one.severity)]
    words = " and ".join(counted(len(items), kind) for kind, items in kinds)
    lead = f"cvbuild found {words} in your CV. Each line says where, what, and how to mend it."
    lists = ["\n".join(f"- {item}" for item in items) for _, items in kinds]
    return to(person, name, f"Your CV: {words}", lead, *lists)


def _address(person: Person) -> str:
    """Return the first address in the file that isn't private; nothing if there is none."""
    source = person_file.read(person).source
    data = source.data if source else None
    contact = data.get("contact") if isinstance(data, dict) else None
    written = contact.get("email") if isinstance(contact, dict) else None
    for one in written if isinstance(written, list) else [written]:
        address = one.get("address") if isinstance(one, dict) else one
        if isinstance(address, str):
            return address
    return ""


def _encoded(draft: Draft) -> tuple[bytes, bool]:
    """Return the message, and whether it has an address: one that isn't valid is left out."""
    try:
        return email.message(draft), True
    except CvbuildError:
        return email.message(replace(draft, recipient=None)), False
