"""Whether what was imported can be true: values that can't stand where they do, and poor imports.

An importer may read each word and still give an employer that is a date. Nothing is changed here:
an implausible value is marked as a guess, and the reasons of a poor import stand at its top.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span, quoted
from cvbuild.importers import dates, headings
from cvbuild.importers.documents import vocabulary
from cvbuild.importers.types import Imported
from cvbuild.inputs.references import identity
from cvbuild.inputs.references.identity import items_in
from cvbuild.inputs.yaml import edit
from cvbuild.inputs.yaml.tree import Source
from cvbuild.inputs.yaml.writer import POOR
from cvbuild.model.locales.dates import PRESENT

#: What is said to a poor import.
_HINT = "compare all of it with the source, or import the CV in another format"
#: Keys of an item that name something: no date, no sentence.
_NAMES = frozenset(
    ("employer", "institution", "organization", "degree", "title", "course", "role", "name", "area")
)
#: Kinds whose items have dates, if most of them have.
_DATED = ("experience", "education", "teaching", "volunteer")
#: What a post and a degree are named by.
_POSTS = {
    "experience": ("employer", "title"),
    "education": ("institution", "degree"),
    "volunteer": ("organization", "title"),
}
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_NO_NAME = re.compile(
    r"(?i)universit|college\b|institut|information|curriculum|\bcv\b|r[ée]sum[ée]\b|lebenslauf"
    r"|^(?:given|first|last|full|your) name|\.(?:io|com|org|net)\b|[:#_|@]|\d{3}|^[A-Z]\d\d$"
    r"|\bphone\b|\be-?mail\b"
    r"|[ĊċĎďĒĔĕĖėĚĆĉčęđēĘ]{2}"
)
#: What is left of code: pictures, marks of Markdown and HTML, lengths, commands.
_CODE = re.compile(
    r"\(-?\d(?:\.\d+)?, ?-?\d(?:\.\d+)?\)|::: ?\{|<!--|-->|\|\|\||totalleftmargin|\\[a-z]{4,}"
    r"|\w/\w+\.(?:png|jpe?g)\b|(?<![\w.])\d*\.?\d+(?:ex|pt|em)\b|^#\+\w+:|\{\{|^---|\{[:%#.]"
    # What templates have where a fact should be.
    r"|(?i:\byour name\b|lorem ipsum|github university|company name|city, state"
    r"|first ?name last ?name)"
)
#: Lines of a summary, and characters of a text that names something, of an address, of a headline.
_LINES, _LONG, _ADDRESS, _HEADLINE = 12, 160, 110, 4
#: Odd values, as a part of all items, that make an import poor.
_SHARE = 0.25
#: How likely the parts of entries are at least, on the mean, if an import isn't poor.
_SURE = 0.85


def judged(found: Imported) -> Imported:
    """Return the same with implausible values among its guesses."""
    return replace(found, guesses=tuple(dict.fromkeys((*found.guesses, *odd(found.data)))))


def odd(data: Mapping[str, Any]) -> dict[FieldPath, str]:
    """Return what can't be true, by its path, with the reason in a few words."""
    told = dict(_head(data))
    for at, section in enumerate(data.get("sections", ())):
        told |= _section(section, ("sections", at))
    return told


def warning(found: Imported, file: str) -> Diagnostic | None:
    """Return what is told of a poor import; None for another."""
    why = "; ".join(poor(found))
    return Diagnostic("warning", "poor", f"{POOR}: {why}", Span(file), _HINT) if why else None


def poor(found: Imported) -> list[str]:
    """Return why an import is hardly worth to keep, each in a few words; empty for another."""
    data, told = found.data, odd(found.data)
    sections = data.get("sections", ())
    items = [item for section in sections for _, item in items_in(section)]
    why = []
    if ("name",) in told or (found.draft and "name" not in data):
        why.append("its name is none of a person")
    if ("summary",) in told and not {section["kind"] for section in sections} & {*_DATED}:
        why.append("nearly all of it is in the summary")
    posts = [
        (path, item, _POSTS[section["kind"]])
        for at, section in enumerate(sections)
        if section["kind"] in _POSTS
        for path, item in items_in(section, ("sections", at))
        if isinstance(item, dict)
    ]
    guessed = {path[: at + 1] for path in found.guesses for at in range(len(path))}
    unsure = sum(path in guessed for path, *_ in posts)
    lacking = sum(not _is_whole(item, *names) for _, item, names in posts)
    if min(unsure * 3, lacking * 6) > len(posts) * 2 and not why:
        why.append(f"{lacking} of {len(posts)} posts and degrees lack a name or a date")
    elif found.sureness < _SURE and not why:
        why.append("few of its entries are sure")
    elif found.draft and not (posts or why):
        why.append("it has no post or degree")
    wrong = [path for path in told if path[0] == "sections"]
    if len(wrong) > len(items) * _SHARE:
        many = "value that can't be" if len(wrong) == 1 else "values that can't be"
        why.append(f"{len(wrong)} {many} right among {len(items)} items")
    return why


def _is_whole(item: Any, *names: str) -> bool:
    """Return whether a post or a degree has both names, and a date that is one."""
    of_roles = [role for role in item.get("roles", ()) if {*names[1:], "date"} <= role.keys()]
    is_dated = isinstance(item.get("date"), str) and dates.is_date(item["date"])
    return bool(item.get(names[0]) and (of_roles or (item.get(names[1]) and is_dated)))


def _head(data: Mapping[str, Any]) -> Iterator[tuple[FieldPath, str]]:
    names = identity.name_forms(data.get("name"))
    if names and _NO_NAME.search(names[0]):
        yield ("name",), "not a person's name"
    headline = str(data.get("headline", ""))
    letters = len(re.sub(r"[\W\d_]", "", headline))
    if headline and (letters < _HEADLINE or headline.endswith(":") or _is_odd(headline)):
        yield ("headline",), "not a headline"
    address = " ".join(identity.texts_of(data.get("contact", {}).get("address")))
    if len(address) > _ADDRESS or re.search(r"@|\*\*", address) or dates.ends_in(address)[1]:
        yield ("contact", "address"), "not an address"
    summary = data.get("summary", "")
    lines = summary if isinstance(summary, list) else [summary]
    if len(lines) > _LINES or len(_YEAR.findall(" ".join(identity.texts_of(summary)))) > _HEADLINE:
        yield ("summary",), "more than a summary"


def _section(section: Mapping[str, Any], path: FieldPath) -> Iterator[tuple[FieldPath, str]]:
    kind = section["kind"]
    known = headings.exact_kind_of(str(section.get("title", "")))
    if kind in ("text", "bullets") and known in ("experience", "education"):
        yield (*path, "title"), "its posts or degrees are no items"
    items = [*items_in(section, path)]
    lacking = [
        place
        for place, item in items
        if isinstance(item, dict) and not (item.get("date") or item.get("roles"))
    ]
    for place, item in items:
        yield from _item(item, place, kind) if isinstance(item, dict) else ()
    # Between others with a date, one without has lost it, or gave it to the next.
    is_usual = len(items) > 2 and len(items) > len(lacking)
    if kind in _DATED and is_usual and len(lacking) * 3 > len(items):
        yield from ((place, "no date") for place in lacking)


def _item(item: Mapping[str, Any], path: FieldPath, kind: str) -> Iterator[tuple[FieldPath, str]]:
    for key, value in item.items():
        if isinstance(value, list) and key == "roles":
            for at, role in enumerate(value):
                yield from _item(role, (*path, key, at), kind)
        if not isinstance(value, str):
            continue
        if key in _NAMES and (reason := _no_name(value)):
            yield (*path, key), reason
        elif _CODE.search(value):
            yield (*path, key), "not a fact"
    school = str(item.get("institution", ""))
    is_named = vocabulary.ORGANIZATION.search(school)
    if kind == "education" and vocabulary.is_degree(school) and not is_named:
        yield (*path, "institution"), "rather the degree"


def _no_name(value: str) -> str:
    """Return why a text names nothing; empty for one that may."""
    bare = re.sub(r"[\W_]", "", value)
    if value.count("(") != value.count(")") or value.count("**") % 2:
        return "cut off"
    words = [word for word in re.findall(r"[^\W\d_]+", value) if word.lower() not in PRESENT]
    # "February 2022-May" is none that can be read, and nothing else either.
    is_date = _YEAR.search(value) and all(map(dates.month_of, words))
    is_end = value.isalpha() and dates.is_date(f"2019 – {value}")
    if is_date or is_end or dates.is_date(value.strip("()[] ")):
        return "a date"
    if bare.isdigit() or not bare or (len(bare) < 2 and not bare.isalpha()):
        return "no words"
    return "not a name" if len(value) > _LONG or _is_odd(value) else ""


def _is_odd(text: str) -> bool:
    return bool(_CODE.search(text) or dates.is_date(text))


# -- which guesses to look at first ---------------------------------------------------------------


def guesses(found: Imported, source: Source | None, file: str) -> list[Diagnostic]:
    """Return a note on each guess: what is implausible, then those of the head before others.

    Each has its place in ``source``, the person's file; without it that file's name alone.
    """
    reasons = odd(found.data)
    # What can't be right goes first.
    paths = sorted(found.guesses, key=lambda path: (path not in reasons, path[0] == "sections"))
    notes = []
    for path in paths:
        what = path[-1] if isinstance(path[-1], str) else "an item"
        why = f"probably wrong ({reasons[path]})" if path in reasons else "a guess"
        words = identity.first_text(edit.value_at(found.data, path))
        fact = f"{what} is {why}" + (f": {quoted(words)}" if words else "")
        span = source.span(path) if source else Span(file)
        notes.append(Diagnostic("note", "guess", fact, span))
    return notes
