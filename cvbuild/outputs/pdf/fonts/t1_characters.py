"""The characters that pdfTeX sets as one precomposed glyph each, so that they extract again.

Only for typewriter type, and for styles with fonts of their own TeX. Measured, not taken from an
encoding: every character that LaTeX knows was typeset in several families with TeX Live 2022 and
the embedded TeX, and is listed if poppler and PDFium extracted it (tests/test_scripts.py repeats
this). An accent that TeX puts on a letter is two characters.
"""

from __future__ import annotations

_ASCII = frozenset(map(chr, range(0x21, 0x7F)))
#: In every family.
COMMON = _ASCII | frozenset(
    "¡¢£¤¥¦§¨©ª«¬®¯°±´µ¶·º»¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ"
    "ĂăĄąĆćČčĎďđĘęĚěĞğİıĹĺĽľŁłŃńŇňŊŋŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž–—‘’‚“”„†‡•‰‹›€"
)
#: Set by commands: the ellipsis as three full stops, which ``text_folding`` treats as the same.
COMMANDS = frozenset("…")
_MORE = {
    "lmr": "™№℮←↑→↓₩₫◦",
    "lmtt": "№℮←↑→↓₩₫◦",
}


def characters(family: str) -> frozenset[str]:
    """Return the characters of an NFSS family's T1 and TS1 fonts; for others the common ones."""
    return COMMON | COMMANDS | frozenset(_MORE.get(family, ""))
