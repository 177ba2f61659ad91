"""Boxes on pages: another reading of the PDF finds in each just the text that it is of."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import papers
import pypdfium2
import pytest

from cvbuild.outputs import text_folding
from cvbuild.outputs.pdf.verify import text_places
from cvbuild.outputs.pdf.verify.text_places import TextPlace

ROOT = Path(__file__).parent.parent
NOA = """\
name: נועה כהן
locale: he
headline: מהנדסת תוכנה
contact: {email: noa@example.org}
summary: >
  מהנדסת תוכנה עם ניסיון רב בפיתוח מערכות מבוזרות, בניתוח נתונים ובהובלת צוותים. אוהבת Python
  וגם Rust, ומלמדת בשעות הפנאי תלמידים צעירים לתכנת ולבנות רובוטים פשוטים.
sections:
  - kind: education
    items:
      - degree: תואר ראשון במדעי המחשב
        institution: האוניברסיטה העברית
        date: 2010 -- 2014
        bullets: [הצטיינות דקאן, עבודת גמר על NLP בעברית]
  - kind: skill
    items:
      - {name: שפות, keywords: [Python, Rust, עברית]}
"""


def built(
    folder: Path, source: str | Path, template: str
) -> tuple[Path, list[TextPlace], dict[Any, list[str]]]:
    seen: list[Any] = []
    path = papers.made(
        papers.build(source, template, folder=folder, compared=lambda *both: seen.append(both))
    )
    ((facts, expected),) = seen
    texts: dict[Any, list[str]] = {}
    for block in expected.blocks:
        for content in block.contents:
            texts.setdefault(content.path, []).append(str(content))
    return path, text_places.find(facts, expected), texts


def letters(text: str) -> str:
    return "".join(sorted(text_folding.fold(text.strip("[]()")).letters))


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.parametrize(
    ("person", "template"),
    [
        ("people/zhisheng-ye.yaml", "academic"),
        pytest.param("people/jiaao-he.yaml", "sidebar", marks=pytest.mark.deep),
        pytest.param("people/gyeong-in-yu.yaml", "one-page", marks=pytest.mark.deep),
        pytest.param("tests/shapes/translator.yaml", "industry", marks=pytest.mark.deep),
        ("", "academic"),
    ],
)
def test_each_box_holds_its_text(
    person: str, template: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    pdf, places, texts = built(tmp_path, ROOT / person if person else NOA, template)
    # A text that was printed is a place, but for signs.
    missing = {key for key, found in texts.items() if letters("".join(found))}
    missing -= {place.path for place in places}
    assert len(missing) <= len(texts) // 20, missing
    read: dict[Any, str] = {}
    with pypdfium2.PdfDocument(pdf) as document:
        for place in places:
            page = document[place.page]
            height = page.get_height()
            left, top, right, bottom = place.box
            assert 0 <= left < right <= page.get_width() + 1
            assert 0 <= top < bottom <= height + 1
            text = page.get_textpage()
            inside = text.get_text_bounded(left, height - bottom, right, height - top)
            read[place.path] = read.get(place.path, "") + inside
    lacking = {
        key: (text, texts[key])
        for key, text in read.items()
        if Counter(letters(texts[key][0])) - Counter(letters(text))
    }
    wrong = {
        key: (text, texts[key])
        for key, text in read.items()
        if letters(text) not in (letters("".join(texts[key])), letters(texts[key][0]))
    }
    # A neighbour on a close line may reach into the box of large type, and into those of FiraGO. It
    # sets Hebrew where no font of the system does, and its boxes have room for marks.
    assert len(lacking) <= len(read) // 20, lacking
    is_hebrew = person in ("", "tests/shapes/translator.yaml")
    assert is_hebrew or len(wrong) <= len(read) // 20, wrong
