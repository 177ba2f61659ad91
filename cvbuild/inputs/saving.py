"""Save the files of a workspace: never over what wasn't seen, or a new one over one that exists.

A file's folder is locked from the last look at the file until it is replaced: so of all that save
at the same moment, one does, and the others are told what it wrote.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from cvbuild.common.diagnostics import CvbuildError, Diagnostic, ProfileError, Span, UsageError
from cvbuild.common.files import safe_files, safe_folders
from cvbuild.common.files.safe_files import SiblingFileError, is_reserved
from cvbuild.inputs import people, pictures
from cvbuild.inputs.people import Person
from cvbuild.inputs.references import identity
from cvbuild.inputs.validation import validate
from cvbuild.inputs.yaml import edit, source
from cvbuild.inputs.yaml.source import parse
from cvbuild.model.base import clean

_BREAK = re.compile(r"\r\n|\r|\n")
_MARK = b"\xef\xbb\xbf"
#: For threads of one process, where folders can't be locked.
_turn = threading.Lock()
#: Seconds to wait for another program's lock.
_PATIENCE = 5.0
#: Seconds between a file's being emptied and written.
_MOMENT = 0.25


class FileState(Struct, frozen=True):
    """What a file holds: lines that end in ``\\n``, and a hash of its bytes.

    No version: there is no file. No text: it is gone, or ``fault`` says why it can't be edited.
    """

    version: str | None
    text: str | None
    fault: Diagnostic | None = None


class ConflictError(Exception):
    """The file isn't the one that was seen; ``state`` is what it holds now."""

    def __init__(self, state: FileState) -> None:
        super().__init__(state.version)
        self.state = state


def read(path: Path) -> FileState:
    """Return what a file holds; nothing is raised."""
    version = None
    try:
        data = source.bytes_of(path)
        if not data:
            # Many programs empty a file before they write it: what they write comes in a moment.
            time.sleep(_MOMENT)
            data = source.bytes_of(path)
        version = hashlib.sha256(data).hexdigest()
        return FileState(version, _BREAK.sub("\n", source.decoded(data, source.name_of(path))))
    except ProfileError as error:
        fault = error.diagnostics[0]
        if fault.code == "file-missing":
            return FileState(None, None)
        return FileState(version or fault.code, None, fault)


def save(path: Path, text: str, seen: str | None) -> str:
    """Write a text whose lines end in ``\n``; return the file's new version.

    Its permissions, byte order mark and line ends stay. ``seen`` is the version that is replaced,
    None for a file that is gone. Raises ConflictError if the file has another one, CvbuildError if
    it can't be written.
    """
    state = read(path)
    if state.version != seen:
        raise ConflictError(state)
    place = Span(source.name_of(path))
    try:
        before = source.bytes_of(path) if seen else b""
        # The mark, and most of the line ends; what is no UTF-8 can't be edited, and has nothing to
        # keep.
        kept, data = b"" if state.fault else before, before
        if text != state.text:
            ends = Counter(_BREAK.findall(kept.decode("utf-8"))).most_common(1)
            data = text.replace("\n", ends[0][0] if ends else "\n").encode("utf-8")
            data = (_MARK if kept.startswith(_MARK) else b"") + data
        if len(data) > source.MAX_BYTES:
            fact = f"the text has {len(data):,} bytes, more than {source.MAX_BYTES:,}"
            hint = "a file that large can't be opened again; shorten it"
            raise CvbuildError.because("write", fact, hint, place)
        if data != before:
            _write(path, data, seen)
    except UnicodeEncodeError:
        fact, hint = "the text has half of a character", "delete what looks odd"
        raise CvbuildError.because("write", fact, hint, place) from None
    except OSError as error:
        fact = f"the file can't be written: {error.strerror or error}"
        hint = "check the folder and its permissions"
        raise CvbuildError.because("write", fact, hint, place) from None
    return hashlib.sha256(data).hexdigest()


def replace(path: Path, before: str, after: str) -> None:
    """Write a text over another one; raises CvbuildError if the file isn't that any more."""
    state = read(path)
    try:
        if state.text != _BREAK.sub("\n", before):
            raise ConflictError(state)
        save(path, _BREAK.sub("\n", after), state.version)
    except ConflictError:
        fact, hint = "another program has changed the file meanwhile", "run it again"
        raise CvbuildError.because("write", fact, hint, Span(source.name_of(path))) from None


def _write(path: Path, data: bytes, seen: str | None) -> None:
    """Replace the file, or what a link leads to; OSError, ConflictError if it isn't as seen."""
    exists = seen is not None
    place = path if exists else path.parent
    inner = safe_files.inside(place)
    if inner is None:
        # Elsewhere: the user has named it.
        real = Path(os.path.realpath(place))
        root, names = (real.parent, [real.name]) if exists else (real, [])
    else:
        root, names = Path(), list(inner)
    *above, name = names if exists else [*names, path.name]
    folder = safe_folders.real(root, *above)
    with _turn, safe_folders.locked(folder, _PATIENCE) as is_locked:
        if is_locked is False:
            fact, hint = "another program has locked the file's folder", "end it, and try again"
            raise CvbuildError.because("write", fact, hint, Span(source.name_of(path)))

        def look() -> None:
            """Raise ConflictError if another program has saved."""
            if (now := read(path)).version != seen:
                raise ConflictError(now)

        target = folder / name
        mode = stat.S_IMODE(target.lstat().st_mode) if os.path.lexists(target) else None
        safe_folders.write(target, data, mode, check=look)


# -- new files: people, applications, templates ---------------------------------------------------

_NONE: Mapping[str, Any] = {}


def person(
    name: str, folder: Path, values: Mapping[str, Any] = _NONE, filled: Callable[[str], str] = str
) -> Path:
    """Write a person's file and return its path.

    ``values`` replace those of its keys; ``filled`` returns what else its text gets. Raises
    UsageError for a bad name, or one in use.
    """
    path = place(name, folder)
    text = filled(_with(person_text(" ".join(name.split())), values))
    write_all({f"{folder.name}/{path.name}": text}, folder.parent)
    return path


def place(name: str, folder: Path) -> Path:
    """Return the file of a person of that name, which may exist; raises UsageError."""
    try:
        stem = identity.slug(clean(name))
        validate(parse(person_text(" ".join(name.split())), stem))
    except (CvbuildError, ValueError):
        stem = ""
    if stem in people.RESERVED:
        stem = ""
    return people.of_stem(safe(stem, name), folder).path


def application(
    name: str, who: str, values: Mapping[str, Any] = _NONE, filled: Callable[[str], str] = str
) -> Path:
    """Write applications/<name>.yaml of a person; return its path.

    ``values`` replace those of its keys; ``filled`` returns what else its text gets. Raises
    UsageError for a bad name, or one in use.
    """
    stem = safe(identity.slug(Path(name).stem if name.endswith(".yaml") else name), name)
    ((path, text),) = application_files(who, stem).items()
    write_all({path: filled(_with(text, values))})
    return Path(path)


def _with(text: str, values: Mapping[str, Any]) -> str:
    """Return a starter's text with other values: a key of an example that is a comment, too."""
    for key, value in values.items():
        example = re.compile(rf"^# ({key}: )", re.MULTILINE)
        if example.search(text):
            text = example.sub(r"\1", text, count=1)
        elif not re.search(rf"^{key}:", text, re.MULTILINE):
            text = re.sub(r"(?m)^(position: .*\n)", rf"\1{key}: x\n", text, count=1)
        text = edit.put(text, (key,), value)
    return text


def write(root: Path, files: Mapping[str, str | bytes]) -> Iterator[str]:
    """Write the files that don't exist, and yield their names; raise UsageError."""
    for name, content in files.items():
        *above, last = name.split("/")
        try:
            path = safe_folders.real(root, *above, make=True) / last
            is_new = not os.path.lexists(path)
            if is_new:
                data = content.encode() if isinstance(content, str) else content
                safe_folders.create(path, data)
        except OSError as error:
            path = root / name
            raise UsageError.because("write", f"can't write {path}: {error.strerror}") from None
        if is_new:
            yield name


def write_all(files: Mapping[str, str], root: Path = Path()) -> None:
    """Write all files; raise UsageError, and write none, if one of them exists."""
    there = [name for name in files if os.path.lexists(root / name)]
    # Another request may write one of them meanwhile, which stays as it is.
    if there := there or [*(files.keys() - {*write(root, files)})]:
        raise UsageError.because("exists", f"{root / there[0]} exists already", "edit it")


def safe(stem: str, name: str) -> str:
    """Return a name of a file; raise UsageError if there can't be such a file."""
    if not stem or is_reserved(stem):
        raise UsageError.because("name", f"\"{name}\" can't be a file's name", "use letters")
    return stem


# -- files that are chosen in the page or imported, kept beside the file that names them -----------
#
# None is overwritten, so that undo leads back to the one before.

#: Files of one name, with a number behind it.
_MANY = 100
#: Characters of a chosen file's name, and those that no name may have.
_LONGEST = 120
_ODD = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]')


def photo(data: bytes, person: Person) -> str:
    """Write a photo as documents show it, called after the person; return its name."""
    stem = identity.slug(person.name) or "photo"
    return keep(pictures.clean(data), f"{stem}.jpg", person.path.parent)


def keep(data: bytes, name: str, folder: Path) -> str:
    """Write a file into a folder of the workspace, once; return its name, a free one if need be."""
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
    for number in range(1, _MANY):
        name = f"{stem}-{number}{suffix}" if number > 1 else f"{stem}{suffix}"
        if [*write(folder.parent, {(Path(folder.name) / name).as_posix(): data})]:
            return name
        with suppress(SiblingFileError):
            if safe_files.read_sibling(safe_files.sibling(name, folder), len(data)) == data:
                return name
    fact = f"{folder} has {_MANY - 1} files named {stem}"
    raise UsageError.because("file", fact, "delete those that no file names")


def plain_name(given: str) -> str:
    """Return a chosen file's name as one that stays in its folder; "" if nothing is left of it."""
    name = PurePosixPath(given.replace("\\", "/")).name
    return _ODD.sub("_", name).strip(" .-")[-_LONGEST:]


# -- texts of the files that ``cvbuild new`` and ``cvbuild init`` write ---------------------------
#
# They are those of workspace-template/, from which copier makes workspaces, too (copier.yml); a
# name that ends in .jinja is that of a file with values in it.

_PERSON = "people/{{ person }}.yaml"
_APPLICATION = "applications/example-lab.yaml"
#: The files of a new template; {} is its name.
_TEMPLATE = ("template.yaml", "cvb-{}.sty")
_NEW_TEMPLATE = Path(__file__).with_name("new_template")
#: The others that a workspace has; what is for GitHub is left to copier.
_SHARED = ("README.md", "Makefile", ".gitignore", "cvbuild.yaml")
#: How programs may work on the files.
_AGENTS = ("AGENTS.md", ".agents/skills/cvbuild/SKILL.md")


def person_text(name: str) -> str:
    """Return a commented file that can be built at once."""
    return _text(_PERSON, {"name": name})


def workspace_files(person: str, *, agents: bool = False) -> Mapping[str, str]:
    """Return the files of a workspace but people's; ``agents``: those for programs, too."""
    values = {"person": person, "repository": ""}
    names = (*_SHARED, *_AGENTS) if agents else _SHARED
    return MappingProxyType({name: _text(name, values) for name in names})


def application_files(person: str, name: str = "example-lab") -> Mapping[str, str]:
    """Return the file of an application of a person, by path."""
    text = _text(_APPLICATION, {"person": person}).replace("example-lab", name)
    return MappingProxyType({f"applications/{name}.yaml": text})


def template_files(name: str, extends: str, style: str) -> Mapping[str, str]:
    """Return the files of a template that changes another, by path; ``style`` is its package."""
    values = {"name": name, "extends": extends, "style": style}
    texts = {
        f"templates/{name}/{file.format(name)}": _text(file.format("name"), values, _NEW_TEMPLATE)
        for file in _TEMPLATE
    }
    return MappingProxyType(texts)


def _text(name: str, values: Mapping[str, str], folder: Path | None = None) -> str:
    """Return a file of a folder, by default of the template, or its .jinja with these values."""
    # In the package, or next to it in a checkout.
    package = Path(__file__).resolve().parents[1]
    inside = package / "workspace-template"
    usual = inside if inside.is_dir() else package.parent / "workspace-template"
    file = (folder or usual) / name
    if file.is_file():
        return file.read_text(encoding="utf-8")
    from jinja2 import Environment, StrictUndefined

    # No HTML: nothing is escaped. The filter is one that copier has as well.
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)  # noqa: S701
    environment.filters["to_json"] = json.dumps
    template = file.with_name(f"{file.name}.jinja").read_text(encoding="utf-8")
    return environment.from_string(template).render(values)
