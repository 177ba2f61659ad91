"""The documents of an application: which CV and which letter, and the files they are made from."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Iterator
from datetime import date as Day
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.applications.load import FOLDER, LoadedApplication
from cvbuild.building import profiles
from cvbuild.common.diagnostics import Diagnostic, ProfileError, UsageError, suggest
from cvbuild.inputs import people
from cvbuild.inputs.letters import PATH, Draft
from cvbuild.inputs.person import settings
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model.letter import Body
from cvbuild.model.profile import Profile
from cvbuild.outputs.request import Request
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.types import Shown, Task, find_output


class Documents(Struct, frozen=True):
    """CV and letter, both in further formats, and warnings on the person's file and the letter."""

    cv: Task
    letter: Task | None
    others: tuple[Task, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


def of(
    loaded: LoadedApplication,
    request: Request,
    day: Day,
    root: Path = Path(),
    *,
    text: str | None = None,
) -> Documents:
    """Return the documents of an application; a letter without a date of its own has ``day``.

    ``text`` is read in place of the person's file. Raises ProfileError with all that is wrong.
    """
    name, folder, library = loaded.data.person, root / people.FOLDER, request.library
    known = [person.name for person in people.everyone(folder)]
    if name not in known:
        fact, hint = f'there is no person "{name[:100]}" in people/', "the people are"
        span = loaded.source.span(("person",))
        raise ProfileError.because("person", fact, suggest(name, known, hint), span)
    (person,) = people.find([name], folder)
    checked = profiles.check(person._replace(text=text), library, private=loaded.data.private)
    profile, _ = checked.require()
    cv_name = _name(loaded, profile, library)
    variant = profile.variants.get(cv_name)
    if variant and variant.private and not checked.private:
        # Its warnings are about private data, too.
        checked = profiles.check(checked.person, library, private=True)
    cv, letter = profiles.task(checked, cv_name, request), None
    warnings = [*checked.diagnostics]
    if loaded.data.limits:
        source = cv.source.grafted(("limits",), loaded.source.part(("limits",)))
        cv = replace(cv, limits=loaded.data.limits, source=source)
    if written := loaded.letter:
        # It is in the CV's style.
        draft = Draft(loaded.slug, written.letter, loaded.folder, day, loaded.data.named_position)
        letter = replace(cv, source=cv.source.grafted(PATH, written.node), draft=draft)
        if written.letter.body:
            warnings += check_greetings(written.letter.body, letter.source)
    others = list[Task]()
    for index, name in enumerate(loaded.data.formats):
        try:
            shows_letters = find_output(name).shows_letters
        except UsageError as error:
            span = loaded.source.span(("formats", index))
            located = (dataclasses.replace(item, span=span) for item in error.diagnostics)
            raise ProfileError(located) from None
        others += (replace(one, format=name) for one in (cv, shows_letters and letter) if one)
    return Documents(cv, letter, tuple(others), tuple(warnings))


def _name(loaded: LoadedApplication, profile: Profile, library: Library) -> str:
    """Return the name of the CV: a variant, or a template."""
    data, templates = loaded.data, library.names()
    for key, other, fact, known, others in (
        ("variant", "template", f"{data.person} has no variant", profile.variants, templates),
        ("template", "variant", "unknown template", templates, profile.variants),
    ):
        name = getattr(data, key)
        if name in known:
            return str(name)
        if name is not None:
            is_other = name in others
            hint = f"write {other}: {name}" if is_other else suggest(name, known, f"the {key}s are")
            span = loaded.source.span((key,))
            raise ProfileError.because(key, f'{fact} "{name[:100]}"', hint, span)
    return profile.template[0]


def inputs(loaded: LoadedApplication, built: Iterable[Shown]) -> tuple[tuple[str, Path], ...]:
    """Return what people wrote of documents, sorted: name (people/ada.yaml) and path."""
    letter = loaded.letter and loaded.letter.letter
    names = [loaded.path.name, *(file.name for file in loaded.attached)]
    names += [name for name in (letter.file, letter.signature) if name] if letter else ()
    plain = map(os.path.normpath, names)
    files = {Path(FOLDER, name).as_posix(): loaded.folder / name for name in plain}
    for document in built:
        file, profile = document.person.path, document.profile
        bibs = (getattr(section, "bib", None) for section in profile.sections)
        named = [*(name for _, name in profile.pictures), *{bib.file: bib for bib in bibs if bib}]
        names = [file.name, *map(os.path.normpath, named)]
        overlay = people.overlay(file)
        if document.private and overlay.is_file():
            names.append(overlay.name)
        files |= {(people.FOLDER / name).as_posix(): file.parent / name for name in names}
        shared = settings.file_of(file)
        files |= {shared.name: shared} if shared.is_file() else {}
    return tuple(sorted(files.items()))


# -- whether a letter greets or closes twice -------------------------------------------------------

#: How the letter of a new file begins (workspace-template/applications).
STARTER = "Two or three paragraphs: why this position, why you, what you would like to do there."
#: The most words of a greeting, and of a closing with the name; the most characters of a greeting.
_MOST_WORDS, _MOST_CHARACTERS = 8, 60
#: What a greeting ends with.
_MARKS = (",", ":", "!", "،", "，", "：")


def check_greetings(body: Body, source: Source) -> Iterator[Diagnostic]:
    """Yield a warning for a greeting, a closing, and a new file's text in a letter."""
    first, last = body.blocks[0], body.blocks[-1]
    if str(first.texts[0]) == STARTER:
        message, span = "the letter is still that of a new file", source.span((*PATH, "body", 0))
        yield Diagnostic("warning", "starter", message, span, "write your own")
    greeting, *_, closing = (
        str(first.texts[0]),
        *re.split(r"[.!?。！？]\s+", str(last.texts[0]).strip()),
    )
    is_short = len(greeting.split()) <= _MOST_WORDS and len(greeting) <= _MOST_CHARACTERS
    # A few words above a list introduce that.
    before_text = [block.kind for block in body.blocks[:2]] == ["paragraph", "paragraph"]
    greets = before_text and is_short and greeting.rstrip().endswith(_MARKS)
    # A few words at the end that are no sentence.
    closes = (
        len(body.blocks) > 1 and last.kind == "paragraph" and len(closing.split()) <= _MOST_WORDS
    )
    closes = closes and not closing.endswith((".", "!", "?", "。", "！", "？"))
    for noun, key, index, is_there in (
        ("greeting", "opening", 0, greets),
        ("closing", "closing", len(body.blocks) - 1, closes),
    ):
        if is_there:
            message = f"the letter gets a second {noun}: cvbuild writes one"
            hint = f"take it out of the body, or move it to {key}:"
            span = source.span((*PATH, "body", index))
            yield Diagnostic("warning", f"letter-{key}", message, span, hint)
