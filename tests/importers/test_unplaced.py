"""Words of a document that no rule took are told: nothing is lost in silence."""

from __future__ import annotations

from cvbuild.common.diagnostics import Span
from cvbuild.importers.documents import rough
from cvbuild.importers.draft import Draft


def test_words_that_nothing_took_are_told() -> None:
    draft = Draft("cv.md")
    draft.put("headline", "Engineer of Müllerei")
    draft.lose("footnote", "a Hidden remark")
    place = Span("cv.md", 3, 1, 3, 9)
    lines = [
        "Experience",
        "2019 bis heute, März",
        "E-mail:",
        "MULLEREI remark",
        "engineer Vanished",
    ]
    rough.lose(draft, [(place, line) for line in lines])
    assert [one.note.message for one in draft.done().lost[1:]] == [
        "words without a place: Vanished"
    ]
