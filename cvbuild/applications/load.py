"""Find applications (``applications/<slug>.yaml``), and read one, or report all its errors.

Everything that a file names is checked here: letter, attachments. ``documents`` checks person and
variant, ``packets`` what takes a PDF reader or TeX.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Collection, Iterable, Iterator
from datetime import date as Day
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace
from pydantic import ValidationError

from cvbuild.common.diagnostics import (
    CvbuildError,
    Diagnostic,
    FieldPath,
    ProfileError,
    Span,
    UsageError,
    foreign,
    quoted,
    shown,
    suggest,
)
from cvbuild.common.files import safe_files, safe_folders
from cvbuild.common.files.safe_files import is_reserved
from cvbuild.inputs import letters, people, saving
from cvbuild.inputs.letters import Markdown, Written
from cvbuild.inputs.people import WORKSPACE, Person
from cvbuild.inputs.references import identity
from cvbuild.inputs.validation import errors
from cvbuild.inputs.yaml import edit, misread
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.tree import Node, Source
from cvbuild.model.application import Application

if TYPE_CHECKING:
    from cvbuild.outputs.styles.templates import Library

FOLDER = "applications"
#: An example of how such a file begins.
BEGIN = "person: ada-example"
SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,99}")
#: The size of an attachment in bytes; no mail server takes as much.
MAX_BYTES = 50_000_000
#: Keys whose texts may have lists, or go nowhere.
_TEXTS = ("letter", "message", "notes")


def json_schema(library: Library) -> dict[str, Any]:
    """Return that of an application's file; raises TemplateError for a faulty manifest."""
    from cvbuild.inputs import json_schema as base  # few commands need it
    from cvbuild.outputs import registry

    schema = base.of_model(Application)
    return registry.with_names(schema, [(schema["properties"], "")], library)


class Part(Struct, frozen=True):
    """A PDF to be merged: its title, its bytes, its name and place for messages.

    ``language`` is for one that has none; what ``is_own`` cvbuild made, so its tags are kept.
    """

    title: str
    content: bytes
    name: str
    language: str | None = None
    span: Span | None = None
    is_own: bool = False


class LoadedApplication(Struct, frozen=True):
    """An application without errors of its own; ``warnings`` are to be reported.

    ``slug`` is its file's stem, ``data`` what it says, ``markdown`` the file that its letter names.
    """

    slug: str
    path: Path
    data: Application
    source: Source
    letter: Written | None = None
    markdown: Markdown | None = None
    attached: tuple[Part, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder of the files that it names."""
        return self.path.parent


def slugs(root: Path = Path()) -> tuple[str, ...]:
    """Return the applications of a workspace, by name; raises CvbuildError for a bad folder."""
    folder = root / FOLDER
    with foreign("applications", "can't read the applications", "check the folder's permissions"):
        entries = sorted(folder.iterdir()) if folder.is_dir() else []
    return tuple(path.stem for path in entries if path.suffix == ".yaml" and path.name[0] != ".")


def free_name(person: str, employer: str, position: str) -> str:
    """Return a name for a new file: the employer, with the position if there is one already."""
    for words in (employer, f"{employer} {position}"):
        slug = identity.slug(words)
        if SLUG.fullmatch(slug) and slug not in slugs():
            return slug
    return f"{identity.slug(person)}-{len(slugs()) + 1}"


def find(names: Iterable[str], known: Collection[str] | None = None) -> tuple[str, ...]:
    """Return these names, or of files, each once; raises UsageError for one not ``known``."""
    known, requested = slugs() if known is None else known, dict[str, None]()
    for name in names:
        path = Path(name)
        is_file = path.suffix == ".yaml" and path.parent in (Path(), Path(FOLDER))
        slug = path.stem if is_file else name
        if slug not in known:
            fact, noun = f"unknown application {quoted(slug, 100)}", "the applications are"
            hint = suggest(slug, map(shown, known), noun) if known else "there are none"
            hint += "; begin a new one with: cvbuild new --application NAME"
            raise UsageError.because("application", fact, hint)
        requested[slug] = None
    return tuple(requested)


def load(
    slug: str,
    today: Day,
    root: Path = Path(),
    *,
    text: str | None = None,
    letter: str | None = None,
) -> LoadedApplication:
    """Read ``applications/<slug>.yaml``; raises ProfileError with everything that is wrong.

    ``text`` is read in place of the file, ``letter`` in place of the Markdown file that it names.
    """
    path = root / FOLDER / f"{slug}.yaml"
    source = source_stage.load(path, BEGIN, text=text)
    node = source.find(letters.PATH)
    if node and isinstance(node.value, str) and "\n" in node.value:
        # A text of several lines is the letter's body.
        source = source.grafted(letters.PATH, replace(node, value={"body": node}))
    problems: list[Diagnostic] = []
    if not SLUG.fullmatch(slug) or is_reserved(slug):
        message = f"{quoted(slug, 100)} can't be the name of an application"
        hint = "use lower-case letters, digits and hyphens: acme-researcher.yaml"
        problems.append(Diagnostic("error", "slug", message, Span(source.name), hint))
    # What YAML reads in another way than it looks; texts of their own may have lists.
    tree, others = source.tree, source.tree.fields.keys() - {*_TEXTS}
    doubtful = (
        *misread.slips(replace(source, tree=tree.without(_TEXTS))),
        *misread.hidden(replace(source, tree=tree.without(others))),
    )
    problems += (item for item in doubtful if item.severity == "error")
    data, written, markdown = None, None, None
    try:
        # Without its letter, which has positions of its own.
        plain = source.data if isinstance(source.data, dict) else {}
        data = Application.model_validate({**plain, "letter": None})
    except ValidationError as error:
        problems += errors.diagnostics(error.errors(include_url=False), source, Application)
    try:
        markdown = letters.markdown(source, path.parent)
    except ProfileError as error:
        problems += error.diagnostics
    else:
        if markdown and letter is not None:
            markdown = replace(markdown, text=letter)
        if node and node.data is not None:
            shared = {"recipient": ("recipient",)}
            try:
                written = letters.read(_addressed(source), markdown=markdown, shared=shared)
            except ProfileError as error:
                # An error in the shared recipient is reported once.
                problems += (item for item in error.diagnostics if item not in problems)
    attached = tuple(_attached(source, path.parent, problems))
    if problems or data is None:
        raise ProfileError(sorted(problems, key=lambda item: item.span or Span("")))
    warnings = [*doubtful]
    if data.deadline is not None and data.deadline < today:
        fact, hint = "the deadline has passed", "if it was postponed, change the date"
        place = source.span(("deadline",))
        warnings.append(Diagnostic("warning", "deadline", fact, place, hint))
    return LoadedApplication(slug, path, data, source, written, markdown, attached, tuple(warnings))


def _addressed(source: Source) -> Source:
    """Return the same with the recipient as letters have it: no e-mail; the employer by default."""
    written, employer = source.find(("recipient",)), source.find(("employer",))
    is_named = employer is not None and isinstance(employer.value, str)
    node = written if written and written.value is not None else Node(source.tree.place, value={})
    if not isinstance(node.value, dict) or (node is not written and not is_named):
        return source  # The application has an error that says so.
    below = dict(node.without(("email",)).fields)
    organization = below.get("organization")
    if employer and is_named and (organization is None or organization.value is None):
        below["organization"] = employer
    return source.grafted(("recipient",), replace(node, value=below))


# -- attachments -----------------------------------------------------------------------------------


def _attached(source: Source, folder: Path, problems: list[Diagnostic]) -> Iterator[Part]:
    """Yield the attachments that can be read, each once; adds what is wrong with the others."""
    part = source.find(("attachments",))
    written = part.data if part else None
    items = written if isinstance(written, list) else [] if written is None else [written]
    seen: set[Path] = set()
    for number, item in enumerate(items):
        place: FieldPath = ("attachments", number)
        name, title = item, None
        if isinstance(item, dict):
            name, title, place = item.get("file"), item.get("title"), (*place, "file")
        if not isinstance(name, str):
            continue  # The model reports it.
        span = source.span(place)
        try:
            path = safe_files.sibling(name, folder)
            content = safe_files.read_sibling(path, MAX_BYTES)
        except safe_files.SiblingFileError as error:
            code, fact, *hint = error.describe(name, "file", "50 MB")
            hint = hint or ["name a PDF in this file's folder"]
            problems.append(Diagnostic("error", f"attachment-{code}", fact, span, *hint))
            continue
        fault, fact = _no_pdf(name, content, span), f"{quoted(name, 100)} is attached twice"
        if path in seen:
            fault = Diagnostic("error", "attachment-twice", fact, span, "keep one")
        seen.add(path)
        if fault:
            problems.append(fault)
            continue
        label = title if isinstance(title, str) else path.stem.replace("_", " ").replace("-", " ")
        yield Part(label.strip(), content, name, span=span)


def keep(content: bytes, name: str, folder: Path) -> str:
    """Write an attachment beside an application's file, and return its name; raises UsageError."""
    if fault := _no_pdf(name, content, None):
        raise UsageError([fault])
    stem = re.sub(r"\.pdf$", "", name, flags=re.IGNORECASE).strip() or "attachment"
    return saving.keep(content, f"{stem}.pdf", folder)


def _no_pdf(name: str, content: bytes, span: Span | None) -> Diagnostic | None:
    # Readers of PDF look for this in the first 1024 bytes.
    if b"%PDF-" in content[:1024]:
        return None
    fact, hint = f"{quoted(name, 100)} is not a PDF", "save or print it as a PDF"
    return Diagnostic("error", "attachment", fact, span, hint)


# -- another name for a person, a copy of an application -------------------------------------------

_HINT = "check the folder and its permissions"
_LETTER_FILE = (*letters.PATH, "file")


def rename_person(person: Person, name: str) -> Path:
    """Rename a person's file; applications, groups and documents follow. Return its path."""
    path = people.rename(person, saving.safe(identity.slug(name), name))
    names_it = re.compile(
        rf"""^(person:[ \t]*)(["']?){re.escape(person.name)}\2(?=[ \t]*(?:#|\r?$))""".encode(),
        re.MULTILINE,
    )
    fact = f"{path.as_posix()} has its new name, but not everywhere"
    with foreign("write", fact, _HINT):
        for slug in slugs():
            file = Path(FOLDER, f"{slug}.yaml")
            before = safe_files.read(file, source_stage.MAX_BYTES, links=False)
            after = names_it.sub(rb"\g<1>" + path.stem.encode(), before)
            if after != before:
                safe_folders.write(file, after)
        # In the groups of the workspace, too.
        shared, text, groups = Path(WORKSPACE), "", None
        if shared.is_file():
            text, data = source_stage.text_of(shared)[1], source_stage.load(shared).data
            groups = data.get("groups") if isinstance(data, dict) else None
        written = text
        for group_name, group in groups.items() if isinstance(groups, dict) else ():
            for key in ("people", "without") if isinstance(group, dict) else ():
                place, members = ("groups", group_name, key), group.get(key)
                if members == person.name:
                    text = edit.put(text, place, path.stem)
                for at, member in enumerate(members) if isinstance(members, list) else ():
                    if member == person.name:
                        text = edit.put(text, (*place, at), path.stem)
        if text != written:
            safe_folders.write(shared, text.encode())
    # What was built is built anew if it can't be moved.
    with contextlib.suppress(OSError, CvbuildError):
        out = safe_folders.real(safe_files.OUT)
        if not os.path.lexists(out / path.stem):
            safe_files.move(out / person.name, out / path.stem)
    return path


def copy_application(slug: str) -> Path:
    """Copy an application, and its letter's file, under the next free name; return its path."""
    path = Path(FOLDER, f"{slug}.yaml")
    source = source_stage.load(path, BEGIN)
    text = source_stage.text_of(path)[1]
    letter = letters.markdown(source, path.parent)
    with foreign("write", "can't copy the application", _HINT):
        if letter:
            # Or what is written in the one would change the other.
            own = _copied_file(letter.path.resolve(), letter.path.read_bytes())
            part = source.find(letters.PATH)
            place = letters.PATH if part and isinstance(part.data, str) else _LETTER_FILE
            text = edit.put(text, place, own.relative_to(path.parent.resolve()).as_posix())
        return _copied_file(path, text.encode())


def _copied_file(path: Path, data: bytes) -> Path:
    """Write a file beside another one, under the next free name of it; return its path."""
    copies = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    copy = next(copy for copy in copies if not os.path.lexists(copy))
    safe_folders.create(copy, data)
    return copy
