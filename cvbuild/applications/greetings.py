"""Check whether a letter greets or closes twice: in its body, and as every letter does.

The words are those of the tables of ``locales``, and common English ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.inputs.letters import PATH
from cvbuild.inputs.yaml.source import Source
from cvbuild.locales.words import table
from cvbuild.model.letter_body import Body

#: The most words of a greeting.
_MOST_WORDS = 8
_OPENINGS = ("Dear", "To whom it may concern", "Hello", "Hi", "Good morning", "Madame", "Monsieur")
_CLOSINGS = (
    "Sincerely", "Sincerely yours", "Yours sincerely", "Yours faithfully", "Yours truly",
    "Kind regards", "Best regards", "Warm regards", "With kind regards", "With best regards",
    "Regards", "Best wishes", "With best wishes", "Respectfully", "Respectfully yours", "Best",
    "Cheers",
)  # fmt: skip


def check(body: Body, source: Source, locale: str, name: str) -> Iterator[Diagnostic]:
    """Yield a warning for a greeting and for a closing in the body of a letter by ``name``.

    ``source`` has the letter, ``locale`` is that of the document.
    """
    first, last = body.blocks[0], body.blocks[-1]
    words = table(locale).words
    own = (words["letter-opening-name"], words["letter-opening"])
    if first.kind == "paragraph" and _greets(str(first.texts[0]), *own):
        yield _twice("greeting", "opening", 0, source)
    texts = [str(block.texts[0]) for block in body.blocks]
    at = len(texts) - 1
    if at and _folded(texts[at]) == _folded(name):
        at -= 1  # The name is a paragraph of its own below the closing.
    if at and last.kind == "paragraph" and _closes(texts[at], words["letter-closing"], name):
        yield _twice("closing", "closing", at, source)


def _twice(noun: str, key: str, at: int, source: Source) -> Diagnostic:
    message = f"the letter gets a second {noun}: cvbuild writes one"
    hint = f"take it out of the body, or move it to {key}:"
    return Diagnostic("warning", f"letter-{key}", message, source.span((*PATH, "body", at)), hint)


def _folded(text: str) -> str:
    """Return the words of a text, to compare."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _greets(text: str, named: str, unnamed: str) -> bool:
    """Return whether a paragraph begins with a greeting; the language's own is ``named``."""
    head, mark, _ = _partition(text)
    if len(head.split()) > _MOST_WORDS or (not mark and head.endswith(".")):
        return False
    folded = f"{_folded(head)} "
    before, _, after = named.partition("{name}")
    starts = [_folded(before), " ".join(_folded(unnamed).split()[:2]), *map(_folded, _OPENINGS)]
    # Some languages write a name without a space after what is before it.
    starts = [f"{one} " if one.isascii() else one for one in starts if one]
    is_own = bool(_folded(after)) and _folded(text).endswith(_folded(after))
    return is_own or folded.startswith(tuple(starts))


def _partition(text: str) -> tuple[str, str, str]:
    """Return what is before the first mark that ends a greeting, the mark, and the rest."""
    found = re.search(r"[,:!،，：](?:\s|\Z)", text)
    return (text[: found.start()], found[0], text[found.end() :]) if found else (text, "", "")


def _closes(text: str, own: str, name: str) -> bool:
    """Return whether a paragraph ends with a closing, and perhaps with the name."""
    closings = {_folded(form) for form in (own, *_CLOSINGS)}
    parts = (text, re.split(r"[.!?]\s+", text)[-1])
    folded = [_folded(part) for part in parts]
    folded += [part.removesuffix(_folded(name)).strip() for part in folded]
    return not closings.isdisjoint(folded)
