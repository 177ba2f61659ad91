"""Turn LaTeX that ``escape`` and ``rich_text`` made back into text, for descriptions of links."""

from __future__ import annotations

import re

from cvbuild.outputs.pdf.latex.escape import ESCAPES

#: One argument, with groups in it that have none.
_ARGUMENT = r" ?\{(?:[^{}\\]|\\.|\{(?:[^{}\\]|\\.)*\})*\}"
_TOKEN = re.compile(
    # What these say first is not shown: a face, a language, a target, what readers get instead.
    rf"\\Cvb(?:Script|Actual|Language|Link){_ARGUMENT}"
    rf"|\\CvbWord(?:{_ARGUMENT}){{4}}"
    rf"|\\CvbMirror{_ARGUMENT}{_ARGUMENT}"
    r"|\\(?P<word>[A-Za-z]+) ?|\\(?P<sign>.)|[{}]|(?P<space>~)",
    re.DOTALL,
)
_WORDS = {
    tex.removeprefix("\\").removesuffix("{}"): character
    for character, tex in ESCAPES.items()
    if tex.endswith("{}") and not tex.startswith("\\Cvb")
} | {"CvbBreak": " "}


def unescape(tex: str) -> str:
    """Return the text that ``tex`` shows; commands that ``escape`` doesn't write show nothing."""
    return _TOKEN.sub(_shown, tex)


def _shown(found: re.Match[str]) -> str:
    word, sign = found["word"], found["sign"]
    if word:
        return _WORDS.get(word, "")
    if sign:
        return "" if sign == "-" else sign
    return " " if found["space"] else ""
