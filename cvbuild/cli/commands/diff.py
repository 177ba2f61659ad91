"""``cvbuild diff``: list what differs between two versions of a person's facts, by field."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from cvbuild.applications import load, versions
from cvbuild.applications.versions import Version
from cvbuild.building import Request, pipeline, profiles
from cvbuild.building.requested import counted_from, known_locale, settings_of, workspace_library
from cvbuild.cli import console
from cvbuild.cli.report import counted, some
from cvbuild.cli.workspace import epoch
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import UsageError, foreign
from cvbuild.common.safe_folders import BUILD, opened
from cvbuild.inputs import people
from cvbuild.inputs.people import Person
from cvbuild.inputs.yaml.source import Source

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
    library, day = workspace_library(given.template_path), counted_from(epoch())

    def read(person: Person, at: int) -> tuple[Any, Source | None]:
        if person.path.parent.name == load.FOLDER or not (variants[at] or locales[at]):
            return versions.facts(person)
        return versions.shown_facts(person, library, variants[at], locales[at], day), None

    labels = [
        ", ".join(filter(None, (one.label, variants[at], locales[at])))
        for at, one in enumerate((first, second))
    ]
    files = [(one.name, one.as_json()) for one in versions.compared(first, second, read)]
    pdf, notes = _write(given, (first, second), variants, locales) if given.pdf else (None, [])
    if given.html:
        console.answer(_page(files, " → ".join(labels)))
    elif given.json:
        before, after = labels
        plain = [{"file": name, "changes": changes} for name, changes in files]
        told = {"before": before, "after": after, "files": plain}
        console.print_json({**told, "pdf": pdf, "diagnostics": notes})
    else:
        say(files, " → ".join(labels))
        console.show(notes)
        if pdf:
            console.say(f"wrote {pdf}", pdf)
    return int(any(changes for _, changes in files))


def _write(
    given: argparse.Namespace, both: Sequence[Version], variants: _Pair, locales: _Pair
) -> tuple[str, list[Diagnostic]]:
    """Write the second version's PDF with the changes marked; return its path, and notes."""
    from cvbuild.applications import changed_pdf

    out = Path(given.out)
    named, place = tuple(given.template_path), str(out / BUILD / "changes")
    settings = settings_of(Request(place, template_path=named, epoch=epoch(), locale=locales[1]))
    tasks = []
    for version, variant in zip(both, variants, strict=True):
        found = [
            one for one in version.files.values() if one.path.parent.name == people.FOLDER.name
        ]
        if len(found) != 1:
            fact = f"--pdf takes versions of one person, {version.label} has {len(found)}"
            raise UsageError.because("pdf", fact, "name the person: cvbuild diff PERSON@REVISION")
        checked = profiles.check(found[0], settings.library)
        picked = checked.profile.template if checked.profile else ("",)
        tasks.append(profiles.document(variant or picked[0], checked, settings.library))
    before = replace(settings, locale=locales[0])
    data, unmarked = changed_pdf.make(tasks[0], tasks[1], before, settings)
    path, _ = pipeline.places(tasks[1], replace(settings, out=out))
    # Not among the person's documents: it is none to send.
    name = f"{tasks[1].person.name}-{path.stem}-changes.pdf"
    with foreign("pdf", "can't write the PDF"), opened(out, make=True) as folder:
        folder.write(name, data)
    fact = f"{counted(len(unmarked), 'text', 'texts')} couldn't be underlined: {some(unmarked)}"
    note = Diagnostic("note", "unmarked", fact)
    return str(out / name), [note] if unmarked else []


def _pair(name: str, text: str | None) -> tuple[str | None, str | None]:
    """Return what both versions are shown as: one for both, or each its own."""
    if text is None:
        return None, None
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 2 or "" in parts:
        raise UsageError.because(name, f"--{name} takes one, or two of them", f"--{name} A,B")
    for part in parts if name == "locale" else ():
        known_locale(part)
    return parts[0], parts[-1]


def say(files: Sequence[tuple[str, Sequence[dict[str, Any]]]], labels: str) -> None:
    """Print the changes of each file, a line each, with the words that differ marked."""
    for name, changes in files:
        number = counted(len(changes), "change", "changes") if changes else "no change"
        console.answer(f"{name}: {number}, {labels}")
        for one in changes:
            line = f"line {one['line']}: " if one["line"] else ""
            console.answer(f"  {one['kind']:8} {line}{one['place']}")
            marks = _MARKS if one["kind"] == "changed" else dict.fromkeys(_MARKS, "{}")
            words = " ".join(marks[what].format(text) for what, text in one["words"])
            console.answer(f"           {words}")


def _page(files: Sequence[tuple[str, Sequence[dict[str, Any]]]], labels: str) -> str:
    """Return the same as a page of HTML."""
    from markupsafe import Markup

    tags = {"same": "{}", "gone": "<del>{}</del>", "new": "<ins>{}</ins>"}
    row = Markup("<dt>{}, {}</dt><dd>{}</dd>\n")
    page = Markup("<!doctype html>\n<html lang=en><meta charset=utf-8><title>{0}</title>\n")
    page += Markup("<h1>{0}</h1>\n")
    parts = [page.format(labels)]
    for name, changes in files:
        parts.append(Markup("<h2>{}</h2>\n").format(name))
        parts.append(Markup("<dl>\n" if changes else "<p>no change</p>\n"))  # noqa: S704
        for one in changes:
            words = [Markup(tags[what]).format(text) for what, text in one["words"]]  # noqa: S704
            parts.append(row.format(one["place"], one["kind"], Markup(" ").join(words)))
        parts.append(Markup("</dl>\n" if changes else ""))  # noqa: S704
    return "".join([*parts, "</html>"])
