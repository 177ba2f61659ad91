"""Whether a grade says by itself that it is one."""

from __future__ import annotations

import re

#: What a grade is called, in the languages of the tables, besides their own word for it.
_NAMES = re.compile(
    r"""
      \b(?: c?gpa | wam | qpa | grades? | marks? | scores? | average | rank(?:ed)? | top )\b
    | noten? \b | noten | schnitt\b | prädikat | \b(?: mention | moyenne | nota | media | média
    | promedio | voto | votazione | cijfer | gemiddeld\w* | snitt? | średnia | průměr | keskiarvo
    | балл\w* | оценка | ortalama\w* )\b
    | معدل | تقدير | ממוצע | 绩 | 績 | 評定 | 平均 | 排名 | 평점 | 학점
    """,
    re.VERBOSE | re.IGNORECASE,
)
#: A name that the person gave it: "Note: 1,3".
_NAMED = re.compile(r"[^\W\d_]\s*[:：]")


def says_what(grade: str, word: str) -> bool:
    """Return whether a grade needs no label; ``word`` is the label in the document's language.

    "GPA 3.8" and "Note: 1,3" need none, "3.8" and "with distinction" do.
    """
    found = _NAMES.search(grade) or _NAMED.search(grade)
    return bool(found) or word.casefold() in grade.casefold()
