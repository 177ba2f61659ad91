"""Make the view of a letter: what templates see of it, in the document's language."""

from __future__ import annotations

from cvbuild.common.diagnostics import id_of
from cvbuild.inputs.letters import PATH, Draft
from cvbuild.model.letter_body import Block
from cvbuild.model.locales.dates import letter_text
from cvbuild.selection.selected import Selected
from cvbuild.view.texts import Texts
from cvbuild.view.types import SIGNATURE, Content, Id, Item, Letter, LetterBlock, Word


def build(selected: Selected, draft: Draft) -> Letter:
    """Return the view of a letter by the person of a selection."""
    return _Viewer(selected, draft).letter()


class _Viewer(Texts):
    def __init__(self, selected: Selected, draft: Draft) -> None:
        super().__init__(selected)
        self.draft = draft
        self.name = self.profile.name.display

    def letter(self) -> Letter:
        written = self.draft.letter
        who, blocks = written.recipient, written.body.blocks if written.body else ()
        return Letter(
            title=self.phrase("letter-title", PATH, then=f", {self.name}"),
            head=Id(id_of((*PATH, "recipient"))),
            recipient=tuple(self.recipient()),
            date=self.at(letter_text(self.draft.date, self.profile.locale), "date"),
            subject=self.subject(),
            opening=self.greeting(written.opening, "opening", who.name if who else None),
            body=tuple(self.block(block, at) for at, block in enumerate(blocks)),
            closing=self.greeting(written.closing, "closing"),
            signature=self.phrase("letter-signature", SIGNATURE, name=self.name),
            enclosed=Id(id_of((*PATH, "enclosures"))),
            label=self.phrase("letter-enclosures", (*PATH, "enclosures")),
            enclosures=tuple(
                self.line(one, (*PATH, "enclosures", at))
                for at, one in enumerate(written.enclosures)
            ),
        )

    def recipient(self) -> list[Content]:
        """Return the lines of the address."""
        who = self.draft.letter.recipient
        if who is None:
            return []
        place = (*PATH, "recipient")
        keys = ("name", "title", "organization")
        lines = [(getattr(who, key), (*place, key)) for key in keys]
        lines += [(line, (*place, "address", at)) for at, line in enumerate(who.address)]
        return [self.line(text, path) for text, path in lines if text]

    def subject(self) -> Content | None:
        written, position = self.draft.letter.subject, self.draft.position
        if written:
            return self.at(written, "subject")
        if position is None:
            return None
        return self.phrase("letter-subject", (*PATH, "subject"), position=position)

    def greeting(self, written: str | None, key: str, name: str | None = None) -> Content:
        """Return an opening or a closing: as it was written, else the language's own."""
        if written:
            return self.at(written, key)
        word = f"letter-{key}-name" if name else f"letter-{key}"
        return self.phrase(word, (*PATH, key), **({"name": name} if name else {}))

    def at(self, text: str, key: str) -> Content:
        return self.line(text, (*PATH, key))

    def block(self, block: Block, index: int) -> LetterBlock:
        items = []
        for place, text in enumerate(block.texts):
            path = (*PATH, "body", index, place)
            number = str(block.start + place) if block.kind == "numbers" else None
            shown = self.verbatim(number, path) if number else None
            items.append(Item(path, {"text": self.of(text, path), "number": shown}))
        return LetterBlock(Word(block.kind), tuple(items))
