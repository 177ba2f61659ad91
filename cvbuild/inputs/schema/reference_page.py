"""The page about all keys of a person's file, in Markdown, made from the models."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterable, Iterator, Mapping
from datetime import date as Day
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator
from pydantic.fields import FieldInfo

from cvbuild.inputs.schema import starter_files
from cvbuild.inputs.schema.json_schema import docs, models, own_docs
from cvbuild.model import Profile
from cvbuild.model.base import FrozenMap, Prose, Shorthand
from cvbuild.model.dates import Date
from cvbuild.model.kinds import KINDS
from cvbuild.model.networks import NETWORKS
from cvbuild.model.parts import Bullet, Item, Link
from cvbuild.model.sections import SectionOf
from cvbuild.model.tag_rules import Rule
from cvbuild.model.text import ReaderLine
from cvbuild.model.variant import FOR_ALL, Since, Variant

#: Words for the checks that make a plain text something special, by the check's name.
_CHECKED = {
    "_url": "web address",
    "_email": "e-mail address",
    "_phone": "phone number",
    "_orcid": "ORCID iD",
    "_doi": "DOI",
    "_arxiv": "arXiv id",
    "checked": "language tag",
}
_INTRO = """\
# A person's file

<!-- Written by `make docs` from the models; don't edit. -->

One YAML file per person: `people/<name>.yaml`. Only `name` is required. The first line tells
editors where the schema is, so that they complete and check what you type:

```yaml
# yaml-language-server: $schema=../docs/profile.schema.json
{first}```

`cvbuild check` shows each error with its line and column and a fix. A value is exactly
what you wrote: `no` stays "no", `1.10` stays "1.10". An empty value counts as absent. Any
value may be written `{{value: …, private: true}}`: then only private builds show it, see
[privacy.md](../how-to/privacy.md).
"""
_TEXT = """\
## Values

| word | means |
|---|---|
| text | one line of plain text |
| short text | one line of plain text, or [one per language](../how-to/languages.md) |
| rich text | text with inline Markdown, see below, or [one per language](../how-to/languages.md) |
| date | see [Dates](#dates) |
| web address | http, https, mailto or tel; without a scheme it is https |
| 0–9 | a whole number |
| rule | tags, joined by `and`, `or`, `not` and brackets: `systems and not (teaching or service)` |
| … or a list | one value, or several after dashes or in brackets |

Rich text:

| written | means |
|---|---|
| `**bold**` | bold |
| `*italic*` | italic |
| `` `code` `` | typewriter face, every character as it is |
| `[words](https://example.org)` | a link; one with a title is an error, as no title is shown |
| `x^2^`, `H~2~O` | superscript, subscript (no spaces inside) |
| `\\*`, `\\_`, `\\^`, `\\~` | the character itself; characters special to TeX need nothing |
| `\\` at the end of a line | a line break |

HTML and TeX are printed as the characters they are, and `cvbuild check` warns of what looks like
them, except in `code`: `&eacute;`, `<b>`, `\\textbf{…}`, `$n^2$`.
Straight quotes become those of the language.

A `summary`, and an item of the kinds text and bullets, may have a list, at its end or alone.
Write the text after `|`, so that YAML keeps its lines:

```yaml title="people/ada-example.yaml"
name: Ada Example
summary: |
  What I do:
  - Find what is slow
  - Mend it
    - with care
```

Two or more lines that begin with `-`, `*`, `+`, `•` or with numbers in their order (`1.`, `2.`)
are a list, which may have a second level. All formats show it as one. In any other text, such as a
title, they are an error.

A warning tells of a text that is not what it seems: a character that is invisible, or a letter of
another alphabet in a word, in a name, a headline or an address; marks that turn the order of
letters, in any text. It also tells of `null`, `Null` or `~`, which YAML reads as nothing, and of a
text that YAML may have cut: `Knows C # and F#` ends before the ` #`, which begins a comment. In a
real comment, two spaces before the `#` silence it.
"""
_DATES = """\
## Dates

A year, a month, a day, a season, a range, an open range; a list of these, which is as new as its
newest; or words.
They are printed in the form of the person's `locale`, and items are sorted by them, newest first:
the latest end, then the latest start; equal dates keep the file's order. Words have the place of a
year in them; words without one, such as "in press", come last.

| written | means |
|---|---|
| `2017-03`, `2017/03`, `03/2017`, `March 2017`, `Mar. 2017` | a month; its name in English |
| `2016-09-01`, `Sep 1, 2016`, `1 September 2016` | a day |
| `Fall 2019`, `Autumn 2019` | a season |
| `2017-03 to 2019-08`, `Mar 2017 – Aug 2019`, `2017-2019`, `Jun – Aug 2019` | a range |
| `2017-03 to present`, `2017-now`, `2017 -`, `since 2017` | a range that goes on |
| `{start: 2017-03}` | the same: it goes on. A single date is `date: 2017-03` |
| `2026 (expected)`, `expected May 2026`, `2022 to 2026 (expected)` | a date that is still to come |
| `{text: in press}` | words |

A date that can be read in two ways, such as 05/07/2020, is an error.

"""
_SECTIONS = """\
## Sections

`sections` is a list; each section has a `kind` and `items`, or `groups` of items with
sub-headings, or both. All kinds have these keys:

"""
_VARIANTS = """\
## Variants

A variant is another document of the person: `out/<person>/<variant>.pdf`, with its own selection,
order and headline; see [variants.md](../how-to/variants.md). It names a section by its `id`, else
by its `kind`; `summary` and `interests` are sections too.

"""


def markdown() -> str:
    """Return the whole page."""
    return "\n".join(
        [
            _INTRO.format(first=starter_files.FIRST),
            "## The file\n",
            _table(Profile),
            _yaml(starter_files.OPTIONS),
            _TEXT,
            _DATES + _yaml(starter_files.DATES),
            *_contact(),
            *_sections(),
            _VARIANTS + _yaml(starter_files.VARIANTS),
            _part(Variant),
            *_parts(),
        ]
    )


def _contact() -> Iterator[str]:
    yield "## Name and contact\n"
    yield _yaml(starter_files.CONTACT)
    known = {model.__name__: model for model in models()}
    for name in ("Name", "OtherName", "Contact", "Email", "Phone", "Profiles"):
        yield _part(known[name])
    yield "A user name becomes the address of its page:\n"
    pages = {key: net.page for key, net in NETWORKS.items() if "/{}" not in net.page[:10]}
    rows = ((f"`{key}`", f"`{page.replace('{}', '…')}`") for key, page in pages.items())
    yield _rows(("key", "page"), (row for row in rows if row[1] != "`…`"))


def _sections() -> Iterator[str]:
    common = [name for name in SectionOf.model_fields if name != "kind"]
    plain: Any = KINDS["entry"].section
    yield _SECTIONS + _table(plain, only=common)
    yield "A group:\n"
    yield _table(_item(plain.model_fields["groups"].annotation))
    yield _yaml(starter_files.GROUPS)
    yield "Every item, and every bullet, can also have:\n"
    yield _table(Item, only=Item.model_fields)
    for name, kind in KINDS.items():
        section: Any = kind.section
        item = _item(section.model_fields["items"].annotation)
        yield f"### {name}\n"
        if issubclass(item, Bullet):
            yield f"{_prose(section)} An item is a [bullet](#bullet).\n"
        else:
            yield f"{_prose(section)}{_short(item)} An item:\n"
            yield _table(item)
        extra = [key for key in section.model_fields if key in own_docs(section)]
        if extra:
            yield (
                "The section has:\n" if set(extra) <= set(common) else "The section has as well:\n"
            )
            yield _table(section, only=extra)
        yield _yaml(kind.require("example"))


def _parts() -> Iterator[str]:
    yield "## Parts of items\n"
    known = {model.__name__: model for model in models()}
    for name in ("Bullet", "SubBullet", "Role", "Author", "Link", "Bib", "Interest"):
        yield _part(known[name])


def _part(model: type[BaseModel]) -> str:
    return f"### {_title(model)}\n\n{_prose(model)}{_short(model)}\n\n{_table(model)}"


def _prose(model: type[BaseModel]) -> str:
    return (inspect.getdoc(model) or "").replace("``", "`").split("\n\n")[0].replace("\n", " ")


def _short(model: type[BaseModel]) -> str:
    """Return a sentence about a model's short form, if it has one; it begins with a space."""
    if model is Link:
        return " `- PDF` is short for a label, `- PDF: https://…` for a label with its address."
    if issubclass(model, Shorthand):
        return f" A text alone is short for `{model.shorthand}`."
    return ""


def _title(model: type[BaseModel]) -> str:
    words = re.findall("[A-Z][a-z]*", model.__name__)
    return " ".join([words[0], *(word.lower() for word in words[1:])])


def _table(model: type[BaseModel], only: Iterable[str] | None = None) -> str:
    """Return a table: key, value, purpose; required keys are bold.

    For an item only its own keys, unless ``only`` names others.
    """
    skip = Item.model_fields.keys() if issubclass(model, Item) else ()
    chosen = list(only) if only is not None else model.model_fields.keys() - skip
    words = docs(model)
    rows = []
    for name, field in model.model_fields.items():
        if name in chosen:
            key = field.alias or name
            shown = f"**`{key}`** (required)" if field.is_required() else f"`{key}`"
            rows.append((shown, _takes(field), words.get(key, "")))
    return _rows(("key", "takes", "for"), rows)


def _rows(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in lines)


def _yaml(text: str) -> str:
    return f"```yaml\n{text}```\n"


def _takes(field: FieldInfo) -> str:
    return _words(field.annotation, field.metadata)


def _words(annotation: Any, metadata: Iterable[Any] = ()) -> str:
    """Return what a value of this type is, for a reader."""
    marks = list(metadata)
    while get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        marks += more
    validators = (mark for mark in marks if isinstance(mark, AfterValidator | BeforeValidator))
    checks = {getattr(mark.func, "__name__", "") for mark in validators}
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        (part,) = (part for part in inner if part is not type(None))
        return _words(part, marks)
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in inner)
    if origin is tuple:
        return _list(_words(inner[0]), checks)
    if origin is FrozenMap:
        one = "one date" if inner[1] is Since else _words(inner[1])
        every = any(mark is FOR_ALL for mark in marks)
        return f"{one}, or a mapping from sections to it" if every else f"mapping to {one}"
    if annotation is int:
        return f"0–{_most(marks)}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "section" if annotation is SectionOf else _reference(annotation)
    if any(isinstance(mark, ReaderLine) for mark in marks):
        return "short text"
    for name in checks & _CHECKED.keys():
        return _CHECKED[name]
    known: Mapping[Any, str] = {
        str: "text",
        Prose: "rich text",
        Date: "[date](#dates)",
        Day: "day",
        Rule: "rule",
        bool: "`true`, `false`",
    }
    return known.get(annotation, "any value")


def _most(marks: Iterable[Any]) -> int:
    """Return the largest number that is allowed."""
    for mark in marks:
        for limit in mark.metadata if isinstance(mark, FieldInfo) else (mark,):
            if (most := getattr(limit, "le", None)) is not None:
                return int(most)
    raise TypeError("a number without a limit")


def _list(one: str, checks: set[str]) -> str:
    if "_as_list" in checks:
        return f"{one}, or a list"
    if "_paragraphs" in checks:
        return f"{one}; a block with empty lines between paragraphs, or a list"
    if "_split" in checks:
        return "a block with empty lines between paragraphs, or a list"
    return f"list of {one}s" if re.fullmatch(r"[a-z]+", one) else f"list: {one}"


def _reference(model: type[BaseModel]) -> str:
    if "[" in model.__name__:
        return "group"
    if issubclass(model, Item) and not issubclass(model, Shorthand) and model.__name__ != "Role":
        return "item"
    title = _title(model)
    return f"[{title.lower()}](#{title.lower().replace(' ', '-')})"


def _item(annotation: Any) -> Any:
    """Return the model in ``tuple[Model, ...]``, however it is annotated."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    return get_args(annotation)[0]
