"""A CV as plain text has every fact of the CV, in its order."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import fields
from profiles import profile

from cvbuild.model import Profile
from cvbuild.model.kinds import KINDS
from cvbuild.model.text import rich_text
from cvbuild.outputs.text import export
from cvbuild.selection.one_page.weights import units
from cvbuild.selection.select import select
from cvbuild.selection.selected import Selected
from cvbuild.view import builder
from cvbuild.view.types import Address, ContactLine, Content, Document, Group, Header, Item, Section
from tools.ats.documents import CVS, profile_of
from tools.ats.facts import Block, expected


def document(made: Profile, **options: Any) -> Document:
    return builder.build(select(made, options), options)


def text(yaml: str, **options: Any) -> str:
    return export.text(document(profile(yaml), **options))


def squeezed(words: str) -> str:
    """Without case, further white space, and the addresses after the words of links.

    Also without acute accents, which Greek capitals don't have.
    """
    words = re.sub(r" \((https?|mailto|tel):[^\s]*\)", "", words)
    words = re.sub(r"(?<=\w)\^(?=\d)", "", words)  # x^2, where a text has a raised 2
    words = unicodedata.normalize("NFD", words.replace("İ", "i")).replace("\u0301", "")
    return re.sub(r"\s+", " ", words).casefold()


def lost(blocks: tuple[Block, ...], found: str) -> list[str]:
    """The facts that aren't in the text after the title of the block before."""
    found, at, gone = squeezed(found), 0, []
    for block in blocks:
        title = squeezed(block.title.text)
        start = found.find(title, at)
        gone += [block.title.text] if start < 0 else []
        facts = sorted(found.find(squeezed(fact.text), at) for fact in block.facts)
        gone += [fact.text for fact in block.facts if squeezed(fact.text) not in found[at:]]
        at = max(at, facts[0] if facts and facts[0] >= 0 else at)
    return gone


def addresses(value: object) -> Iterator[str]:
    """Every web address of a view, those inside of texts too."""
    match value:
        case Address(url):
            yield from [url] if url.startswith("http") else []
        case Content(nodes):
            yield from (one.url for one in rich_text.links(nodes) if one.url.startswith("http"))
        case Item():
            yield from addresses(tuple(value.fields.values()))
        case tuple():
            for one in value:
                yield from addresses(one)
        case Document() | Header() | Section() | Group() | ContactLine():
            yield from addresses(tuple(getattr(value, f.name) for f in fields(value)))


@pytest.mark.parametrize("cv", CVS)
def test_nothing_of_a_cv_is_lost(cv: str) -> None:
    made = profile_of(cv)
    blocks = expected(made, {}, frozenset())
    assert len(blocks) >= 3
    shown = document(made)
    found = export.text(shown)
    assert lost(blocks, found) == []
    assert [url for url in addresses(shown) if url not in found] == []
    # The check itself can fail.
    word = blocks[-1].facts[-1].text
    assert lost(blocks, found.replace(word, "")) != []


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_nothing_of_a_kind_is_lost(kind: str) -> None:
    made = profile(KINDS[kind].require("example"))
    found = export.text(document(made))
    assert lost(expected(made, {}, frozenset()), found) == []
    assert found.endswith("\n")
    assert not re.search(r"[ \t]\n|\n{4}|\n\n\Z|\r", found)


def test_a_publication_and_its_number() -> None:
    found = text(KINDS["publication"].require("example"))
    assert (
        "3. Ada Example*, Sam Specimen*, Grace Sample. Schedules that hold. "
        "Journal of Examples (JEx 2024). Best paper.\n"
        "[doi:10.1234/example.5678] https://doi.org/10.1234/example.5678, "
        "[arXiv:2401.00001] https://arxiv.org/abs/2401.00001, "
        "[PDF] https://example.org/paper.pdf\n"
    ) in found


def test_headings_are_in_capitals_of_their_language() -> None:
    turkish = text("locale: tr\nsections: [{kind: award, title: İlgi ışık, items: [{title: T}]}]")
    assert "\nİLGİ IŞIK\n" in turkish
    assert "ÜBER MICH" in text("locale: de\nsections: [{kind: text, items: Ja.}]")


def test_what_one_page_left_out_is_left_out() -> None:
    made = profile("sections: [{kind: award, items: [{title: First}, {title: Second}]}]")
    selected = select(made, {})
    (unit, *_) = [one for one in units(selected) if one.path == ("sections", 0, "items", 1)]
    cut = Selected(made, selected.sections, frozenset({unit.path}))
    found = export.text(builder.build(cut, {}))
    assert "First" in found
    assert "Second" not in found


def test_a_paragraph_is_a_line() -> None:
    words = " ".join(["word"] * 500)
    assert f"\n{words}\n" in text(f"summary: {words}\nsections: []")
