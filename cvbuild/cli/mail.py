"""Drafts of e-mails to people about what is wrong in their own files; nothing is sent.

An earlier draft is removed if there is nothing to say any more.
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
#: The folder of the drafts.
_FOLDER = "errors"


def write(found: Mapping[Person, Iterable[Diagnostic]]) -> None:
    """Write a draft for each person with errors or warnings, and say how many there are.

    The draft of a person who has none is removed. Raises CvbuildError if a folder is a link, or
    can't be written.
    """
    out = output_folder.default()
    names = person_names.read(person.path for person in found)
    written = 0
    without: list[str] = []
    with safe_folders.opened(out, MAIL, _FOLDER, make=True) as folder:
        for person, items in found.items():
            file = f"{person.name}.eml"
            if own := [*dict.fromkeys(_own(person.path, [*items]))]:
                name = next(iter(names[person.path]), "") or person.name
                draft = _draft(name, _address(person), own)
                try:
                    content = email.message(draft)
                except CvbuildError:  # the address isn't valid
                    draft = replace(draft, recipient=None)
                    content = email.message(draft)
                folder.write(file, content, f"{file}.new")
                written += 1
                without += [] if draft.recipient else [person.name]
            elif folder.state(file):
                folder.unlink(file)
    if not written:
        console.say("no drafts: nobody has errors or warnings in the own files")
        return
    where = f"{out}/{MAIL}/{_FOLDER}/"
    console.say(f"{counted(written, 'draft')} in {where}; send them with a mail program")
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


def _draft(name: str, address: str, found: list[Diagnostic]) -> Draft:
    """Return the draft to a person of that name."""
    kinds = [(kind, [*items]) for kind, items in groupby(found, key=lambda one: one.severity)]
    words = " and ".join(counted(len(items), kind) for kind, items in kinds)
    lead = f"cvbuild found {words} in your CV. Each line says where, what, and how to mend it."
    lists = ["\n".join(f"- {item}" for item in items) for _, items in kinds]
    body = "\n\n".join([f"Dear {name},", lead, *lists])
    return Draft(f"Your CV: {words}", body, recipient=Mailbox(name, address))


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
