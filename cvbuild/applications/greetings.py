"""Check whether a letter greets or closes twice, or says what a new file's says.

It does so in its body if that has a greeting, as every letter gets one. A greeting and a closing
are known by their shape, in any language: few words, which are no sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.inputs.letters import PATH
from cvbuild.inputs.yaml.source import Source
from cvbuild.model.letter import Body
from cvbuild.model.locales import language_of, table

#: How the letter of a new file begins (workspace-template/applications).
STARTER = "Two or three paragraphs: why this position, why you, what you would like to do there."
#: The most words of a greeting and of a closing, and the most characters of a greeting.
_MOST_WORDS, _MOST_CLOSING, _MOST_CHARACTERS = 8, 5, 60
#: What a greeting ends with.
_MARKS = (",", ":", "!", "،", "，", "：")
#: What stands before a name and isn't a part of it.
_TITLES = frozenset(("dr", "prof", "mr", "mrs", "ms", "phd"))


def check(body: Body, source: Source, locale: str, name: str) -> Iterator[Diagnostic]:
    """Yield a warning for a greeting, a closing, and a new file's text in a letter by ``name``.

    ``source`` has the letter, ``locale`` is that of the document.
    """
    first, last = body.blocks[0], body.blocks[-1]
    if str(first.texts[0]) == STARTER:
        message, span = "the letter is still that of a new file", source.span((*PATH, "body", 0))
        yield Diagnostic("warning", "starter", message, span, "write your own")
    # A few words above a list introduce that.
    before_text = [block.kind for block in body.blocks[:2]] == ["paragraph", "paragraph"]
    if before_text and _greets(str(first.texts[0]), locale):
        yield _twice("greeting", "opening", 0, source)
    texts = [str(block.texts[0]) for block in body.blocks]
    index = len(texts) - 1
    if index and not _without_name(texts[index], name):
        index -= 1  # The name is a paragraph of its own below the closing.
    if index and last.kind == "paragraph" and _closes(texts[index], name, locale):
        yield _twice("closing", "closing", index, source)


def _twice(noun: str, key: str, index: int, source: Source) -> Diagnostic:
    message = f"the letter gets a second {noun}: cvbuild writes one"
    hint = f"take it out of the body, or move it to {key}:"
    span = source.span((*PATH, "body", index))
    return Diagnostic("warning", f"letter-{key}", message, span, hint)


def _folded(text: str) -> str:
    """Return the words of a text, to compare."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _own(locale: str, key: str) -> Iterator[str]:
    """Yield what cvbuild itself writes in a language, and in English."""
    for language in (language_of(locale) or "en", "en"):
        yield table(language).words[key]


def _greets(text: str, locale: str) -> bool:
    """Return whether a paragraph greets: it ends as greetings do, or is like cvbuild's own."""
    own = [one.partition("{name}") for one in _own(locale, "letter-opening-name")]
    before = tuple(f"{_folded(one[0])} " for one in own if one[0].strip())
    after = tuple(filter(None, (_folded(one[2]) for one in own)))
    is_short = len(text.split()) <= _MOST_WORDS and len(text) <= _MOST_CHARACTERS
    if is_short and (text.rstrip().endswith(_MARKS) or _folded(text).endswith(after)):
        return True
    head = re.split(f"[{''.join(_MARKS)}]", text, maxsplit=1)[0]
    return len(head.split()) <= _MOST_WORDS and _folded(head).startswith(before)


def _closes(text: str, name: str, locale: str) -> bool:
    """Return whether a paragraph ends with a few words that are no sentence, and the name."""
    whole = text.strip()
    if _without_name(whole, name) in map(_folded, _own(locale, "letter-closing")):
        return True
    if whole.endswith((".", "!", "?", "。", "！", "？")):
        return False
    parts = (whole, re.split(r"[.!?。！？]\s+", whole)[-1])
    return any(0 < len(_without_name(one, name).split()) <= _MOST_CLOSING for one in parts)


def _without_name(text: str, name: str) -> str:
    """Return the words of a text without the name, or parts of it, at its end."""
    words, names = _folded(text).split(), {*_folded(name).split(), *_TITLES}
    names |= {word[0] for word in names}
    while words and words[-1] in names:
        words.pop()
    return " ".join(words)
