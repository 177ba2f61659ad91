"""Changes of a person's file: ``cvbuild diff`` lists them, ``apply-patch`` makes those of a patch.

A patch is of one version of the file, named by its SHA-256. Who proposes it need not be trusted: it
holds values only, and what it would do is shown before, first which facts it would add.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from cvbuild.applications import load, versions
from cvbuild.building import profiles
from cvbuild.cli import console
from cvbuild.cli.commands.import_file import agreed
from cvbuild.cli.console import counted, some
from cvbuild.cli.main import request_of
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, Span, UsageError, foreign, shown
from cvbuild.common.files import file_state, safe_files, safe_folders
from cvbuild.inputs import people, saving
from cvbuild.inputs.changes import NewFact, find_new
from cvbuild.inputs.validation.errors import first_of
from cvbuild.inputs.yaml import edit, source
from cvbuild.inputs.yaml.edit import EditError
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model.text import language_tags
from cvbuild.outputs.request import Request

_Pair = tuple[str | None, str | None]
_MARKS = {"same": "{}", "gone": "[-{}-]", "new": "{{+{}+}}"}


def run(given: argparse.Namespace) -> int:
    """Compare two versions; return 1 if they differ, as diff does."""
    variants, locales = _pair("variant", given.variant), _pair("locale", given.locale)
    first = versions.find(given.first)
    if given.second:
        second = versions.find(given.second)
    elif first.is_now and variants[0] == variants[1] and locales[0] == locales[1]:
        (person,) = first.files.values()
        first, second = versions.at_revision(person, "HEAD"), first
    else:
        second = versions.today(first)
    request = request_of(given)._replace(variants=(), locale=None)

    def read(person: people.Person, at: int) -> tuple[Any, Source | None]:
        if person.path.parent.name == load.FOLDER or not (variants[at] or locales[at]):
            return versions.facts(person)
        own = request._replace(locale=locales[at])
        return versions.shown_facts(person, variants[at], own), None

    before, after = (
        ", ".join(filter(None, (version.label, variants[at], locales[at])))
        for at, version in enumerate((first, second))
    )
    labels = f"{before} → {after}"
    files = [(file.name, file.as_json()) for file in versions.compared(first, second, read)]
    pdf, notes = _write(request, (first, second), variants, locales) if given.pdf else (None, [])
    if given.html:
        from markupsafe import escape

        tags = {"same": "{}", "gone": "<del>{}</del>", "new": "<ins>{}</ins>"}
        title = escape(labels)
        page = f"<!doctype html>\n<html lang=en><meta charset=utf-8><title>{title}</title>\n"
        page += f"<h1>{title}</h1>\n"
        for name, changes in files:
            rows = ""
            for change in changes:
                words = " ".join(tags[what].format(escape(text)) for what, text in change["words"])
                place, kind = escape(change["place"]), escape(change["kind"])
                rows += f"<dt>{place}, {kind}</dt><dd>{words}</dd>\n"
            listed = f"<dl>\n{rows}</dl>\n" if changes else "<p>no change</p>\n"
            page += f"<h2>{escape(name)}</h2>\n{listed}"
        console.answer(f"{page}</html>")
    elif given.json:
        plain = [{"file": name, "changes": changes} for name, changes in files]
        head = {"before": before, "after": after, "files": plain}
        console.print_json({**head, "pdf": pdf, "diagnostics": notes})
    else:
        say(files, labels)
        console.show(notes)
        if pdf:
            console.say(f"wrote {pdf}")
    return int(any(changes for _, changes in files))


def _write(
    request: Request, both: Sequence[versions.Version], variants: _Pair, locales: _Pair
) -> tuple[str, list[Diagnostic]]:
    """Write the second version's PDF with the changes marked; return its path, and notes."""
    from cvbuild.applications import changed_pdf

    out, tasks = request.out, []
    for version, variant, locale in zip(both, variants, locales, strict=True):
        files = version.files.values()
        persons = [file for file in files if file.path.parent.name == people.FOLDER.name]
        if len(persons) != 1:
            fact = f"--pdf takes versions of one person, {version.label} has {len(persons)}"
            raise UsageError.because("pdf", fact, "name the person: cvbuild diff PERSON@REVISION")
        checked = profiles.check(persons[0], request.library)
        name = variant or checked.require()[0].template[0]
        own = request._replace(out=out / safe_folders.BUILD / "changes", locale=locale)
        tasks.append(profiles.task(checked, name, own))
    data, unmarked = changed_pdf.make(*tasks)
    path = tasks[1].path
    # Not among the person's documents: it is none to send.
    name = f"{tasks[1].person.name}-{path.stem}-changes.pdf"
    with foreign("pdf", "can't write the PDF"):
        safe_folders.write(safe_folders.real(out, make=True) / name, data)
    fact = f"{counted(len(unmarked), 'text', 'texts')} couldn't be underlined: {some(unmarked)}"
    note = Diagnostic("note", "unmarked", fact)
    return str(out / name), [note] if unmarked else []


def _pair(name: str, text: str | None) -> _Pair:
    """Return what both versions are shown as: one for both, or each its own."""
    if text is None:
        return None, None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 2 or "" in parts:
        raise UsageError.because(name, f"--{name} takes one, or two of them", f"--{name} A,B")
    for part in parts if name == "locale" else ():
        language_tags.require(part)
    return parts[0], parts[-1]


def say(files: Sequence[tuple[str, Sequence[dict[str, Any]]]], labels: str) -> None:
    """Print the changes of each file, a line each, with the words that differ marked."""
    for name, changes in files:
        number = counted(len(changes), "change", "changes") if changes else "no change"
        console.answer(f"{name}: {number}, {labels}")
        for change in changes:
            line = f"line {change['line']}: " if change["line"] else ""
            console.answer(f"  {change['kind']:8} {line}{change['place']}")
            marks = _MARKS if change["kind"] == "changed" else dict.fromkeys(_MARKS, "{}")
            words = " ".join(marks[what].format(text) for what, text in change["words"])
            console.answer(f"           {words}")


# -- patches: changes of a person's file that somebody else proposes -------------------------------

#: The most bytes of a patch, and changes in it.
MOST_BYTES, MOST_EDITS = 1_000_000, 1000


class Edit(BaseModel, extra="forbid"):
    """One value that is put in its place; ``null`` removes what is there."""

    path: Annotated[list[str | int], Field(min_length=1, max_length=20)]
    """Keys, and places in lists, which count from 0: ["sections", 0, "items", 1, "title"]."""
    value: object
    """The new value. The place behind the last item of a list adds one."""


class Patch(BaseModel, extra="forbid"):
    """Changes of one person's file."""

    person: str
    """The name of the file in people/, without .yaml."""
    base: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """The SHA-256 of the file's bytes that the changes are of."""
    edits: Annotated[list[Edit], Field(min_length=1, max_length=MOST_EDITS)]
    """The changes, one after the other: each finds the file as the one before it leaves it."""


def with_edit(text: str, change: Edit, number: int, name: str) -> str:
    """Return the text of a file, ``name`` in messages, with a change; raises CvbuildError."""
    try:
        text = text if text.endswith("\n") else f"{text}\n"
        return edit.put(text, tuple(change.path), change.value)
    except (EditError, LookupError, TypeError):
        place = shown(".".join(map(str, change.path))[:200])
        fact = f"change {number}: {place} isn't in the file, or can't be set by itself"
        raise CvbuildError.because("patch", fact, "write it into the file", Span(name)) from None


def apply_patch(given: argparse.Namespace) -> int:
    """Show a patch, and make its changes if somebody agrees; return 1 if nothing was written."""
    span = Span(str(Path(given.patch)))
    try:
        patch = Patch.model_validate_json(safe_files.read(Path(given.patch), MOST_BYTES))
    except ValidationError as error:
        fact, hint = f"this is no patch: {first_of(error)}", "cvbuild docs patches shows one"
        raise CvbuildError.because("patch", fact, hint, span) from None
    except OSError as error:
        fact = f"it can't be read: {error.strerror}"
        raise CvbuildError.because("patch", fact, None, span) from None
    (person,) = people.find([patch.person])
    if file_state.file_hash(person.path) != patch.base:
        fact, hint = "the file has changed since the patch was made", "have it made anew"
        raise CvbuildError.because("patch", fact, hint, Span(str(person.path)))
    before = after = source.load(person.path).text
    for number, change in enumerate(patch.edits, start=1):
        after = with_edit(after, change, number, str(person.path))
    library = request_of(given).library
    errors = profiles.check(person._replace(text=after), library).errors
    there, changed = source.parse(before, str(person.path)), source.parse(after, str(person.path))
    facts = find_new(there.data, changed.data)
    compared = versions.Compared(person.name, there.data, changed.data, changed)
    if not given.json:
        console.answer(facts_added(facts))
        say([(person.name, compared.as_json())], "with the patch")
    console.show(errors)
    is_wanted = not errors and (given.yes or (not given.json and agreed(f"write {person.path}?")))
    if is_wanted:
        saving.replace(person.path, before, after)
    if given.json:
        new = [{"kind": fact.kind, "words": fact.words, "path": [*fact.path]} for fact in facts]
        head: dict[str, object] = {"person": person.name, "written": is_wanted, "new_facts": new}
        console.print_json({**head, "changes": compared.as_json(), "diagnostics": errors})
    else:
        console.say(f"wrote {person.path}" if is_wanted else "nothing was written")
    return int(not is_wanted)


def facts_added(facts: Sequence[NewFact]) -> str:
    """Return the first line about a patch: which facts it adds."""
    what = counted(len(facts), "fact", "facts")
    listed = some([f"{fact.kind} {fact.words}" for fact in facts], 12)
    return f"it adds {what} that the file hasn't: {listed}" if facts else "it adds no facts"
