"""From data to a Profile; what pydantic finds becomes diagnostics with a place and a hint.

Keyed on the errors' ``type``, never on pydantic's English.
"""

from __future__ import annotations

import difflib
import types
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from cvbuild import source as source_stage
from cvbuild.diagnostics import Diagnostic, FieldPath
from cvbuild.errors import ProfileError
from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap
from cvbuild.source import Source

_DATE_HINT = (
    "write 2020, 2020-07, 2020-07-14, Fall 2019, 2017-03 to present, or {text: in press} for words"
)
_HINTS = {
    "text_empty": "write something, or leave the key out",
    "text_control": "take the character out",
    "text_bidi": "end each embedding, override or isolate where it began",
    "url": "write an address such as https://example.org/page",
    "email": "write an address such as name@example.org",
    "phone": "write digits with the country first, such as +1 202 555 0123",
    "orcid": "write the iD of your ORCID page, such as 0000-0002-1825-0097",
    "doi": "write a DOI such as 10.1145/3357223",
    "arxiv": "write an arXiv id such as 2403.11421",
    "locale": "write a BCP 47 tag such as en, en-GB or de",
    "day": "write a full date such as 2026-01-31",
    "name_parts": "write a name as one text, or give it the keys given and family",
    "section_empty": "give it items (or groups with items), or take the section out",
    "title_and_roles": "put the title into the roles, or take the roles out",
    "author_empty": "write the author's name, then the mark: G. He*",
    "date_form": _DATE_HINT,
    "date_keys": "write {start: 2017-03, end: present} or {text: in press}",
    "date_month": "months go from 01 to 12",
    "date_day": "look at the calendar",
    "date_year": "write the year with four digits",
    "date_order": "swap the dates or mend the one that is wrong",
}
_EXAMPLES = {
    "date": "2020-07",
    "items": "a list, each item after a dash",
    "sections": "a list, each section after a dash",
    "authors": "a list of names",
}


def load(path: Path) -> tuple[Profile, Source]:
    """Read and validate one person's file; raises ProfileError with all that is wrong with it."""
    source = source_stage.load(path)
    return validate(source), source


def validate(source: Source) -> Profile:
    """Raises ProfileError with a diagnostic for each thing that is wrong, in the file's order."""
    try:
        return Profile.model_validate(source.data)
    except ValidationError as error:
        found = error.errors(include_url=False)
    diagnostics = {_diagnostic(dict(item), source): None for item in _without_echoes(found)}
    raise ProfileError(sorted(diagnostics, key=lambda item: (item.span is None, item.span)))


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most like ``word``, if any is."""
    close = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.6)
    return close[0] if close else None


def suggest(word: str, known: Iterable[str], noun: str) -> str:
    """A hint: the nearest known word, or all of them."""
    names = list(known)
    close = nearest(word, names)
    if close:
        return f'did you mean "{close}"?'
    return f"{noun}: {', '.join(names)}" if names else "there are none"


def _without_echoes(errors: list[Any]) -> list[Any]:
    """Drop "too short" where the reason is that the items themselves are wrong."""
    places = [item["loc"] for item in errors]
    return [
        item
        for item in errors
        if item["type"] != "too_short"
        or not any(
            len(place) > len(item["loc"]) and place[: len(item["loc"])] == item["loc"]
            for place in places
        )
    ]


def _diagnostic(error: dict[str, Any], source: Source) -> Diagnostic:
    path, owner = _follow(tuple(error["loc"]))
    kind, context = error["type"], error.get("ctx") or {}
    on_key = kind == "extra_forbidden"
    span = source.key_span(path) if on_key else source.span(path)
    message, hint = _words(kind, path, owner, context, error)
    return Diagnostic("error", kind.replace("_", "-"), message, span, hint)


def _words(
    kind: str,
    path: FieldPath,
    owner: type[BaseModel] | None,
    context: dict[str, Any],
    error: dict[str, Any],
) -> tuple[str, str | None]:
    """What is wrong and what to do, for a reader of the YAML."""
    name = str(path[-1]) if path and isinstance(path[-1], str) else "this"
    if kind == "extra_forbidden":
        return f'unknown key "{name}"', suggest(name, _keys(owner), "known keys")
    if kind == "missing":
        return f'"{name}" is missing', f"add {name}: {_EXAMPLES.get(name, '…')}"
    if kind == "union_tag_invalid":
        return (
            f'unknown kind "{context["tag"]}"',
            suggest(str(context["tag"]), Profile.KINDS, "the kinds are"),
        )
    if kind == "union_tag_not_found":
        return "the section has no kind", f"add kind: one of {', '.join(Profile.KINDS)}"
    if kind == "literal_error":
        given = _short(error["input"])
        return f'{name} can\'t be "{given}"', f"one of {context['expected']}".replace("'", "")
    if kind in ("less_than_equal", "greater_than_equal", "int_parsing", "int_type"):
        return f'{name} can\'t be "{_short(error["input"])}"', "write a whole number from 0 to 9"
    if kind in ("bool_parsing", "bool_type"):
        return f'{name} can\'t be "{_short(error["input"])}"', "write true or false"
    if kind == "string_pattern_mismatch":
        return f'"{_short(error["input"])}" is not a tag', "use letters, digits and . + - _"
    return _shape_words(kind, name, error)


def _shape_words(kind: str, name: str, error: dict[str, Any]) -> tuple[str, str | None]:
    """Words for a value of the wrong form, and for all of our own types."""
    given = _short(error["input"])
    if kind in ("string_type", "string_sub_type"):
        return f"{name} must be a text, not {_form(error['input'])}", _text_hint(error["input"])
    if kind in ("tuple_type", "list_type"):
        return f"{name} must be a list, not {_form(error['input'])}", "put each item after a dash"
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return (
            f"{name} must be a mapping of keys, not {_form(error['input'])}",
            "write key: value lines below it",
        )
    if kind == "too_short":
        return f"{name} is empty", "give it at least one item, or take it out"
    if kind.startswith("date_from") or kind in ("date_type", "date_parsing"):
        return f'"{given}" is not a full date', _HINTS["day"]
    return str(error["msg"]), _HINTS.get(kind)


def _text_hint(value: object) -> str:
    if isinstance(value, dict):
        return 'put the text in quotes if it holds ": " or braces'
    return "write one text" if isinstance(value, list) else "write something, or leave the key out"


def _form(value: object) -> str:
    if value is None:
        return "nothing"
    forms: dict[type, str] = {dict: "a mapping", list: "a list", str: "a text"}
    return forms.get(type(value), f'"{_short(value)}"')


def _short(value: object) -> str:
    text = str(value)
    return text[:60] + "…" if len(text) > 60 else text


def _keys(owner: type[BaseModel] | None) -> list[str]:
    if owner is None:
        return []
    return [field.alias or name for name, field in owner.model_fields.items()]


def _follow(loc: tuple[str | int, ...]) -> tuple[FieldPath, type[BaseModel] | None]:
    """The path in the YAML for pydantic's ``loc``, and the model that the last step is in.

    Why: pydantic puts the kind of a section into the loc, which is no step in the file.
    """
    path: list[str | int] = []
    here: Any = Profile
    owner: type[BaseModel] | None = None
    for step in loc:
        tagged = _variant(here, step)
        if tagged is not None:
            here = tagged
            continue
        owner = here if isinstance(here, type) and issubclass(here, BaseModel) else None
        path.append(step)
        here = _into(here, step)
    return tuple(path), owner


def _bare(annotation: Any) -> Any:
    """The annotation without Annotated and None."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        parts = [part for part in get_args(annotation) if part is not type(None)]
        if len(parts) == 1:
            return _bare(parts[0])
    return annotation


def _variant(annotation: Any, step: str | int) -> Any:
    """The member of the union of section kinds that ``step`` names."""
    annotation = _bare(annotation)
    if get_origin(annotation) not in (Union, types.UnionType):
        return None
    for part in get_args(annotation):
        kind = part.model_fields.get("kind")
        if kind is not None and step in get_args(kind.annotation):
            return part
    return None


def _into(annotation: Any, step: str | int) -> Any:
    """The annotation of what ``step`` leads to."""
    annotation = _bare(annotation)
    origin = get_origin(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, field in annotation.model_fields.items():
            if step in (name, field.alias):
                return _bare(field.annotation)
    elif origin is tuple:
        return _bare(get_args(annotation)[0])
    elif origin is FrozenMap:
        return _bare(get_args(annotation)[1])
    return None
