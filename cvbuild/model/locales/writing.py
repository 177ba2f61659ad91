"""What cvbuild writes between texts, as each language does: commas, colons, brackets, stops."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

#: Beside these stands a Chinese or Japanese mark: ideographs, kana, and their own marks.
_EAST_ASIAN = re.compile(
    r"[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
#: Beside these stands an Arabic mark: Arabic letters, with their marks.
_ARABIC = re.compile(r"[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc]")
_CHINESE = {
    ", ": "，",
    "; ": "；",
    ": ": "：",
    " (": "（",
    "(": "（",
    ")": "）",
    ".": "。",
    " ": "",
}


class Writing(Struct, frozen=True):
    """The marks of a language: ``own`` are those that differ from English, by the English one.

    All but the colon are for texts in its script: they stand beside ``letters``. ``leading`` is how
    much further apart its lines are than Latin ones.
    """

    own: Mapping[str, str] = field(default_factory=dict)
    letters: re.Pattern[str] | None = None
    leading: float = 1

    def mark(self, english: str, before: str, after: str = "") -> str:
        """Return what stands for an English mark, with its spaces, between two texts: ", ", ".".

        Names in Latin letters keep the Latin comma. Markdown's asterisks don't count.
        """
        beside = f"{before.rstrip('*')[-1:]}{after.lstrip('*')[:1]}"
        is_own = english == ": " or not self.letters or self.letters.search(beside)
        return self.own.get(english, english) if is_own else english

    def join(self, texts: Iterable[str]) -> str:
        """Return texts with commas between them; empty ones are skipped."""
        joined = ""
        for text in filter(None, texts):
            joined += f"{self.mark(', ', joined, text)}{text}" if joined else text
        return joined


#: Ideographs fill their squares; Arabic, Indic and Thai letters have marks above and below.
_SQUARE, _TALL = 1.18, 1.2
_OF = {
    "ar": Writing({", ": "، ", "; ": "؛ "}, _ARABIC, _TALL),
    "fr": Writing({": ": "\u00a0: "}),
    "ja": Writing({**_CHINESE, ", ": "、"}, _EAST_ASIAN, _SQUARE),
    "ko": Writing(leading=_SQUARE),
    "zh": Writing(_CHINESE, _EAST_ASIAN, _SQUARE),
    **dict.fromkeys(("hi", "mr", "ne", "sa", "th"), Writing(leading=_TALL)),
}
_OF |= dict.fromkeys(("ckb", "fa", "ku", "ps", "sd", "ug", "ur"), _OF["ar"])
_ENGLISH = Writing()


def of(tag: str) -> Writing:
    """Return the marks of a language (BCP 47 tag); those of English if it has no others.

    Kurdish in Latin letters has no Arabic letters, and so no Arabic commas.
    """
    return _OF.get(tag.partition("-")[0], _ENGLISH)
