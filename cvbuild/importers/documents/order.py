"""Which text of an entry is the title and which the organization: by words, and by looks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cvbuild.importers.documents import vocabulary
from cvbuild.importers.documents.outline import Entry


def judge(entries: Sequence[Entry], kind: str) -> None:
    """Bring the texts of entries into the order title, organization.

    Their words tell it of some. The others, and those few that differ, follow those that look the
    same: what is bold in one entry of a section is so in all.
    """
    entries = [one for one in entries if not one.is_sorted and len(one.texts) > 1]
    scores = [_score(one, kind) for one in entries]
    votes: dict[tuple[frozenset[str], ...], Counter[int]] = {}
    for one, score in zip(entries, scores, strict=True):
        for look in {(), tuple(one.looks[:2])}:
            votes.setdefault(look, Counter())[score] += 1
    for one, score in zip(entries, scores, strict=True):
        own, whole = votes[tuple(one.looks[:2])], votes[()]
        said = own if own[1] != own[-1] else whole
        most = 1 if said[1] >= said[-1] else -1
        is_sure = said[most] >= 3 * max(1, said[-most])
        if (most if score == 0 or is_sure else score) < 0:
            one.texts[:2] = [one.texts[1], one.texts[0]]
        one.is_judged = True


def _score(entry: Entry, kind: str) -> int:
    """Return 1 if the first text is the title by its words, -1 if the second is, 0 if neither."""
    first, second = entry.texts[:2]
    mark = vocabulary.DEGREE if kind == "education" else vocabulary.POSITION
    named = vocabulary.ORGANIZATION
    score = bool(mark.search(first)) - bool(mark.search(second))
    if score:
        return score
    return bool(named.search(second)) - bool(named.search(first))


def put_in_order(found: Entry, kind: str) -> None:
    """Bring the texts of an entry into the order title, organization, town."""
    if found.is_sorted:
        return
    if kind == "experience" and len(found.texts) == 1:
        only = found.texts[0]
        if vocabulary.ORGANIZATION.search(only) and not vocabulary.POSITION.search(only):
            found.texts, found.is_sorted = ["", only], True
    if len(found.texts) < 2:
        return
    if not found.is_judged:
        judge([found], kind)
    if len(found.texts) > 2 and not found.location and vocabulary.is_town(found.texts[2]):
        found.location = found.texts.pop(2)
    found.is_sorted = True
