"""One person's file, many languages: the profile as a reader of one language gets it.

Pure: no file, no clock. Everything after this stage sees plain texts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from cvbuild.common.diagnostics import Diagnostic, FieldPath
from cvbuild.inputs.yaml.source import Source
from cvbuild.locales import words
from cvbuild.model import Profile, language_tags
from cvbuild.model.base import FrozenMap, Prose, Wording
from cvbuild.model.contact import Name
from cvbuild.model.dates import Date
from cvbuild.model.kinds import KINDS
from cvbuild.model.parts import Item

#: Fields whose plain text is likely the same in all languages: names, numbers.
_NAMES = frozenset(
    ("institution", "employer", "organization", "location", "address", "venue", "short_venue",
     "event", "awarder", "issuer", "number", "name", "advisor", "mentor", "instructor", "keywords",
     "grade", "short", "author")
)  # fmt: skip
_PLACES = 3


def localize(
    profile: Profile,
    source: Source,
    locale: str | None = None,
    left_out: Collection[FieldPath] = (),
) -> tuple[Profile, tuple[Diagnostic, ...]]:
    """The profile in one language, its own if none is wanted, and notes on what is in another.

    ``locale`` is a known BCP 47 tag; of what is ``left_out`` nothing is noted. A text without a
    translation is there in the profile's own language, else in the first that it has, and says so
    (``language``).
    """
    wanted = language_tags.canonical(locale or profile.locale)
    walk = _Walk(wanted, profile.locale, frozenset(left_out))
    made: Profile = walk.value(profile, ())
    made = made.model_copy(update={"locale": wanted, "name": _name(profile.name, made.name)})
    notes = [
        *_of_words(wanted, source if locale is None else None),
        *_of_labels(made, source, walk.left_out),
        *walk.notes(source),
    ]
    if language_tags.canonical(profile.locale) != wanted:
        notes += _of_plain(walk, source)
    # Paragraphs of one block have one place, and are one note.
    return made, tuple(dict.fromkeys(notes))


def suffix(own: str, wanted: str | None) -> str:
    """What a document's file name has for its language: .de; nothing for the person's own."""
    if wanted is None or language_tags.canonical(own) == language_tags.canonical(wanted):
        return ""
    return f".{language_tags.canonical(wanted)}"


@dataclass
class _Walk:
    """Goes through a profile and remembers what it met."""

    wanted: str
    own: str
    left_out: frozenset[FieldPath] = frozenset()
    missing: list[tuple[FieldPath, str]] = field(default_factory=list)
    """Texts without a translation, and the language that was taken."""
    plain: list[FieldPath] = field(default_factory=list)
    """Texts in no language of their own that could well be translated."""
    quiet: bool = False
    """Whether the document doesn't show what is being looked at."""

    def value(self, value: Any, path: FieldPath, *, name: bool = False) -> Any:
        """The same value with plain texts; ``name`` if a text is one in all languages."""
        match value:
            case Prose() | Wording():
                return self.text(value, path, name=name)
            case Date(text=Wording() as text):
                return replace(value, text=self.text(text, (*path, "text"), name=name))
            case BaseModel():
                return self.model(value, path)
            case tuple():
                parts = [self.value(v, (*path, at), name=name) for at, v in enumerate(value)]
                return tuple(parts) if _changed(parts, value) else value
            case FrozenMap() if path[:1] != ("options",):
                pairs = {key: self.value(v, (*path, key)) for key, v in value.items()}
                return FrozenMap(pairs) if _changed(pairs.values(), value.values()) else value
        return value

    def model(self, model: BaseModel, path: FieldPath) -> BaseModel:
        """A copy of the model if a text in it changed."""
        outer = self.quiet
        self.quiet = outer or path in self.left_out
        names = _NAMES | model.NAMES if isinstance(model, Item) else _NAMES
        made = {}
        for key, info in type(model).model_fields.items():
            before = getattr(model, key)
            after = self.value(before, (*path, info.alias or key), name=key in names)
            if after is not before:
                made[key] = after
        self.quiet = outer
        return model.model_copy(update=made) if made else model

    def text(self, text: Prose | Wording, path: FieldPath, *, name: bool) -> Any:
        """The text in the language that is wanted, or in the next best."""
        if not text.translations:
            if not name and not self.is_quiet(path) and isinstance(text, Prose):
                self.plain.append(path)
            return text
        texts: dict[str, Any] = dict(text.translations)
        found = language_tags.choose(texts, self.wanted)
        if found is not None:
            return _plain(text, texts[found], None)
        taken = language_tags.choose(texts, self.own) or next(iter(texts))
        if path[:1] == ("name",):
            # A person is called so wherever they have no other name.
            return _plain(text, texts[taken], None)
        if not self.is_quiet(path):
            self.missing.append((path, taken))
        return _plain(text, texts[taken], taken)

    def is_quiet(self, path: FieldPath) -> bool:
        """Whether nothing is to be said of a text; paragraphs of the summary are no models."""
        return self.quiet or path in self.left_out or path[:1] in self.left_out

    def notes(self, source: Source) -> Iterator[Diagnostic]:
        """A note for each text that has translations, but not this one."""
        goal = language_tags.name(self.wanted) if self.missing else ""
        for path, taken in sorted(self.missing, key=lambda one: source.span(one[0])):
            message = f"no {goal} text; the {language_tags.name(taken)} one is taken"
            place = source.span(path)
            yield Diagnostic("note", "no-translation", message, place, f"add {self.wanted}: …")


def _changed(after: Iterable[object], before: Iterable[object]) -> bool:
    return any(new is not old for new, old in zip(after, before, strict=True))


def _plain(kind: Prose | Wording, text: Any, language: str | None) -> Any:
    if isinstance(kind, Prose):
        return replace(text, language=language)
    return Wording(text, language=language)


def _name(name: Name, made: Name) -> Name:
    """The person's name; its forms in other languages still name the person among authors.

    A native name that is the printed one by now is not shown a second time.
    """
    if made is name:
        return name
    parts = {
        key: dict(part.translations)
        for key in ("full", "given", "family")
        if isinstance(part := getattr(name, key), Wording)
    }
    tags = dict.fromkeys(tag for texts in parts.values() for tag in texts)
    forms = []
    for tag in tags:
        update = {key: texts.get(tag, getattr(name, key)) for key, texts in parts.items()}
        forms.append(name.model_copy(update=update).display)
    native = None if made.native == made.display else made.native
    return made.model_copy(
        update={"author": (*made.author, *dict.fromkeys(forms)), "native": native}
    )


def _of_words(wanted: str, source: Source | None) -> Iterator[Diagnostic]:
    """A note if the headings can't be in the language."""
    if words.language_of(wanted) is None:
        yield Diagnostic(
            "note",
            "no-words",
            f"there are no headings in {language_tags.name(wanted)}; they are in English",
            source.span(("locale",)) if source else None,
            "give each section a title",
        )


def _of_labels(
    profile: Profile, source: Source, left_out: Collection[FieldPath]
) -> Iterator[Diagnostic]:
    """Notes on headings and labels that the language's table lacks, each at its first section."""
    table = words.table(profile.locale)
    told: set[str] = set()
    for index, section in enumerate(profile.sections if table.lacking else ()):
        if ("sections", index) in left_out:
            continue
        heading = () if section.title else (section.kind,)
        for label in (*heading, *KINDS[section.kind].labels):
            if label in table.lacking and label not in told:
                told.add(label)
                yield Diagnostic(
                    "note",
                    "no-label",
                    f"no {language_tags.name(profile.locale)} word for "
                    f'"{label}"; the English one is taken',
                    source.span(("sections", index, "kind")),
                    "give the section a title" if label == section.kind else None,
                )


def _of_plain(walk: _Walk, source: Source) -> Iterator[Diagnostic]:
    """One note on all texts that say nothing of a language."""
    places = sorted({source.span(path) for path in walk.plain})
    if not places:
        return
    lines = ", ".join(f"{place.line}:{place.column}" for place in places[1:_PLACES])
    more = len(places) - _PLACES
    also = f" (also {lines}{f' and {more} more' if more > 0 else ''})" if lines else ""
    count = f"{len(places)} texts have" if len(places) > 1 else "1 text has"
    stays = "stay as they are" if len(places) > 1 else "stays as it is"
    yield Diagnostic(
        "note",
        "untranslated",
        f"{count} no {language_tags.name(walk.wanted)} version and {stays}{also}",
        places[0],
        f"write {{{walk.own}: …, {walk.wanted}: …}}",
    )
