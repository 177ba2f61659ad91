"""What is said if a document can't have the pages that a person asks for (option ``pages``)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.outputs.pdf.page_steps import Step
from cvbuild.outputs.pdf.trials import Page
from cvbuild.outputs.pdf.typeset import Typesetter
from cvbuild.outputs.styles import templates
from cvbuild.selection import item_names
from cvbuild.selection.one_page import fit, weights

#: The last of several pages is at least so full if a document is to have that many.
_LEAST = 0.25
#: The most parts that a message names.
_NAMED = 3


def unmet(
    setter: Typesetter, wish: int, now: int, step: Step | None, pages: Sequence[Page]
) -> Diagnostic:
    """Return a warning at the option: by how many lines, and what would do it.

    ``now`` is the number of pages that the document has, ``pages`` are those that it would have
    with ``step``, which goes as far as the style does; None if it goes nowhere.
    """
    how = f" at the {'tightest' if now > wish else 'airiest'}: {step}" if step else ""
    if now > wish:
        over = sum(page.used for page in pages[wish:])
        lines = max(1, math.ceil(over / pages[0].line))
        fact = f"{lines} {_plural('line', lines)} too long{how}"
        hint = _less(setter, wish, now, step, over)
    else:
        free = sum(page.height - page.used for page in pages)
        short = free + (wish - len(pages) - 1 + _LEAST) * pages[0].height
        lines = max(1, math.ceil(short / pages[0].line))
        fact = f"{lines} {_plural('line', lines)} too short{how}"
        hint = f"write pages: {now}, or a larger size"
    message = f"pages: {wish} doesn't fit, {fact}; the document has {now} {_plural('page', now)}"
    return Diagnostic("warning", "pages", message, _place(setter), hint)


def _less(setter: Typesetter, wish: int, now: int, step: Step | None, over: float) -> str:
    """Return what would make a document shorter: parts that count least, by their heights."""
    selected = setter.shown.selected
    blocks, _ = setter.measure(selected, step.options if step else {})
    kept = fit.fit(selected, blocks, fit.total(selected, blocks) - over)
    out = kept.left_out - selected.left_out
    parts = [unit.path for unit in weights.units(selected) if unit.path in out]
    named = "; ".join(item_names.name_of(selected.profile, path) for path in parts[:_NAMED])
    others = [f"pages: {now}", *(["template: one-page"] if wish == 1 else [])]
    if not parts:
        return f"write {' or '.join(others)}"
    more = f" and {len(parts) - _NAMED} more" if len(parts) > _NAMED else ""
    return f"leave out what counts least, {named}{more}; or write {' or '.join(others)}"


def _place(setter: Typesetter) -> Span | None:
    task = setter.shown.task
    path = templates.origins(setter.template, task.profile, task.chosen)["pages"][1]
    return setter.source.span(path) if path else None


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
