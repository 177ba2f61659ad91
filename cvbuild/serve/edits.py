"""The file of a tab, its earlier versions, and what the page changes in a text.

Copies of what was saved are in the user's cache alone, readable by nobody else: of what is saved
without a pause, one.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from cvbuild.applications import versions
from cvbuild.common.diagnostics import CvbuildError, FieldPath, UsageError
from cvbuild.common.files import safe_files, safe_folders
from cvbuild.importers import merging
from cvbuild.inputs import changes, people, saving
from cvbuild.inputs.people import Person
from cvbuild.inputs.references import bibliography, identity
from cvbuild.inputs.validation.texts import in_languages
from cvbuild.inputs.yaml import edit, source, writer
from cvbuild.inputs.yaml.edit import EditError
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model.base import Model, Shorthand
from cvbuild.model.letter import Letter
from cvbuild.model.profile import Profile
from cvbuild.model.text import language_tags
from cvbuild.serve import adverts
from cvbuild.serve.form import shapes
from cvbuild.serve.live import ApplicationFile, kept
from cvbuild.serve.messages import Change, Json, Original

#: The most copies of a file, and revisions that are listed.
MOST = 50
#: Seconds without a save after which the next one is another copy; and of the longest one.
PAUSE, _LONGEST = 60, 300
#: Seconds for comparing versions: the oldest ones are listed without words.
_LOOKS = 3.0
_copying = threading.Lock()


@dataclass(eq=False)
class EditedFile:
    """A file and its text; ``seen`` is the version that the browser knows."""

    subject: Person | ApplicationFile
    text: str
    seen: str | None
    saved: str
    revision: int = 0
    _told: str | None = field(default="", init=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    async def save(self, version: str | None, cache: Path | None, *, force: bool) -> Json:
        """Write the text over a version of the file; return what the browser is told."""
        async with self._turn:
            text, revision, path = self.text, self.revision, self.subject.path

            def write() -> str:
                before = saving.read(path)
                if version != self.seen and not force:
                    raise saving.ConflictError(before)
                new = saving.save(path, text, version)
                keep_copy(path, before.text, text, cache)
                return new

            try:
                saved = await asyncio.to_thread(write)
            except saving.ConflictError as error:
                self._told = error.state.version
                return _told("conflict", error.state)
            self.saved, self.seen, self._told = text, saved, ""
            return {"type": "saved", "revision": revision, "version": saved}

    async def look(self) -> Json | None:
        """Take what was written elsewhere if nothing is unsaved; return what is told of that."""
        async with self._turn:
            state = await asyncio.to_thread(saving.read, self.subject.path)
            if state.version == self.seen:
                self._told = ""
            if state.version in (self.seen, self._told):
                return None
            if self.text != self.saved:
                self._told = state.version
                return _told("conflict", state)
            if state.text is None:
                self._told = state.version
            else:
                self.text = self.saved = state.text
                self.seen, self._told = state.version, ""
            return _told("changed", state)


def _told(kind: str, state: saving.FileState) -> Json:
    fault = state.fault.as_json() if state.fault else None
    return {"type": kind, "version": state.version, "text": state.text, "fault": fault}


# -- earlier versions ------------------------------------------------------------------------------

#: Seconds since 1970, and what reads the text of a version.
_Earlier = tuple[float, Callable[[], str]]
#: The copies, by their time, without what is just being written beside them.
_COPIES = "*[0-9]"


def keep_copy(path: Path, before: str | None, after: str, cache: Path | None) -> None:
    """Keep a text that was saved, and the one before it, if that isn't known; or nothing."""
    with contextlib.suppress(OSError), _copying:
        folder = kept("history", path, cache)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        names, known, written = sorted(copy.name for copy in folder.glob(_COPIES)), None, 0.0
        if names:
            last = folder / names[-1]
            known = safe_files.read(last, source.MAX_BYTES, links=False).decode()
            written = last.lstat().st_mtime
        # Two never have one name, even if the clock is put back.
        now = max(time.time_ns() // 1_000_000, int(names[-1]) + 2 if names else 0)
        goes_on = (
            bool(names)
            and known == before
            and now / 1000 - written < PAUSE
            and now - int(names[-1]) < 1000 * _LONGEST
        )
        if known != before and before is not None:
            names.append(f"{now - 1:015}")
            safe_folders.write(folder / names[-1], before.encode(), 0o600)
        if not goes_on:
            names.append(f"{now:015}")
        safe_folders.write(folder / names[-1], after.encode(), 0o600)
        for name in names[:-MOST]:
            (folder / name).unlink(missing_ok=True)


def follow(old: Path, new: Path, cache: Path | None) -> None:
    """Let the copies of a file be those of its new path."""
    with contextlib.suppress(OSError):
        kept("history", old, cache).rename(kept("history", new, cache))


def earlier(path: Path, cache: Path | None) -> dict[str, _Earlier]:
    """Return the earlier versions of a file by the names of copies and revisions, newest first."""
    known, person = dict[str, _Earlier](), Person(path.stem, path)

    def of_git(name: str) -> str:
        (file,) = versions.at_revision(person, name).files.values()
        return "\n".join((file.text or "").removeprefix("\ufeff").splitlines()) + "\n"

    with contextlib.suppress(OSError):
        for copy in kept("history", path, cache).glob(_COPIES):
            known[copy.name] = int(copy.name) / 1000, partial(copy.read_text, "utf-8")
    for name, seconds in versions.revisions(path, MOST):
        known[name] = seconds, partial(of_git, name)
    return dict(sorted(known.items(), key=lambda version: -version[1][0]))


def text_of(path: Path, cache: Path | None, name: str) -> str:
    """Return the text of a version; raises CvbuildError if it is gone."""
    # What is saved next is another copy, however soon: that is what comes back if it isn't kept.
    with contextlib.suppress(OSError), _copying:
        for copy in sorted(kept("history", path, cache).glob(_COPIES))[-1:]:
            os.utime(copy, (0, 0))
    try:
        return earlier(path, cache)[name][1]()
    except (KeyError, OSError):
        fact = "this version is not there any more"
        raise UsageError.because("version", fact, "open the history again") from None


def history(path: Path, cache: Path | None) -> list[Json]:
    """Return the versions of a file, each with what changed in it, if that can be said."""
    end, rows = time.monotonic() + _LOOKS, list[Json]()
    after = None
    for name, (seconds, read) in earlier(path, cache).items():
        text = None
        with contextlib.suppress(OSError, ValueError, CvbuildError):
            text = read() if time.monotonic() < end else None
        is_known = bool(rows) and None not in (text, after) and time.monotonic() < end
        if is_known and text == after:
            # A revision that is a copy, too, changed nothing.
            rows.pop()
        elif is_known:
            persons = (Person(path.stem, path, each) for each in (text, after))
            with contextlib.suppress(CvbuildError):
                first, second = (versions.facts(person)[0] for person in persons)
                changes = versions.Compared(path.name, first, second).as_json()
                # Comments and the like have no words.
                keys = ("kind", "place", "words")
                rows[-1]["changes"] = [{key: row[key] for key in keys} for row in changes] or None
        # A copy is none of git's.
        about = {"name": name, "seconds": seconds, "is_copy": name.isdigit()}
        rows.append({**about, "changes": None})
        after = text
    return rows


# -- what the page changes in a text ---------------------------------------------------------------

_DATE_IN_WORDS = re.compile(r"\{\s*text:\s*([^\s{}][^{}]*?)\s*\}")


def applied(
    text: str, wanted: Sequence[Change], root: type[Model] = Profile
) -> tuple[str, FieldPath]:
    """Return the text after the changes, and where the first value, or what is next to it, is."""
    for change in wanted:
        try:
            text = _changed(text, tuple(change.path), change, root)
        except EditError:
            where = ".".join(map(str, change.path))[:200]
            fact = f"{where} can't be set without changing other lines"
            raise UsageError.because("set", fact, "write it into the text yourself") from None
    parsed, path = source.parse(text, "text"), _moved(tuple(wanted[0].path), wanted[0])
    while path and parsed.find(path) is None:
        last = path[-1]
        path = (*path[:-1], last - 1) if isinstance(last, int) and last else path[:-1]
    return text, path


def _changed(text: str, path: FieldPath, change: Change, root: type[Model]) -> str:
    if change.read:
        return adverts.put(text, path, str(change.value), shapes.before({}, path, root))
    if change.sure:
        return _unmarked(text, path)
    if change.to is not None:
        return edit.move(text, path, change.to)
    parsed = source.parse(text, "text")
    above = parsed.find(path[:-1])
    is_in_language = above and shapes.in_languages(above.data) and language_tags.is_key(path[-1])
    value: object = change.value
    if isinstance(value, str) and not is_in_language:
        # Texts by language, and words for a date, are mappings where they are written as in YAML.
        words = _DATE_IN_WORDS.fullmatch(value.strip()) if "date" in path[-2:] else None
        value = {"text": words[1]} if words else in_languages(value) or value
    path = _of_short(parsed, path, value, root)
    for at in range(1, len(path)) if value is not None and not change.translates else ():
        holder, there = shapes.at(parsed.data, path[:at], root), parsed.find(path[:at])
        if not (holder and holder.model and there) or language_tags.is_key(path[at]):
            continue
        short = shapes.short_key(holder.model, there.data)
        if short and shapes.at(parsed.data, path[: at + 1], root):
            # One text stood for a mapping.
            for step in reversed(path[at + 1 :]):
                value = [value] if isinstance(step, int) else {step: value}
            return edit.put(text, path[:at], {short: there.data, str(path[at]): value})
    if change.insert:
        return edit.add(text, [edit.Addition(path, value)])
    if change.is_copy:
        there = parsed.find(path)
        if there is None or not isinstance(path[-1], int):
            raise EditError
        return edit.add(text, [edit.Addition(_moved(path, change), there.data)])
    if change.translates:
        return _translated(text, path, change.translates, change.value)
    return edit.put(_unmarked(text, path), path, value, shapes.before(parsed.data, path, root))


def _of_short(parsed: Source, path: FieldPath, value: object, root: type[Model]) -> FieldPath:
    """Return where a text goes that stood for a mapping when it was typed."""
    shape, there = shapes.at(parsed.data, path, root), parsed.find(path)
    model, data = shape.model if shape else None, there.data if there else None
    if not (isinstance(value, str) and isinstance(data, dict)) or {"value", "private"} & {*data}:
        return path
    if model is None or not issubclass(model, Shorthand) or model.is_short(data):
        return path
    return (*path, "body" if model is Letter and "file" not in data else model.shorthand)


def _unmarked(text: str, path: FieldPath) -> str:
    """Return the text without the mark of a guess behind the value at a path."""
    parsed = source.parse(text, "text")
    line = parsed.key_span(path).line if parsed.find(path) else None
    rows = text.split("\n")
    for doubt in writer.doubts(text) if line else ():
        if doubt.kind == "guess" and doubt.line == line and doubt.key == str(path[-1]):
            rows[line - 1] = rows[line - 1][: doubt.column - 1].rstrip()
    return "\n".join(rows)


def _translated(text: str, path: FieldPath, original: Original, value: object) -> str:
    above = source.parse(text, "text").find(path[:-1])
    there: Any = above.data if above else None
    texts = there if isinstance(there, dict) else {original.language: there}
    if texts.get(original.language) != original.text or not language_tags.is_key(path[-1]):
        fact = "the text that is translated has changed meanwhile"
        raise UsageError.because("set", fact, "open it again")
    if texts is there:
        return edit.put(text, path, value)
    return edit.put(text, path[:-1], {**texts, str(path[-1]): value})


def _moved(path: FieldPath, change: Change) -> FieldPath:
    """Return where what is at a path, or its copy, is after a change."""
    last = path[-1]
    if change.to is not None and isinstance(last, int):
        return (*path[:-1], change.to)
    return (*path[:-1], last + 1) if change.is_copy and isinstance(last, int) else path


# -- what files add --------------------------------------------------------------------------------


def additions(person: Person, text: str, imported: str, chosen: Collection[int] | None) -> Json:
    """Return what an import says that a person's text lacks, and notes on what stays as it is.

    Or the text with the facts of the ``chosen`` numbers. Raises CvbuildError.
    """
    there, new = source.parse(text, str(person.path)), source.parse(imported, "import")
    before: Any = there.data
    overlay = people.overlay(person.path)
    # What the private file has is never added.
    private = source.load(overlay).data if overlay.exists() else None
    expanded: Any = bibliography.expanded(there, person.path.parent).data

    def merged(paths: Set[FieldPath]) -> merging.Merged:
        return merging.merge(before, _part(new.data, paths), private, expanded)

    choices = {*_choices(new.data)}
    each = ((path, merged({path}).additions) for path in _choices(new.data))
    lacking = [(path, added) for path, added in each if added]
    if chosen is not None:
        paths = {path for number, (path, _) in enumerate(lacking) if number in chosen}
        try:
            return {"text": edit.add(text, merged(paths).additions)}
        except EditError:
            fact = "nothing can be added without changing the rest of the file"
            hint = "import it as a file of its own, and copy from there"
            raise CvbuildError.because("merge", fact, hint) from None
    rows = list[Json]()
    for path, added in lacking:
        # Where the fact goes, and what it says.
        after = edit.apply(before, added)
        first, *more = changes.compare(before, after)
        words = [part for change in (first, *more) for _, part in changes.words(change)[-1:]]
        if "items" in path and "items" not in first.target:
            # The section is new: its first item.
            words = [identity.first_text(edit.value_at(new.data, path))]
        place = changes.place(first, before, after)
        rows.append({"place": place, "words": " · ".join(words)})
    return {"additions": rows, "notes": [note.message for _, note in merged(choices).notes]}


def _choices(data: Any, path: FieldPath = ()) -> Iterator[FieldPath]:
    """Yield the path of each thing of an import that is chosen as one, such as an item."""
    match path:
        case ("sections", _, "items", _) | ("sections", _, "groups") | ("contact", _):
            yield path
        case (step,) if step not in ("sections", "contact"):
            yield path
        case _:
            for step, value in shapes.inside(data):
                yield from _choices(value, (*path, step))


def _part(data: Any, chosen: Set[FieldPath], path: FieldPath = ()) -> Any:
    """Return data without the choices that aren't chosen; what is beside them stays, as titles."""
    if path in _choices(None, path):
        return data if path in chosen else None
    parts = ((step, _part(value, chosen, (*path, step))) for step, value in shapes.inside(data))
    kept = {step: part for step, part in parts if part is not None}
    return [*kept.values()] if isinstance(data, list) else kept if isinstance(data, dict) else data
