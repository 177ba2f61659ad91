"""What a document shows, and what a format makes of it.

A ``Task`` is a document that is asked for; once it is known what it shows, it is ``Shown``. Most
are made at once, to learn whether they are the one that is there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date as Day
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from cvbuild.common import VERSION
from cvbuild.common.diagnostics import Diagnostic, DocumentError, FieldPath, UsageError
from cvbuild.common.files import file_state
from cvbuild.inputs import pictures
from cvbuild.inputs.people import Person
from cvbuild.inputs.person import localize, settings
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model.profile import CLOSING_SIGNATURE, Limits, Profile, Variant
from cvbuild.outputs import checks, registry, text_folding
from cvbuild.outputs.installed import LETTER
from cvbuild.outputs.request import APPLICATIONS, PDF, PRIVATE, Request, record_name
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.manifests import LOGO
from cvbuild.outputs.styles.templates import Template
from cvbuild.selection.selected import Selected
from cvbuild.view import builder
from cvbuild.view.types import SIGNATURE, Document

if TYPE_CHECKING:
    from cvbuild.inputs.letters import Draft


class Task(Struct, frozen=True):
    """One document that is asked for, in the style of a template.

    ``variant`` is the one of the profile that it is, if it is one; ``private`` whether the profile
    has what is private in it. Why beside ``Shown``: one that can't be shown fails by its name, and
    to a cluster goes what is written, not what is shown.
    """

    person: Person
    profile: Profile
    source: Source
    style: str
    request: Request
    variant: str | None = None
    private: bool = False
    draft: Draft | None = None
    """The letter that the document is, in the template's style; ``source`` has it too."""
    format: str = PDF
    """The name of the output that makes it."""
    limits: Limits | None = None
    """What the document of an application must keep to, in place of the variant's limits."""
    read_photo: bytes | None = None
    """What ``pictures.load`` gave, if it was read already."""

    @property
    def name(self) -> str:
        """What the document is called: the variant, else the template."""
        return self.variant or self.style

    @property
    def shown_variant(self) -> str | None:
        """The variant, unless it stands for a template for one build."""
        return None if self.variant == self.style else self.variant

    @property
    def chosen(self) -> Variant | None:
        """What the variant says."""
        return self.profile.variants[self.variant] if self.variant else None

    @property
    def below(self) -> Path:
        """Its path below the output folder, without a suffix; of a letter, below the hidden one."""
        if self.draft:
            return Path(APPLICATIONS, self.draft.slug, LETTER)
        variant, asked = self.chosen, self.request.locale
        # A document that is private by itself has no public version.
        private = f".{PRIVATE}" if self.private and not (variant and variant.private) else ""
        locale = (variant.locale if variant else None) or self.profile.locale
        return Path(self.person.name, f"{self.name}{private}{localize.suffix(locale, asked)}")

    @property
    def keep(self) -> Path:
        """The folder for what is stored of it between builds."""
        return self.request.hidden / self.below

    @property
    def record(self) -> Path:
        """The path of its record."""
        return self.keep / record_name(self.format)

    @property
    def output(self) -> Output:
        """What makes it."""
        return find_output(self.format)

    @property
    def path(self) -> Path:
        """The path of the finished file."""
        place = (self.request.hidden if self.draft else self.request.out) / self.below
        return place.with_name(f"{place.name}{self.output.suffix}")


class Shown(Task, frozen=True, eq=False, dict=True, kw_only=True):
    """What a document shows, the same for every output; nothing is left but to make it.

    The profile is in the document's language; ``notes`` name texts that are shown in another.
    ``below`` is as it was asked for, ``origin`` the document that it is made from, if it is made
    from another.
    """

    below: Path
    template: Template
    options: Mapping[str, Any]
    selected: Selected
    notes: tuple[Diagnostic, ...] = ()
    origin: Shown | None = None

    @property
    def day(self) -> Day | None:
        """The day that the document itself tells: a letter's, else ``updated``."""
        return self.draft.date if self.draft else self.profile.updated

    @property
    def limited(self) -> tuple[Limits, FieldPath] | None:
        """What the document must keep to, and where that is written; None for anything."""
        if self.limits is not None:
            return self.limits, ("limits",)
        if self.chosen is None or self.chosen.limits is None or self.variant is None:
            return None
        return self.chosen.limits, ("variants", self.variant, "limits")

    @cached_property
    def view(self) -> Document:
        """The strings that a reader sees, in their order."""
        return self.view_of(self.selected)

    def view_of(self, selected: Selected) -> Document:
        """Return the same view of another selection, such as what fits on one page."""
        document = builder.build(selected, self.options)
        # Data and plain text have titles as they are written.
        if self.options.get("title-case") == "capitals" and self.output.has_look:
            document = builder.capitals(document)
        placed = [(self.source.span(line.text.path), line) for line in document.header.contacts]
        # Those of the private file come last.
        placed.sort(key=lambda at: (at[0].file != self.source.name, at[0].line, at[0].column))
        contacts = tuple(line for _, line in placed)
        document = replace(document, header=replace(document.header, contacts=contacts))
        if self.draft is None:
            return document
        return replace(document, letter=builder.letter(selected, self.draft), closing=None)

    @cached_property
    def photo(self) -> bytes | None:
        """The photo as a JPEG, if the document shows one; raises ProfileError."""
        name = self.profile.photo
        if not name or not self.options.get("photo"):
            return None
        return self.read_photo or pictures.load(name, self.person.path.parent, self.source)

    @cached_property
    def logo(self) -> bytes | None:
        """The mark of a house as a JPEG, if the document shows one; raises ProfileError."""
        name = str(self.options.get(LOGO, ""))
        if not name:
            return None
        path = templates.origins(self.template, self.profile, self.chosen)[LOGO][1]
        folder = settings.folder_of(name, self.person.path)
        return pictures.load(name, folder, self.source, path or ("options", LOGO))

    @cached_property
    def signature(self) -> bytes | None:
        """The picture of the signature of the letter or CV, as a JPEG; raises ProfileError."""
        draft, closing = self.draft, self.profile.closing
        if draft:
            path, name, folder = SIGNATURE, draft.letter.signature, draft.folder
        else:
            path, name = CLOSING_SIGNATURE, closing.signature if closing else None
            folder = self.person.path.parent
        return pictures.load(name, folder, self.source, path) if name else None

    @cached_property
    def made(self) -> Made:
        """What the output makes at once."""
        return self.output.make(self)

    @cached_property
    def parts(self) -> dict[str, str]:
        """All that the document is made from, except its date: hashes and words by name."""
        return {
            "version": VERSION,
            **self.content(),
            "epoch": str(self.request.epoch),
            "updated": str(self.day),
            "limits": str(self.limited),
        }

    @property
    def key(self) -> str:
        """What stands for all of that: a document with another one is made anew."""
        return key_of(self.parts)

    def content(self) -> dict[str, str]:
        """Return what the file is made from: hashes and words by name."""
        if self.origin:
            return {**self.origin.content(), self.output.name: self.output.made_as}
        content = self.made.content
        data = content.read_bytes() if isinstance(content, Path) else content
        return {"content": file_state.hash_of(data)}

    @property
    def machine(self) -> Machine:
        """What it depends on outside of the workspace."""
        return self.origin.machine if self.origin else Machine()


class Made(Struct, frozen=True):
    """What an output made.

    ``content`` is the file's bytes, the path of a finished file, which is moved to its place, or
    the bytes of each file of a folder by its name there. ``figures`` say what was checked, by name.
    ``warnings`` concern the document, ``notes`` the machine. ``left_out`` are the fields that had
    no room, ``fill`` is the used part of a single page (0 to 1).
    """

    content: bytes | Path | Mapping[str, bytes]
    figures: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[Diagnostic, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    pages: int | None = None
    left_out: tuple[FieldPath, ...] = ()
    fill: float | None = None


class Machine(Struct, frozen=True):
    """What a document depends on outside of the workspace: files of TeX, and of fonts.

    ``engine`` with its version, and ``typeface``, are for people; None where there is none.
    """

    tree: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    engine: str | None = None
    typeface: str | None = None


class Output:
    """A format: a name, a suffix, and ``make``; or ``prepare``, where making takes long."""

    name: str
    """What ``--format`` calls it: lower-case letters, digits, hyphens."""
    suffix: str
    """The end of the file's name, with its full stop."""
    shows_letters = False
    has_look = False
    """Whether a document looks as its template does."""
    made_from = ""
    """The name of the format whose finished file it is made from, if it is made from one."""
    made_as = ""
    """How it is made from that: it is made anew if this changes, or if the other file does."""

    def make(self, shown: Shown) -> Made:
        """Make the file; raises CvbuildError with what is wrong. The same gives the same bytes."""
        raise NotImplementedError

    def text_of(self, content: Any) -> str:
        """Return all text in what was made, which is searched for what is private."""
        if isinstance(content, bytes):
            return text_folding.in_json(content.decode("utf-8", "replace"))
        # The names of files are made from texts, too.
        files = (f"{name}\n{data.decode('utf-8', 'replace')}" for name, data in content.items())
        return "\n".join(files)

    def prepare(self, shown: Shown) -> Shown:
        """Find all that is needed to make a document; raises CvbuildError."""
        return shown

    def complete(self, shown: Any, epoch: int, ident: str) -> Made:  # noqa: ARG002
        """Make what was prepared; raises CvbuildError.

        ``epoch`` is its date in seconds since 1970, ``ident`` 64 hexadecimal digits that stand for
        what it is made from.
        """
        made: Made = shown.made
        return made

    def verify(self, shown: Any, made: Any) -> Made:
        """Check what was made; raises CvbuildError, as if something private is in it."""
        text, locale = self.text_of(made.content), shown.profile.locale
        if faults := checks.leaked(text, shown.view, shown.source, locale):
            raise DocumentError(faults)
        checked: Made = made
        return checked


def key_of(parts: Mapping[str, str]) -> str:
    """Return a SHA-256 over the parts, in hexadecimal."""
    return file_state.hash_of(json.dumps(dict(parts), sort_keys=True))


@cache
def find_output(name: str) -> Output:
    """Return the output of that name; raises UsageError if there is none."""
    if name not in registry.MODULES:
        hint = registry.instead_of(name)
        raise UsageError.because("format", f'unknown format "{name[:60]}"', hint)
    module, _, kind = registry.MODULES[name].partition(":")
    output: Output = getattr(import_module(module), kind or "Format")()
    return output
