"""The head of a document: the name, and how to reach the person, from lines of free text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers import dates, headings, networks
from cvbuild.importers.documents import vocabulary
from cvbuild.importers.draft import Draft
from cvbuild.importers.outline import Run, as_one, markdown, parts, plain
from cvbuild.model.contact import is_phone_number
from cvbuild.model.text import texts

#: Characters of a line that may be contact data; a longer one is prose.
_LONGEST = 400
# Each begins a word, so that a long one takes no longer than it is.
_EMAIL = re.compile(r"(?<![^\s@,;<>()|])[^\s@,;<>()|]+@[^\s@,;<>()|]+\.[A-Za-z]{2,}")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|(?<![\w-])(?:[\w-]+\.)+[a-z]{2,6}(?:/[^\s,;|]*)?")
#: An address or a number: how to reach somebody.
_REACH = re.compile(rf"{_EMAIL.pattern}|{_ADDRESS.pattern}|\+?\d[\d ()-]{{6,}}")
_ORCID = re.compile(r"(?i)(?:orcid(?: id)?\W*\s)?((?:\d{4}-){3}\d{3}[\dX])")
#: A label before a number: "1 Example Street Tel. 0731 5550123".
NUMBERED = re.compile(r"\b(?i:tel|telefon|phone|mobile?|handy|cell)\.?:?(?=\s*[+(\d])")
_BETWEEN = re.compile(
    r"\s*(?:[|‖·•∙⋅◦❖⚬■♦]|\t|\s{3,}|\s[–—]\s|;\s)\s*"
    rf"|\s+(?={NUMBERED.pattern}|(?i:e-?mail):?\s*\S+@)"
)
#: Labels that say which number it is.
_MOBILE = re.compile(r"(?i)mob|cell|handy|m[óo]vil|portable|m$")
_LABEL = re.compile(r"(?P<label>[^\W\d][^:：\d@/]{0,28}?)\s*(?::\s+|：\s*)(?P<value>.+)")
#: What LinkedIn writes after numbers and addresses.
_BRACKETS = re.compile(
    r"(?i)(?P<value>\S.*?)\s+"
    r"\((?P<label>mobile|home|work|linkedin|personal|company|portfolio|blog|other)\)"
)
#: Labels of what has a key, by it; folded.
LABELS = {
    label: key for key, labels in vocabulary.TABLES["labels"].items() for label in labels.split("|")
}
_CV = (
    r"(?:(?:personal |professional )?(?:curriculum vit(?:ae?|æ)|c\.?\s?v\.?|r[ée]sum[ée])"
    r"|lebenslauf|hoja de vida|curr[íi]culo|резюме|[žz]ivotopis|[żz]yciorys|özgeçmiş|简历|履歴書)"
)
_NAME_WORDS = re.compile(
    rf"(?i)^\W*{_CV}(?:\s+(?:of|von|de)\b|\s*[:–—|-])\s*|(?:['’]s?\s+|\s*[:–—|-]\s*){_CV}$"
    r"|(?:的?个人)?简历$"
)


def name_in(title: str) -> str:
    """Return the name in the title of a document: "Curriculum vitae of Ada Example"."""
    return _NAME_WORDS.sub("", title).strip()


def is_document_title(text: str) -> bool:
    """Return whether a text only says that this is a CV."""
    return bool(re.fullmatch(rf"(?i)\W*{_CV}\W*", text))


def may_be_name(text: str) -> bool:
    """Return whether a text in the largest type may be the name."""
    return (
        len(re.findall(r"[^\W\d_]", text)) > 1
        and len(text.split()) <= 6
        and not re.search(r"[@\d:/]|www\.", text)
        and not is_document_title(text)
        and not headings.is_title(text)
        and not vocabulary.is_region(text.rpartition(", ")[2])
    )


def block(
    draft: Draft, lines: Sequence[Sequence[Run]], place: Span, *, is_contact: bool = False
) -> None:
    """Put a paragraph of the head where it belongs: line by line, but sentences as a whole.

    ``is_contact`` says that its title announces how to reach the person.
    """
    whole = as_one(lines)
    text = plain(whole)
    is_sentence = len(lines) > 1 and len(text.split()) > 7 and text.endswith((".", "!"))
    if is_sentence and not is_reachable(lines):
        draft.put("summary", [markdown(whole)])
        return
    for one in lines:
        line(draft, one, place, is_contact=is_contact)


def is_reachable(lines: Sequence[Sequence[Run]]) -> bool:
    """Return whether one of the lines has an address or a number to reach somebody."""
    said = map(plain, lines)
    return any(_EMAIL.search(text) or is_phone_number(number_in(text)) for text in said)


def line(draft: Draft, runs: Sequence[Run], place: Span, *, is_contact: bool = False) -> bool:
    """Put a line of the head where it belongs; return whether a part of it was contact data."""
    if len(plain(runs)) > _LONGEST:
        draft.put("summary", [markdown(runs)])
        return False
    cells: list[list[Run]] = []
    # Styles of labels part nothing.
    linked = groupby(runs, key=lambda run: run.url)
    bare = [Run("".join(run.text for run in same), url=url) for url, same in linked]
    for cell in filter(plain, parts(bare, _BETWEEN)):
        before = plain(cells[-1]) if cells else ""
        is_label = before.rstrip(":").lower() in LABELS or before.endswith(":")
        if is_label and ":" not in plain(cell).partition(" ")[0]:
            # Its value stands in the next cell.
            cells[-1] = [Run(before.rstrip(":") + ": "), *cell]
        else:
            cells.append(cell)
    rest: list[list[Run]] = []
    for cell in cells:
        several = len(_REACH.findall(plain(cell))) > 1
        inner = parts(cell, re.compile(r"\s*[,;]\s+|\s/\s")) if several else [cell]
        rest += [one for one in inner if plain(one) and not contact(draft, one, place)]
    found = len(rest) < len(cells) or any(
        _EMAIL.search(text := plain(cell)) or _ADDRESS.search(text) or _link(cell) for cell in cells
    )
    for one in rest:
        _unknown(draft, one, is_contact=found or is_contact)
    return found


def other(draft: Draft, runs: Sequence[Run]) -> None:
    """Put a text of the head that a command calls additional: contact data, or information."""
    place = Span(draft.file)
    for cell in parts(runs, _BETWEEN) if len(plain(runs)) < _LONGEST else [list(runs)]:
        if plain(cell) and not contact(draft, cell, place):
            put_other(draft, "Info", markdown(cell))


def put_in(draft: Draft, path: str, value: Any, place: Span) -> None:
    """Add a value to a list of the contact, and remember its place for what the schema refuses."""
    if value:
        draft.put(path, [value])
        draft.mark(draft.data["contact"][path.partition(".")[2]], place)


def put_other(draft: Draft, label: str, value: str) -> None:
    """Put a text under its label in ``contact.other``; further ones join it."""
    known = draft.data.setdefault("contact", {}).setdefault("other", {})
    known[label] = f"{known[label]}, {value}" if label in known else value


def _link(cell: Sequence[Run]) -> str:
    """Return the address of a cell that is a link, after a label perhaps; not of one in a text."""
    before = "".join(run.text for run in cell if not run.url)
    is_text = re.search(r"\w", before) and not re.search(r":(?://)?\s*$", before)
    return "" if is_text else next((run.url for run in cell if run.url), "")


def contact(draft: Draft, cell: Sequence[Run], place: Span) -> bool:
    """Put a cell that is an address, a number or an account; return whether it is one."""
    text = plain(cell)
    label, value = "", text
    if len(text) > _LONGEST:
        return False
    if found := _LABEL.fullmatch(text) or _BRACKETS.fullmatch(text):
        label, value = found["label"].strip(), found["value"].strip(" ,;")
    key = LABELS.get(label.lower().rstrip("."), "")
    url = _link(cell)
    if (email := _EMAIL.fullmatch(value)) or url.startswith("mailto:"):
        address = email[0] if email else url.removeprefix("mailto:").partition("?")[0]
        put_in(draft, "contact.email", address, place)
    elif orcid := _ORCID.fullmatch(text):
        networks.put(draft, "orcid", orcid[1], "", place)
    elif key not in ("", "phone", "email"):
        path = key if key in ("name", "headline") else f"contact.{key}"
        said = url or _absolute(value) if key == "website" else texts.plain(value)
        said = dates.normal(value) if key == "birth-date" else said
        draft.put(path, [said] if key in ("website", "nationality") else said, place)
    elif url.startswith("tel:") or is_phone_number(number_in(value)):
        number = number_in(value)
        number = number if is_phone_number(number) else url.removeprefix("tel:")
        is_plain = not label or (key == "phone" and not _MOBILE.match(label))
        more = number if is_plain else {"number": number, "label": label.lower()}
        put_in(draft, "contact.phone", more, place)
    elif url:
        page(draft, label or value, url, place)
    elif key == "email":
        # Such as "ada (at) example.org": the schema says what is wrong with it.
        put_in(draft, "contact.email", re.sub(r"\s*[\[(]\s*at\s*[\])]\s*", "@", value), place)
    elif label and networks.key_of(label) and " " not in value:
        names = (
            ("", _absolute(value)) if _ADDRESS.fullmatch(value) and "/" in value else (value, "")
        )
        networks.put(draft, label, *names, place)
    elif _ADDRESS.fullmatch(value) and "@" not in value:
        page(draft, label, _absolute(value), place)
    elif label and len(label.split()) <= 3:
        put_other(draft, label, texts.plain(value))
    else:
        return False
    return True


def number_in(text: str) -> str:
    """Return a phone number without a label before it: ``Tel.: (+1) 202 555 0123``.

    Years are none: "2016 - 2021".
    """
    if dates.is_date(text):
        return ""
    before = r"(?i)^[^\w+(]*(?:(?:tel|phone|mobile|cell|fon)\w*\.?:?\s*)?(?=[+(\d])"
    text = re.sub(before, "", text)
    text = re.sub(r"^\((\+\d{1,3})\)", r"\1", text)
    return text.replace("\u2011", "-").replace("–", "-").replace("(0)", "").strip()


def _absolute(address: str) -> str:
    return address if "://" in address else f"https://{address}"


def page(draft: Draft, label: str, url: str, place: Span) -> None:
    """Put a page: an account, a page with a label, or the person's own."""
    if found := networks.account(url=url):
        draft.put(f"contact.profiles.{found[0]}", [found[1]])
    elif networks.key_of(label) not in (None, "personal"):
        networks.put(draft, label, "", url, place)
    elif LABELS.get(label.lower()) == "website" or not label or _ADDRESS.fullmatch(label):
        put_in(draft, "contact.website", texts.address(url) or url, place)
    else:
        draft.put("contact.links", [{label: url}])


def _unknown(draft: Draft, cell: Sequence[Run], *, is_contact: bool) -> None:
    """Put a text of the head that says of itself what it is by its form alone."""
    text, written = plain(cell), markdown(cell)
    name = draft.data.get("name", "")
    known_name = " ".join(name.values()) if isinstance(name, dict) else name
    if is_document_title(text) or text == known_name or not re.search(r"\w", text):
        return
    if text.endswith(".") and len(text.split()) > 5:
        # A sentence.
        draft.put("summary", [written])
        return
    has_headline = "headline" in draft.data
    is_headline = not has_headline and vocabulary.POSITION.search(text)
    is_address = vocabulary.is_address(text) or (has_headline and vocabulary.is_town(text))
    is_address |= vocabulary.is_place(text) or (is_contact and not is_headline)
    known = draft.data.get("contact", {}).get("address", "")
    if is_address and (len(text) < 60 or not known):
        contact = draft.data.setdefault("contact", {})
        contact["address"] = known if written in known else f"{known}, {written}".lstrip(", ")
        if known or not (vocabulary.is_place(text) or re.search(r"\d", text)):
            draft.guess(contact, "address")
    elif not has_headline and len(text) <= 100:
        draft.put("headline", written)
        if not vocabulary.is_named(text):
            draft.guess(draft.data, "headline")
    else:
        draft.put("summary", [written])
