"""The characters that pdfTeX sets as one precomposed glyph each, so that they extract again.

Measured, not read from an encoding: every character that LaTeX knows was typeset in every family
with TeX Live 2022 and the embedded TeX, and kept if poppler and pdfium gave it back
(tests/test_scripts.py does it again). An accent that TeX puts on a letter is two characters.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

_ASCII = frozenset(map(chr, range(0x21, 0x7F)))
#: In every family.
COMMON = _ASCII | frozenset(
    "¡¢£¤¥¦§¨©ª«¬®¯°±´µ¶·º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    "ĂăĄąĆćČčĎďđĘęĚěĞğİıĹĺĽľŁłŃńŇňŊŋŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž–—‘’‚“”„†‡•‰‹›€"
)
#: Set by commands: the ellipsis as three full stops, which every reader's fold table knows.
COMMANDS = frozenset("…")
_MORE = {
    "XCharter-LF": "™",
    "LibertinusSerif-LF": "²³¹™№℮",
    "SourceSansPro-LF": "™№℮←↑→↓₩₫",
    "lmr": "™№℮←↑→↓₩₫◦",
    "lmtt": "№℮←↑→↓₩₫◦",
}


def characters(family: str) -> AbstractSet[str]:
    """What the T1 and TS1 fonts of an NFSS family have; the common ones if it isn't known."""
    return COMMON | COMMANDS | frozenset(_MORE.get(family, ""))
