"""Texts of every script before they are set: levels, pieces, breaks, bases, whose shapes."""

from __future__ import annotations

import unicodedata

import pytest
from bidi import get_display
from script_samples import JOINED

from cvbuild.outputs.pdf.fonts import fallbacks
from cvbuild.outputs.pdf.scripts import bidi


def shown(text: str, base: int) -> str:
    """The text from left to right: rule L2 of UAX #9, and mirrored brackets (L4)."""
    levels = bidi.levels(text, base)
    order = list(range(len(text)))
    for level in range(max(levels, default=0), 0, -1):
        start = 0
        while start < len(order):
            end = start
            while end < len(order) and levels[order[end]] >= level:
                end += 1
            order[start:end] = order[start:end][::-1]
            start = max(end, start + 1)
    return "".join(
        bidi.MIRRORED.get(text[at], text[at]) if levels[at] % 2 else text[at]
        for at in order
        if text[at] not in bidi.CONTROLS
    )


@pytest.mark.parametrize(
    ("text", "base", "expected"),
    [
        ("abc", 0, "abc"),
        ("אבג", 0, "גבא"),
        ("abc אבג def", 0, "abc גבא def"),
        ("abc אבג def", 1, "def גבא abc"),
        ("אב 12 גד", 1, "דג 12 בא"),
        ("אב 1,234.5% גד", 1, "דג 1,234.5% בא"),
        ("ab (אב) cd", 0, "ab (בא) cd"),
        ("אב (ab) גד", 1, "דג (ab) בא"),
        ("אב (גד)", 1, "(דג) בא"),
        ("a אב [b] גד", 0, "a בא [b] דג"),
        ("م ١٢ م", 1, "م ١٢ م"),
        ("م 12-34 م", 1, "م 34-12 م"),
        ("x \u2067אב 12\u2069 3", 0, "x 12 בא 3"),
        ("x אב \u2066a 1\u2069 גד", 0, "x דג a 1 בא"),
        ("a\u202bbאב\u202c c", 0, "aבאb c"),
        ("a\u202eabc\u202c d", 0, "acba d"),
        # The end of a run has the level of what is higher there: the sign is not of the "b".
        ("a\u202bb!\u202c c", 0, "a!b c"),
        ("אְב", 1, "בְא"),
        # A joiner, and a place for a line's end, go with the text before them.
        ("ab אב\u200cגד cd", 0, "ab דג\u200cבא cd"),
        ("אב a.\u200bb/\u200bc גד", 1, "דג a.\u200bb/\u200bc בא"),
    ],
)
def test_levels(text: str, base: int, expected: str) -> None:
    assert shown(text, base) == expected


@pytest.mark.parametrize("script", JOINED)
@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("mark", "\u00ad\u200b\u200c\u200d\u2060\u2061\ufeff")
def test_what_is_not_printed_leaves_a_text_in_its_order(script: str, base: int, mark: str) -> None:
    """Joiners, soft hyphens and the like between letters: the order is that of another program."""
    assert unicodedata.bidirectional(mark) == "BN"
    for frame in ("Name: {} 12", "{} abc", "12 {}, {} abc {}", "{}"):
        text = frame.replace("{}", JOINED[script].replace("|", mark))
        other = str(get_display(text, base_dir="LR"[base]))
        assert shown(text, base).replace(mark, "") == other.replace(mark, "")


def test_whose_shapes_han_characters_have() -> None:
    regions = {
        ("en", "han"): "sc", ("zh-TW", "han"): "tc", ("zh-Hant-HK", "han"): "hk",
        ("ja", "han"): "jp", ("ko", "han"): "kr", ("zh", "han kana"): "jp",
        ("ja", "han hangul"): "kr",
    }  # fmt: skip
    for (locale, found), expected in regions.items():
        assert fallbacks.region("han", frozenset(found.split()), locale) == expected
