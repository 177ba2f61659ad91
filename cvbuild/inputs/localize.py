"""The profile in one language, from a file with texts in many: only plain texts follow."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterator
from operator import is_
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import BaseModel

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model import Profile, language_tags, locales
from cvbuild.model.base import FrozenMap, Prose, Wording
from cvbuild.model.dates import Date
from cvbuild.model.kinds.work import Skill
from cvbuild.model.sections import Interest, Item

#: Fields whose plain text is likely the same in all languages: names, numbers.
_NAMES = frozenset(
    ("institution", "employer", "organization", "location", "address", "venue", "short_venue",
     "event", "awarder", "issuer", "number", "name", "advisor", "mentor", "instructor", "keywords",
     "grade", "short", "author")
)  # fmt: skip
_WORD = re.compile(r"\b[^\W\d_]{3,}\b")
_MOST_POSITIONS = 3


def localize(
    profile: Profile,
    source: Source,
    locale: str | None = None,
    left_out: Collection[FieldPath] = (),
) -> tuple[Profile, tuple[Diagnostic, ...]]:
    """Return the profile in one language, by default its own, and notes on other languages.

    ``locale`` is a known BCP 47 tag; nothing is noted of paths in ``left_out``. A text without a
    translation stays in the profile's own language, else in the first that it has, and its
    ``language`` says so.
    """
    target = language_tags.canonical(locale or profile.locale)
    walk = _Walk(target, profile.locale, frozenset(left_out))
    localized: Profile = walk.value(profile, ())
    name = localized.name
    if name is not profile.name:
        # Its forms in other languages still find the person among authors, and a native name that
        # is now the printed one isn't shown a second time.
        native = None if name.native == name.display else name.native
        forms = (*name.author, *profile.name.displays)
        name = name.model_copy(update={"author": forms, "native": native})
    localized = localized.model_copy(update={"locale": target, "name": name})
    notes: list[Diagnostic] = []
    if locales.language_of(target) is None:
        fact = f"there are no headings in {language_tags.name(target)}; they are in English"
        span = source.span(("locale",)) if locale is None else None
        notes.append(Diagnostic("note", "no-words", fact, span, "give each section a title"))
    notes += (note for _, note in walk.noted(source))
    places = sorted({source.span(path) for path in walk.plain})
    if places and language_tags.canonical(profile.locale) != target:
        # One note on all texts without a language.
        lines = ", ".join(f"{place.line}:{place.column}" for place in places[1:_MOST_POSITIONS])
        more = len(places) - _MOST_POSITIONS
        also = f" (also {lines}{f' and {more} more' if more > 0 else ''})" if lines else ""
        count = f"{len(places)} texts have" if len(places) > 1 else "1 text has"
        stays = "stay as they are" if len(places) > 1 else "stays as it is"
        fact = f"{count} no {language_tags.name(target)} version and {stays}{also}"
        hint = f"write {{{walk.own}: …, {target}: …}}"
        notes.append(Diagnostic("note", "untranslated", fact, places[0], hint))
    # Paragraphs of one block have one position, and make one note.
    return localized, tuple(dict.fromkeys(notes))


def untranslated(
    profile: Profile, source: Source, locale: str
) -> tuple[tuple[FieldPath, Diagnostic], ...]:
    """Return the path of each text that isn't in a language (a known tag), and a note on it."""
    target = language_tags.canonical(locale)
    walk = _Walk(target, profile.locale)
    walk.value(profile, ())
    plain = walk.plain if language_tags.canonical(profile.locale) != target else ()
    name = language_tags.name(target)
    hint = f"write {{{walk.own}: …, {target}: …}}"
    paths: dict[Diagnostic, FieldPath] = {}
    for path in plain:
        note = Diagnostic("note", "no-translation", f"no {name} text", source.span(path), hint)
        paths.setdefault(note, path)
    for path, note in walk.noted(source):
        paths.setdefault(note, path)
    return tuple(
        (paths[note], note) for note in sorted(paths, key=lambda note: note.span or Span(""))
    )


def suffix(own: str, target: str | None) -> str:
    """Return the language in a document's file name: .de; nothing for the person's own language."""
    if target is None or language_tags.canonical(own) == language_tags.canonical(target):
        return ""
    return f".{language_tags.canonical(target)}"


class _Walk(Struct):
    """Walks through a profile and records texts without a translation."""

    target: str
    own: str
    left_out: frozenset[FieldPath] = frozenset()
    missing: list[tuple[FieldPath, str]] = field(default_factory=list)
    """Texts without a translation, and the language that is used instead."""
    plain: list[FieldPath] = field(default_factory=list)
    """Texts without a language that probably need a translation."""
    quiet: bool = False
    """Whether the document leaves out the part that is being walked."""

    def value(self, value: Any, path: FieldPath, *, name: bool | None = False) -> Any:
        """Return the value with plain texts.

        ``name`` is whether a text is the same in all languages; None if its words say that.
        """
        match value:
            case Prose() | Wording():
                return self.text(value, path, name=name)
            case Date(text=Wording() as text):
                return dataclasses.replace(value, text=self.text(text, (*path, "text"), name=name))
            case BaseModel():
                return self.model(value, path)
            case tuple():
                parts = [self.value(v, (*path, at), name=name) for at, v in enumerate(value)]
                return value if all(map(is_, parts, value)) else tuple(parts)
            case FrozenMap() if path[:1] != ("options",):
                pairs = {key: self.value(v, (*path, key)) for key, v in value.items()}
                return value if all(map(is_, pairs.values(), value.values())) else FrozenMap(pairs)
        return value

    def model(self, model: BaseModel, path: FieldPath) -> BaseModel:
        outer = self.quiet
        self.quiet = outer or path in self.left_out
        names = _NAMES | model.NAMES if isinstance(model, Item) else _NAMES
        if isinstance(model, Interest) or (isinstance(model, Skill) and model.keywords):
            names -= {"name"}
        # Python is a name, machine learning is not.
        is_skill = isinstance(model, Skill) and not model.keywords
        either = ("keywords", "name") if is_skill else ("keywords",)
        fields = {}
        for key, info in type(model).model_fields.items():
            before = getattr(model, key)
            is_name = None if key in either else key in names
            after = self.value(before, (*path, info.alias or key), name=is_name)
            if after is not before:
                fields[key] = after
        self.quiet = outer
        return model.model_copy(update=fields) if fields else model

    def text(self, text: Prose | Wording, path: FieldPath, *, name: bool | None) -> Any:
        if not text.translations:
            if name is None:  # one has no word in small letters
                name = not any(word.islower() for word in _WORD.findall(str(text)))
            if not name and not self.is_quiet(path) and isinstance(text, Prose):
                self.plain.append(path)
            return text
        texts: dict[str, Any] = dict(text.translations)
        chosen = language_tags.choose(texts, self.target)
        if chosen is not None:
            return _plain(text, texts[chosen], None)
        used = language_tags.choose(texts, self.own) or next(iter(texts))
        if path[:1] == ("name",):
            # This is the person's name in every language without another one.
            return _plain(text, texts[used], None)
        if not self.is_quiet(path):
            self.missing.append((path, used))
        return _plain(text, texts[used], used)

    def is_quiet(self, path: FieldPath) -> bool:
        """Return whether to note nothing of a text; paragraphs of the summary are no models."""
        return self.quiet or path in self.left_out or path[:1] in self.left_out

    def noted(self, source: Source) -> Iterator[tuple[FieldPath, Diagnostic]]:
        """Yield the path of each text that has translations, but not this one, and a note."""
        language = language_tags.name(self.target) if self.missing else ""
        for path, used in sorted(self.missing, key=lambda one: source.span(one[0])):
            message = f"no {language} text; the {language_tags.name(used)} one is used"
            place = source.span(path)
            note = Diagnostic("note", "no-translation", message, place, f"add {self.target}: …")
            yield path, note


def _plain(kind: Prose | Wording, text: Any, language: str | None) -> Any:
    if isinstance(kind, Prose):
        return replace(text, language=language)
    return Wording(text, language=language)
