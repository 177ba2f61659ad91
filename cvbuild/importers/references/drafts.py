"""References in a draft: as publications and patents, and whose they are."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from cvbuild.importers.draft import Draft
from cvbuild.inputs.references.reference import ET_AL, Reference


def add(draft: Draft, reference: Reference) -> dict[str, Any]:
    """Add a work to a draft, with notes of what has no key; return its item."""
    is_patent = reference.type == "patent"
    item = reference.patent() if is_patent else reference.publication()
    if item.get("title"):
        item = draft.add("patent" if is_patent else "publication", item, reference.place)
    else:
        draft.lose("work without a title", item, reference.place)
    for what, value, place in reference.lost:
        draft.lose(what, value, place, item)
    return item


def name_person(draft: Draft) -> None:
    """Name the person of a list of works: the one author of most of them, if there is one."""
    works = [
        item.get("authors") or item.get("inventors") or []
        for section in draft.data.get("sections", ())
        for item in section["items"]
    ]
    works = [authors for authors in works if authors]
    counted = Counter(name for authors in works for name in dict.fromkeys(authors))
    (first, most), (_, next_one), *_ = [*counted.most_common(2), ("", 0), ("", 0)]
    if most > next_one and 2 * most > len(works) and first != ET_AL:
        draft.put("name", first)
        draft.authors = tuple(counted)


_TYPES = {
    word: kind
    for kind, words in tomllib.loads(
        Path(__file__).with_name("types.toml").read_text("utf-8")
    ).items()
    for word in words.split()
}


def of(word: str) -> str:
    """Return the kind of work; the word itself if it says nothing that a reader must be told."""
    bare = word.strip().lower().replace("_", "-").replace(" ", "-")
    return _TYPES.get(bare, bare)
