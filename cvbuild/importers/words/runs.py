"""Pieces of text in their styles, as inline Markdown: escaped here, once.

LaTeX and HTML are read into runs; ``markdown`` writes them as a text of a person's file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from cvbuild.inputs.references import texts
from cvbuild.model.text import rich_text

#: What is written around a text of each style, the outermost last.
_MARKS = (("sup", "^"), ("sub", "~"), ("em", "*"), ("strong", "**"))


@dataclass(frozen=True, slots=True)
class Run:
    """A text in one style; ``styles`` are some of strong, em, sup, sub, code."""

    text: str
    styles: frozenset[str] = frozenset()
    url: str = ""


def plain(runs: Iterable[Run]) -> str:
    """Return the characters alone, on one line."""
    return texts.line("".join(run.text for run in runs))


def markdown(runs: Iterable[Run]) -> str:
    """Return runs as inline Markdown on one line; a tab is a blank."""
    joined = _joined(flat(runs))
    whole = plain(joined)
    if not any(run.styles or run.url for run in joined):
        return texts.plain(whole)
    if (
        not any(run.url for run in joined)
        and len({run.styles for run in joined if run.text.strip()}) == 1
    ):
        # All of it in one style says nothing: the document's own style does.
        joined = [replace(run, styles=run.styles & {"code", "sup", "sub"}) for run in joined]
        if not any(run.styles for run in joined):
            return texts.plain(whole)
    for styled in (joined, [replace(run, styles=frozenset()) for run in joined]):
        for escape in (str, texts.escaped):
            written = texts.line("".join(_written(run, escape) for run in styled))
            if _shows(written) == whole:
                return written
    return texts.plain(whole)


def parts(runs: Iterable[Run], at: re.Pattern[str]) -> list[list[Run]]:
    """Return the runs between the matches of a pattern, which is looked for in each run."""
    found: list[list[Run]] = [[]]
    for run in runs:
        first, *rest = at.split(run.text)
        if first:
            found[-1].append(replace(run, text=first))
        found += [[replace(run, text=one)] if one else [] for one in rest]
    return found


def as_one(lines: Iterable[Iterable[Run]]) -> list[Run]:
    """Return lines as one, with blanks between them."""
    return [run for line in lines for run in [*line, Run(" ")]]


def flat(runs: Iterable[Run]) -> list[Run]:
    """Return runs with blanks for tabs."""
    return [
        replace(run, text=run.text.replace("\t", " ")) if "\t" in run.text else run for run in runs
    ]


def _joined(runs: Iterable[Run]) -> list[Run]:
    """Return the same with neighbours of one style joined; blanks belong to no style."""
    found: list[Run] = []
    for run in _spaced(runs):
        last = found[-1] if found else None
        if last and (last.styles, last.url) == (run.styles, run.url):
            found[-1] = replace(last, text=last.text + run.text)
        else:
            found.append(run)
    return found


def _spaced(runs: Iterable[Run]) -> Iterable[Run]:
    same = groupby(runs, key=lambda run: (run.styles, run.url))
    for (styles, url), group in same:
        text = "".join(run.text for run in group)
        body = text.strip()
        if not body:
            yield Run(text)
            continue
        at = text.index(body)
        yield from (
            Run(*one)
            for one in ((text[:at],), (body, styles, texts.address(url)), (text[at + len(body) :],))
            if one[0]
        )


def _written(run: Run, escape: object) -> str:
    text = escape(run.text) if callable(escape) else run.text
    if "code" in run.styles and "`" not in run.text:
        text = f"`{run.text}`"
    for style, mark in _MARKS:
        if style in run.styles and not (len(mark) == 1 and mark in "^~" and " " in text):
            text = f"{mark}{text}{mark}"
    if not run.url:
        return text
    if run.text == run.url:
        return f"<{run.url}>"
    return f"[{text}]({re.sub(r'([()])', lambda one: '%28' if one[0] == '(' else '%29', run.url)})"


def _shows(written: str) -> str | None:
    """Return the characters that Markdown shows; None if it can't be read."""
    nodes = texts.nodes(written)
    return None if nodes is None else texts.line(rich_text.plain(nodes))
