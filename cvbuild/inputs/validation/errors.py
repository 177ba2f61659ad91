"""The words for pydantic's errors in a file, by their ``type``: a fact, and what to do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any, get_args

from msgspec.structs import replace
from pydantic import BaseModel, ValidationError
from pydantic_core.core_schema import ErrorType

from cvbuild.common.diagnostics import (
    ALIKE,
    LONGEST,
    Diagnostic,
    FieldPath,
    Span,
    form,
    nearest,
    shown,
    shown_value,
    suggest,
)
from cvbuild.inputs.validation import date_hints, slots
from cvbuild.inputs.validation.slots import Slot
from cvbuild.inputs.yaml.source import MAX_PROBLEMS
from cvbuild.inputs.yaml.tree import FLAG, Source
from cvbuild.model.base import Prose, Shorthand, fields_of
from cvbuild.model.kinds import KINDS
from cvbuild.model.locales.dates import DATE_HINT, DAY_HINT
from cvbuild.model.profile import Profile
from cvbuild.model.sections import RULE_HINT, Link, Rule
from cvbuild.model.text import language_tags

Words = tuple[str, str | None]

_EXAMPLES = {
    "date": "2020-07",
    "name": "Ada Example",
    "items": "a list, each item after a dash",
    "sections": "a list, each section after a dash",
    "authors": "a list of names",
    "marks": '"*"',
    "other": "Work permit",
    "variants": "short",
    "people": '[ada-example, "phd-*"]',
}
_MAPPINGS = {
    "contact": "write email: name@example.org below it",
    "profiles": "write github: user-name below it",
    "options": "write paper: letter below it",
    "marks": 'write {"*": equal contribution}',
    "recipient": "write name: Lin Example below it",
    "variants": "write a name and below it key: value lines",
    "titles": "write sections before titles, such as {publication: Selected Publications}",
}
#: Keys whose names have a form of their own.
_NAMES = {
    "id": ("an id", "use letters, digits and . + - _"),
    "tags": ("a tag", "use letters, digits and . + - _; several are a list: [a, b]"),
    "options": ("a name of an option", "use letters, digits and hyphens"),
    "variants": ("a name of a variant", "use letters, digits and hyphens, 100 at most"),
}
_NUMBER = ("less_than_equal", "greater_than_equal", "int_type", "int_from_float")
#: The types of pydantic's own errors, whose words nobody sees.
_FOREIGN = frozenset(get_args(ErrorType))


def diagnostics(
    errors: list[Any], source: Source, model: type[BaseModel] = Profile
) -> list[Diagnostic]:
    """Return a diagnostic for each of pydantic's errors about a ``model``, in the file's order."""
    placed: list[tuple[Span, Any, Slot]] = []
    unknown: dict[FieldPath, list[Slot]] = {}
    for item in errors:
        slot, kind = slots.find(tuple(item["loc"]), source.data, model), item["type"]
        inner = (item.get("ctx") or {}).get("key")
        path = slot.path if inner is None else (*slot.path, inner)
        if slot.on_key or kind in ("extra_forbidden", "date_keys"):
            span = source.key_span(path)
        else:
            span = source.span((*path, "kind") if kind == "union_tag_invalid" else path)
        placed.append((span, item, slot))
        if kind == "extra_forbidden" and slot.owner is not None:
            unknown.setdefault(slot.path[:-1], []).append(slot)
    placed.sort(key=lambda one: one[0])
    above = {item["loc"][:size] for item in errors for size in range(len(item["loc"]))}
    # Words take long to find, so only for what is shown.
    own = (one for one in placed if not _repeats(*one[1:], above, unknown))
    first = list(islice(own, MAX_PROBLEMS + 1))
    unique = dict.fromkeys(_diagnostic(*one, source) for one in first[:MAX_PROBLEMS])
    if len(first) <= MAX_PROBLEMS:
        return [*unique]
    message = f"only the first {MAX_PROBLEMS} of {len(placed)} problems are shown"
    return [*unique, Diagnostic("note", "more", message, Span(source.name))]


def _repeats(
    item: Any, slot: Slot, above: set[Any], unknown: Mapping[FieldPath, list[Slot]]
) -> bool:
    """Return whether an error only repeats another one.

    "Too short" is useless if the items themselves are wrong, and so is "missing" if the key is only
    misspelt. ``above`` are the places that errors are in, ``unknown`` unknown keys by their holder.
    """
    if item["type"] == "too_short":
        return item["loc"] in above
    # Of more unknown keys than are shown, none is a misspelt one.
    near = unknown.get(slot.path[:-1], ())[:MAX_PROBLEMS] if item["type"] == "missing" else ()
    for other in near:
        meant, owner = slots.intended(str(other.path[-1]), other.owner), other.owner
        if meant is None and other.alone and owner is not None:
            # The key that a model written in short stands for.
            meant = "label" if owner is Link else getattr(owner, "shorthand", None)
        if meant == slot.name:
            return True
    return False


def _diagnostic(span: Span, error: Any, slot: Slot, source: Source) -> Diagnostic:
    # The wrong key in a date, which pydantic sees as a whole.
    inner = (error.get("ctx") or {}).get("key")
    if isinstance(inner, str):
        slot = replace(slot, name=inner, required=True, item=False)
    hidden = hides(source, slot.path, error["type"])
    hidden = hidden or source.holds_private(slot.path)
    if hidden and slot.owner is None and not (slot.item or language_tags.is_key(slot.name)):
        # It is the person's own label.
        slot = replace(slot, name="this value")
    kind, (message, hint) = str(error["type"]), words(error, slot)
    if hidden and kind in FACTS:
        message, hint = FACTS[kind], DATE_HINT if kind == "date_form" else hint
    elif hidden and kind == "extra_forbidden":
        name = str(slot.path[-1])
        if not nearest(name, (FLAG, *fields_of(slot.owner)), ALIKE):
            message = message.replace(f" {shown_value(name)}", "")
    # What isn't one value is not quoted, unless an error of ours names a part of it.
    elif (
        hidden
        and kind not in _VALUELESS
        and (isinstance(error["input"], str | int | float) or "value" in error.get("ctx", {}))
    ):
        message = f"{slot.name} has a wrong value"
    return Diagnostic("error", kind.replace("_", "-"), message, span, hint)


def first_of(error: ValidationError) -> str:
    """Return what is wrong first with what a program wrote, which has no lines to show."""
    item: dict[str, Any] = {**error.errors(include_url=False)[0]}
    loc = item["loc"] or ("it",)
    name = ".".join(map(str, loc))[:LONGEST]
    return shown(words(item, Slot(loc, name, None, None, present=False))[0])


def words(error: dict[str, Any], slot: Slot) -> Words:
    """Return what is wrong and what to do, for a reader of the YAML."""
    kind, given, name = error["type"], shown_value(error["input"]), slot.name
    context = error.get("ctx") or {}
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        return slots.unknown_key(slot)
    if kind.startswith("missing"):
        is_other = name == "name" and slot.owner is not Profile
        example = "…" if is_other else _EXAMPLES.get(name, "…")
        if slot.present:
            return f"{name} is empty", f"write {name}: {example}"
        return f'"{name}" is missing', f"add {name}: {example}"
    if kind.startswith("union_tag") and context["discriminator"] == "'kind'":
        return _kind(error["input"])
    if kind == "literal_error":
        choices = str(context["expected"]).replace("'", "")
        return f"{name} can't be {given}", f"write {choices}"
    if kind in _NUMBER or kind.startswith("int_parsing"):
        least, most = slots.limits(slot)
        return f"{name} can't be {given}", f"write a whole number from {least} to {most}"
    if kind in ("bool_parsing", "bool_type"):
        return f"{name} can't be {given}", "write true or false"
    if kind == "string_pattern_mismatch" and name in _NAMES:
        noun, hint = _NAMES[name]
        return f"{given} is not {noun}", hint
    if kind in ("too_long", "string_too_long"):
        what = "items" if kind == "too_long" else "characters"
        return f"{name} has more than {context['max_length']} {what}", "leave some out"
    return _shape(error, slot)


def _kind(section: object) -> Words:
    given = section.get("kind") if isinstance(section, dict) else None
    if given is None:
        return "the section has no kind", f"add kind: one of {', '.join(Profile.KINDS)}"
    if not isinstance(given, str):
        return f"a kind is one word, not {form(given)}", f"one of {', '.join(Profile.KINDS)}"
    hint = f"write {given} at the top level of the file, not as a section"
    if given not in slots.NO_KINDS:
        meant = None if nearest(given, KINDS) else slots.kind_called(given)
        hint = f"write {meant}" if meant else suggest(given, KINDS, "the kinds are")
    return f"unknown kind {shown_value(given)}", hint


def _shape(error: dict[str, Any], slot: Slot) -> Words:
    kind, value = error["type"], error["input"]
    name = slot.name
    if slot.item:
        name = "this item" if name == "items" else f"this item of {name}"
    if kind in ("text_empty", "too_short") or (slot.item and value is None):
        return _empty(name, slot, several=kind == "too_short")
    if kind in ("string_type", "string_sub_type"):
        hint = (
            "write one text" if isinstance(value, list) else "write something, or leave the key out"
        )
        if isinstance(value, dict):
            hint = 'put the text in quotes if it has ": " or braces'
            hint += "; several languages are {en: …, de: …}" if slot.target is Prose else ""
        hint = RULE_HINT if slot.target is Rule else hint
        return f"{name} must be a text, not {form(value)}", hint
    if kind in ("tuple_type", "list_type"):
        return f"{name} must be a list, not {form(value)}", "put each item after a dash"
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return _mapping(name, slot, value)
    if kind.startswith("date_from") or kind in ("date_type", "date_parsing"):
        return f"{shown_value(value)} is not a full date", DAY_HINT
    if kind == "json_invalid":
        at = re.search(r"line \d+ column \d+", error["ctx"]["error"])
        return f"it is not JSON{f' from {at[0]} on' if at else ''}", None
    return (f"{name} can't be {shown_value(value)}", None) if kind in _FOREIGN else _ours(error)


def _empty(name: str, slot: Slot, *, several: bool) -> Words:
    if slot.on_key:
        example = f", such as {_EXAMPLES[slot.name]}" if slot.name in _EXAMPLES else ""
        return "this key is empty", f"write a key{example}"
    if slot.item:
        return f"{name} is empty", "write something after the dash, or delete the dash"
    if not name[:1].isalpha():
        name = shown_value(name)
    todo = "give it at least one item" if several else "write something"
    return f"{name} is empty", todo if slot.required else f"{todo}, or leave the key out"


def _mapping(name: str, slot: Slot, value: object) -> Words:
    """Return words for a missing mapping; the hint shows its most important key."""
    is_model = isinstance(slot.target, type) and issubclass(slot.target, BaseModel)
    fields = fields_of(slot.target) if is_model else {}
    key = next((key for key, field in fields.items() if field.is_required()), None)
    if isinstance(slot.target, type) and issubclass(slot.target, Shorthand):
        return f"{name} must be a text or a mapping of keys, not {form(value)}", "write one text"
    if slot.item and slot.name == "sections":
        key = "kind"
    hint = f"write it as {key}: …" if key else _MAPPINGS.get(slot.name, "write key: value lines")
    return f"{name} must be a mapping of keys, not {form(value)}", hint


def _ours(error: dict[str, Any]) -> Words:
    kind, message, context = error["type"], str(error["msg"]), dict(error.get("ctx") or {})
    hint: str | None = context.pop("hint", None)
    for value in context.values():
        if isinstance(value, str) and len(value) > LONGEST and kind not in _WHOLE_SENTENCES:
            message = message.replace(value, value[:LONGEST] + "…")
    # Looked for here, as a search takes long and there may be thousands of errors.
    whole = error["input"]
    if kind == "date_form" and isinstance(whole, str) and (meant := date_hints.range_of(whole)):
        return f"{shown_value(whole)} is not a date", f"write {meant}"
    if kind in ("date_form", "day") and (written := context.get("value")):
        return message, date_hints.hint(written, error["input"], full=kind == "day") or hint
    if kind == "date_month" and (years := date_hints.two_years(str(error["input"]).strip())):
        return message, f"for two years, write {years}"
    unknown_language = kind in ("locale", "language")
    meant = language_tags.nearest(context["value"]) if unknown_language else None
    return message, f'did you mean "{meant}"?' if meant else hint


#: Errors whose context is a whole sentence.
_WHOLE_SENTENCES = ("url", "option_default")


# -- private values: place, fact and fix, but never the value --------------------------------------
#
# A key is quoted only if it is a known key with a slip in it: a value may have become a key. No
# line with private data on it is shown below a message.

#: Keys of ``contact`` that are public by nature.
_PAGES = frozenset(("links", "profiles", "website"))
#: Error types of our own that are about personal data wherever they occur.
_PERSONAL = frozenset(("birth_date", "email", "orcid", "phone"))
#: What is wrong, by the type of an error whose usual words have parts of the value.
FACTS = {
    "arxiv": "this is not an arXiv id",
    "date_day": "the month has no such day",
    "date_form": "this is not a date",
    "date_keys": "a date has start and perhaps end, or text alone",
    "date_month": "there is no such month",
    "date_order": "the range ends before it starts",
    "date_year": "this is not a year of a CV",
    "day": "this is not a full date",
    "doi": "this is not a DOI",
    "email": "this is not an e-mail address",
    "language": "this is not a known language tag",
    "language_comma": "a key has no text, and is no language",
    "language_twice": "two of the keys are one language",
    "link_title": "a link's title isn't shown",
    "text_picture": "a text has no pictures",
    "locale": "this is not a known language tag",
    "orcid": "this is not an ORCID iD, or its last digit is wrong",
    "paragraphs": "the languages differ in their paragraphs",
    "phone": "this is not a phone number",
    "string_pattern_mismatch": "a character here is not allowed",
    "tag_word": "and, or and not are words of rules",
    "text_control": "a character here can't be printed",
    "union_tag_invalid": "unknown kind",
    "url": "an address here can't be a link",
}
#: Errors whose words have only what the schema calls things.
_VALUELESS = frozenset(
    (
        "address_lines", "author_empty", "birth_date", "dict_type", "languages_none", "line_long",
        "link_alone",
        "list_type", "missing", "model_attributes_type", "model_type", "name_parts", "recipient",
        "section_empty", "string_sub_type", "string_type", "text_bidi", "text_empty",
        "title_and_roles", "employer_or_title", "too_short", "tuple_type", "union_tag_not_found",
    )
)  # fmt: skip


def hides(source: Source, path: FieldPath, kind: str = "") -> bool:
    """Return whether messages about a field must not quote it.

    It is private by a flag, by being in an overlay, or by what it is: personal data, which
    everything below ``contact`` is but the person's pages. ``kind`` is the type of the error.
    """
    personal = path[:1] == ("contact",) and not set(path[1:2]) & _PAGES
    return personal or kind in _PERSONAL or source.is_private(path)
