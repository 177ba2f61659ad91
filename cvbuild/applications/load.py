"""Where the applications are: ``applications/<slug>.yaml``; one as it was read, or all its faults.

Everything that a file names is looked at here: person, variant, letter, attachments. What takes a
PDF's reader or TeX to find out, ``packet`` says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date as Day
from pathlib import Path

from pydantic import ValidationError

from cvbuild.applications.model import Application
from cvbuild.common import sibling_files
from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.common.errors import ProfileError, UsageError, foreign
from cvbuild.common.positions import quoted, shown
from cvbuild.common.suggestions import suggest
from cvbuild.inputs import letters
from cvbuild.inputs.letters import Markdown, Written
from cvbuild.inputs.validation import messages
from cvbuild.inputs.yaml import source as source_stage
from cvbuild.inputs.yaml.builder import Node
from cvbuild.inputs.yaml.source import Source

FOLDER = "applications"
#: How such a file may begin.
BEGIN = "person: ada-example"
SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,99}")
#: In bytes; no mail takes as much.
MAX_BYTES = 50_000_000
_BESIDE = "name a PDF that lies beside this file"


@dataclass(frozen=True, slots=True)
class Attached:
    """A PDF that was asked for: its title, its name in the YAML, its path, bytes and place."""

    title: str
    name: str
    path: Path
    content: bytes
    span: Span


@dataclass(frozen=True, slots=True)
class Opened:
    """An application that is sound by itself; ``warnings`` are to be said all the same.

    ``slug`` is its file's stem; ``markdown`` the file that its letter names.
    """

    slug: str
    path: Path
    said: Application
    source: Source
    letter: Written | None = None
    markdown: Markdown | None = None
    attached: tuple[Attached, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def folder(self) -> Path:
        """Where the files lie that it names."""
        return self.path.parent


def slugs(root: Path = Path()) -> tuple[str, ...]:
    """The applications of a workspace, by name; raises CvbuildError if they can't be listed."""
    folder = root / FOLDER
    with foreign("applications", "can't read the applications", "look at the folder's rights"):
        there = sorted(folder.iterdir()) if folder.is_dir() else []
    return tuple(one.stem for one in there if one.suffix == ".yaml" and one.name[0] != ".")


def find(
    names: Iterable[str], root: Path = Path(), known: Iterable[str] | None = None
) -> tuple[str, ...]:
    """These names, each once; raises UsageError for one that is not ``known``.

    Known are the applications of the workspace, unless others are given. A name may be that of the
    file, as shells complete it.
    """
    wanted = tuple(dict.fromkeys(map(_stem, names)))
    known = slugs(root) if known is None else tuple(known)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise UsageError(
            Diagnostic(
                "error",
                "application",
                f"unknown application {quoted(name, 100)}",
                hint=_instead(name, known, root),
            )
            for name in unknown
        )
    return wanted


def _stem(name: str) -> str:
    path = Path(name)
    is_file = path.suffix == ".yaml" and path.parent in (Path(), Path(FOLDER))
    return path.stem if is_file else name


def _instead(name: str, known: tuple[str, ...], root: Path) -> str:
    """What to do about an unknown name."""
    file = f"{name.removesuffix('.yml').removeprefix(f'{FOLDER}/')}.yml"
    if file in [path.name for path in (root / FOLDER).glob("*.yml")]:
        return f"rename {FOLDER}/{file} to {file.removesuffix('.yml')}.yaml"
    if known:
        return suggest(name, map(shown, known), "the applications are")
    return f"there is none: write {FOLDER}/<name>.yaml (docs/applications.md)"


def load(slug: str, today: Day, root: Path = Path()) -> Opened:
    """Read ``applications/<slug>.yaml`` of a workspace.

    Raises ProfileError with all that is wrong with it and with the files that it names.
    """
    path = root / FOLDER / f"{slug}.yaml"
    source = _lettered(source_stage.load(path, BEGIN))
    problems: list[Diagnostic] = []
    if not SLUG.fullmatch(slug):
        message = f"{quoted(slug, 100)} can't be the name of an application"
        hint = "call the file by lower-case letters, digits and hyphens: acme-researcher.yaml"
        problems.append(Diagnostic("error", "slug", message, Span(source.name), hint))
    said = _validated(source, problems)
    letter, markdown = None, None
    try:
        markdown = letters.markdown(source, path.parent)
    except ProfileError as error:
        problems += error.diagnostics
    else:
        letter = _letter(source, markdown, problems)
    attached = tuple(_attached(source, path.parent, problems))
    if problems or said is None:
        raise ProfileError(sorted(problems, key=lambda one: one.span or Span("")))
    late = tuple(_late(said, source, today))
    return Opened(slug, path, said, source, letter, markdown, attached, late)


def _validated(source: Source, problems: list[Diagnostic]) -> Application | None:
    """The model without its letter, whose text has places of its own (``letters``)."""
    data = source.data if isinstance(source.data, dict) else {}
    try:
        return Application.model_validate({**data, "letter": None})
    except ValidationError as error:
        problems += messages.diagnostics(error.errors(include_url=False), source, Application)
    return None


# -- the letter ----------------------------------------------------------------------------------


def _lettered(source: Source) -> Source:
    """The same where a block of text that stands for the letter is its body."""
    text = _at(source, ("letter",))
    if not isinstance(text, str) or "\n" not in text:
        return source
    _, node = source.part(("letter",))
    return source.grafted(("letter",), {"body": text}, replace(node, children={"body": node}))


def _letter(
    source: Source, markdown: Markdown | None, problems: list[Diagnostic]
) -> Written | None:
    if _at(source, ("letter",)) is None:
        return None
    try:
        return letters.read(
            _addressed(source), markdown=markdown, shared={"recipient": ("recipient",)}
        )
    except ProfileError as error:
        # A recipient that both share is wrong once.
        problems += (one for one in error.diagnostics if one not in problems)
    return None


def _addressed(source: Source) -> Source:
    """The same with a recipient as letters have it: no e-mail, and the employer if need be."""
    given = _at(source, ("recipient",))
    employer = _at(source, ("employer",))
    if given is not None and not isinstance(given, Mapping):
        return source
    node = source.part(("recipient",))[1] if given is not None else Node(source.tree.place)
    value = {key: text for key, text in (given or {}).items() if key != "email"}
    places = dict(node.children) if isinstance(node.children, dict) else {}
    places.pop("email", None)
    if value.get("organization") is None and isinstance(employer, str):
        value["organization"], places["organization"] = source.part(("employer",))
    return source.grafted(("recipient",), value, replace(node, children=places))


def _at(source: Source, path: FieldPath) -> object:
    try:
        return source.part(path)[0]
    except KeyError:
        return None


# -- attachments ---------------------------------------------------------------------------------


def _attached(source: Source, folder: Path, problems: list[Diagnostic]) -> Iterator[Attached]:
    """The attachments that can be read, each once; what is wrong with the rest."""
    given = _at(source, ("attachments",))
    items = given if isinstance(given, list) else [] if given is None else [given]
    seen: set[Path] = set()
    for number, item in enumerate(items):
        place: FieldPath = ("attachments", number) if isinstance(given, list) else ("attachments",)
        name, title = item, None
        if isinstance(item, dict):
            name, title, place = item.get("file"), item.get("title"), (*place, "file")
        if not isinstance(name, str):
            continue  # The model has said so.
        span, called = source.span(place), quoted(name, 100)
        try:
            path = sibling_files.find(name, folder)
            content = sibling_files.read(path, MAX_BYTES)
        except sibling_files.NotBesideError as error:
            code, *rest = error.said(name, "file", "50 MB")
            problems.append(_refused(span, f"attachment-{code}", *rest))
            continue
        if path in seen:
            message = f"{called} is attached twice"
            problems.append(_refused(span, "attachment-twice", message, "keep one"))
            continue
        seen.add(path)
        # Readers of PDF look for this in the first 1024 bytes.
        if b"%PDF-" not in content[:1024]:
            message = f"{called} is not a PDF"
            problems.append(_refused(span, "attachment", message, "save or print it as a PDF"))
            continue
        shown = title if isinstance(title, str) else path.stem.replace("_", " ").replace("-", " ")
        yield Attached(shown.strip(), name, path, content, span)


def _refused(span: Span, code: str, message: str, hint: str = _BESIDE) -> Diagnostic:
    return Diagnostic("error", code, message, span, hint)


def _late(said: Application, source: Source, today: Day) -> Iterator[Diagnostic]:
    if said.deadline is not None and said.deadline < today:
        message = "the deadline has passed"
        hint = "is it still open? mend the date if it was put off"
        yield Diagnostic("warning", "deadline", message, source.span(("deadline",)), hint)
