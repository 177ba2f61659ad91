"""Describe values in messages, and suggest the word that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

#: How many characters of a value a message shows.
LONGEST = 60
#: More known words than these are not all listed.
_MANY = 60
#: Nor more characters of them.
_LONG = 240
#: How much of a key a known one must share before messages quote it (0 to 1).
_ALIKE = 0.8


def form(value: object) -> str:
    """Return what kind of value it is, for a message: nothing, a mapping, a text, a list."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping"
    return "a text" if isinstance(value, str) else "a list"


def shown(value: object) -> str:
    """Return a value for a message: a text in quotes, shortened; else what kind it is."""
    if not isinstance(value, str | int | float):
        return form(value)
    text = str(value)
    return f'"{text[:LONGEST]}…"' if len(text) > LONGEST else f'"{text}"'


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most like ``word``; None if none is similar."""
    import difflib  # only needed for messages

    close = difflib.get_close_matches(word.lower()[:100], list(known), n=1, cutoff=0.6)
    return close[0] if close else None


def suggest(word: str, known: Iterable[str], noun: str) -> str:
    """Return a hint: the nearest known word, or all of them if they aren't very many."""
    names = list(known)
    close = nearest(word, names)
    if close:
        return f'did you mean "{close}"?'
    whole = listed(names[:_MANY])
    if len(whole) > _LONG:
        whole = whole[: whole.rindex(", ", 0, _LONG)]
    more = ", …" if len(whole) < len(listed(names)) else ""
    return f"{noun}: {whole}{more}" if names else "there are none"


def listed(names: Iterable[str]) -> str:
    """Return the words joined by commas."""
    return ", ".join(names)


def unknown(noun: str, name: str, known: Iterable[str]) -> str:
    """Return that a key or the like is unknown, and which if it is a known one with a slip."""
    return f"unknown {noun} {shown(name)}" if is_slip(name, known) else f"unknown {noun}"


def is_slip(name: str, known: Iterable[str]) -> bool:
    """Return whether a key is almost a known one."""
    import difflib  # only needed for messages

    close = nearest(name, known)
    ratio = difflib.SequenceMatcher(None, name.lower(), close or "").ratio()
    return ratio >= _ALIKE
