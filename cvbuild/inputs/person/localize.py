"""The profile in one language, from a file with texts in many: only plain texts follow."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Iterator
from operator import is_
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import BaseModel

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.inputs.yaml.tree import Source
from cvbuild.model import locales
from cvbuild.model.base import FrozenMap, Prose, Wording
from cvbuild.model.kinds.work import Skill
from cvbuild.model.locales.dates import Date
from cvbuild.model.profile import Profile
from cvbuild.model.sections import Interest, Item
from cvbuild.model.text import language_tags

#: Fields whose plain text is likely the same in all languages: names, numbers.
_NAMES = frozenset(
    ("institution", "employer", "organization", "location", "address", "venue", "short_venue",
     "event", "awarder", "issuer", "number", "name", "advisor", "mentor", "instructor", "keywords",
     "grade", "short", "author")
)  # fmt: skip
_WORD = re.compile(r"\b[^\W\d_]{3,}\b")
_MOST_POSITIONS = 3


def localize(profile: Profile, locale: str | None = None) -> tuple[Profile, Untranslated]:
    """Return the profile in one language, by default its own, and what it lacks in that.

    ``locale`` is a known BCP 47 tag. A text without a translation stays in the profile's own
    language, else in the first that it has, and its ``language`` says so.
    """
    target = language_tags.canonical(locale or profile.locale)
    untranslated = Untranslated(target, profile.locale)
    localized: Profile = untranslated.value(profile, ())
    name = localized.name
    if name is not profile.name:
        # Its forms in other languages still find the person among authors, and a native name that
        # is now the printed one isn't shown a second time.
        native = None if name.native == name.display else name.native
        forms = (*name.author, *profile.name.displays)
        name = name.model_copy(update={"author": forms, "native": native})
    return localized.model_copy(update={"locale": target, "name": name}), untranslated


def suffix(own: str, target: str | None) -> str:
    """Return the language in a document's file name: .de; nothing for the person's own language."""
    if target is None or language_tags.canonical(own) == language_tags.canonical(target):
        return ""
    return f".{language_tags.canonical(target)}"


class Untranslated(Struct):
    """The texts of a profile that lack a translation into ``target``; ``own`` is its language."""

    target: str
    own: str
    missing: list[tuple[FieldPath, str]] = field(default_factory=list)
    """Texts without a translation, and the language that is used instead."""
    plain: list[FieldPath] = field(default_factory=list)
    """Texts without a language that probably need a translation."""

    @property
    def is_own(self) -> bool:
        """Whether it is the profile's own language."""
        return language_tags.canonical(self.own) == self.target

    def value(self, value: Any, path: FieldPath, *, name: bool | None = False) -> Any:
        """Return the value with plain texts.

        ``name`` is whether a text is the same in all languages; None if its words say that.
        """
        match value:
            case Prose() | Wording():
                return self._text(value, path, name=name)
            case Date(text=Wording() as text):
                return dataclasses.replace(value, text=self._text(text, (*path, "text"), name=name))
            case BaseModel():
                return self._model(value, path)
            case tuple():
                parts = [self.value(v, (*path, at), name=name) for at, v in enumerate(value)]
                return value if all(map(is_, parts, value)) else tuple(parts)
            case FrozenMap() if path[:1] != ("options",):
                pairs = {key: self.value(v, (*path, key)) for key, v in value.items()}
                return value if all(map(is_, pairs.values(), value.values())) else FrozenMap(pairs)
        return value

    def _model(self, model: BaseModel, path: FieldPath) -> BaseModel:
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
        return model.model_copy(update=fields) if fields else model

    def _text(self, text: Prose | Wording, path: FieldPath, *, name: bool | None) -> Any:
        if not text.translations:
            if name is None:  # one has no word in small letters
                name = not any(word.islower() for word in _WORD.findall(str(text)))
            if not name and isinstance(text, Prose):
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
        self.missing.append((path, used))
        return _plain(text, texts[used], used)

    def notes(self, source: Source, left_out: Collection[FieldPath] = ()) -> tuple[Diagnostic, ...]:
        """Return notes on other languages; nothing is noted of and below paths in ``left_out``."""
        notes: list[Diagnostic] = []
        if locales.language_of(self.target) is None:
            name, span = language_tags.name(self.target), source.span(("locale",))
            fact = f"there are no headings in {name}; they are in English"
            hint = "give each section a title"
            notes.append(Diagnostic("note", "no-words", fact, span if self.is_own else None, hint))
        notes += self._fallbacks(source, left_out)
        plain = () if self.is_own else _without(left_out, self.plain)
        places = sorted({source.span(path) for path in plain})
        if places:
            # One note on all texts without a language.
            lines = ", ".join(f"{place.line}:{place.column}" for place in places[1:_MOST_POSITIONS])
            more = len(places) - _MOST_POSITIONS
            also = f" (also {lines}{f' and {more} more' if more > 0 else ''})" if lines else ""
            count = f"{len(places)} texts have" if len(places) > 1 else "1 text has"
            stays = "stay as they are" if len(places) > 1 else "stays as it is"
            fact = f"{count} no {language_tags.name(self.target)} version and {stays}{also}"
            hint = f"write {{{self.own}: …, {self.target}: …}}"
            notes.append(Diagnostic("note", "untranslated", fact, places[0], hint))
        # Paragraphs of one block have one position, and make one note.
        return tuple(dict.fromkeys(notes))

    def each(self, source: Source) -> list[Diagnostic]:
        """Return a note on each text that isn't in the language, in the file's order."""
        fact = f"no {language_tags.name(self.target)} text"
        hint = f"write {{{self.own}: …, {self.target}: …}}"
        spans = () if self.is_own else map(source.span, self.plain)
        notes = [Diagnostic("note", "no-translation", fact, span, hint) for span in spans]
        notes += self._fallbacks(source)
        return sorted(dict.fromkeys(notes), key=lambda note: note.span or Span(""))

    def _fallbacks(
        self, source: Source, left_out: Collection[FieldPath] = ()
    ) -> Iterator[Diagnostic]:
        """Yield a note on each text that has translations, but not this one."""
        languages = dict(self.missing)
        for path in sorted(_without(left_out, languages), key=source.span):
            used, name = (language_tags.name(tag) for tag in (languages[path], self.target))
            fact = f"no {name} text; the {used} one is used"
            hint = f"add {self.target}: …"
            yield Diagnostic("note", "no-translation", fact, source.span(path), hint)


def _without(left_out: Collection[FieldPath], paths: Iterable[FieldPath]) -> Iterator[FieldPath]:
    """Yield the paths that are neither in ``left_out`` nor below one that is."""
    for path in paths:
        if not any(path[:length] in left_out for length in range(1, len(path) + 1)):
            yield path


def _plain(kind: Prose | Wording, text: Any, language: str | None) -> Any:
    if isinstance(kind, Prose):
        return replace(text, language=language)
    return Wording(text, language=language)
