"""What a message may say of private values: place, fact and fix, but never the value.

A key is quoted only if it is a known key with a slip in it: a value may have become a key. No line
with private data on it is shown below a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.common.diagnostics import FieldPath
from cvbuild.common.errors import ProfileError
from cvbuild.common.suggestions import is_slip, shown
from cvbuild.inputs import privacy
from cvbuild.inputs.file_names import is_overlay
from cvbuild.inputs.privacy import FLAG
from cvbuild.inputs.validation.schema_paths import Slot, keys
from cvbuild.inputs.yaml.builder import LINE_BREAK, Node
from cvbuild.inputs.yaml.quoting import Quoting
from cvbuild.inputs.yaml.source import Source, parse
from cvbuild.model import language_tags

#: Keys of ``contact`` that are public by nature.
_PAGES = frozenset(("country", "links", "profiles", "website"))
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


def unlabelled(slot: Slot) -> Slot:
    """Return the slot without its name, if that is the person's own label."""
    if slot.owner is None and not (slot.item or language_tags.is_key(slot.name)):
        return replace(slot, name="this value")
    return slot


def without_value(error: Mapping[str, Any], message: str, slot: Slot) -> str:
    """Return what to say in place of ``message``."""
    kind = error["type"]
    if kind in FACTS:
        return FACTS[kind]
    if kind == "extra_forbidden":
        name = str(slot.path[-1])
        is_known = is_slip(name, (FLAG, *keys(slot.owner)))
        return message if is_known else message.replace(f" {shown(name)}", "")
    # What isn't one value is not quoted, unless an error of ours names a part of it.
    is_value = isinstance(error["input"], str | int | float) or "value" in error.get("ctx", {})
    return f"{slot.name} has a wrong value" if is_value and kind not in _VALUELESS else message


# -- which lines of a file may be shown ----------------------------------------------------------


class PrivateLines(Struct, frozen=True):
    """The lines of a file that may not be shown; of one that can't be parsed, a rule for them."""

    numbers: frozenset[int] = frozenset()
    quoting: Quoting | None = None

    def may_show(self, line: int) -> bool:
        """Return whether a line, counted from 1, may be shown."""
        allowed = self.quoting is None or self.quoting.allows(line - 1)
        return allowed and line not in self.numbers


def lines(name: str, text: str) -> PrivateLines:
    """Return the private lines of a file; only YAML has any."""
    if not re.search(r"\.ya?ml$", name, re.IGNORECASE):
        return PrivateLines()
    unknown = PrivateLines(quoting=Quoting(name, LINE_BREAK.split(text), personal=True))
    if is_overlay(Path(name)):
        return unknown
    try:
        whole = privacy.everything(parse(text, name))
    except ProfileError:
        return unknown
    return PrivateLines(frozenset(_lines(whole, whole.tree, ())))


def _lines(whole: Source, node: Node, path: FieldPath) -> Iterator[int]:
    if node.private or (path and hides(whole, path)):
        first = (node.key or node.place)[0]
        yield from range(first, node.place[2] + 1)
        return
    if isinstance(node.children, dict):
        for key, child in node.children.items():
            yield from _lines(whole, child, (*path, key))
    elif isinstance(node.children, list):
        for at, child in enumerate(node.children):
            yield from _lines(whole, child, (*path, at))
