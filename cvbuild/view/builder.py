"""Make the view of what was selected, and of a letter; ``view.types`` has its types."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from cvbuild.common.diagnostics import FieldPath, id_of
from cvbuild.inputs.letters import PATH, Draft
from cvbuild.model import kinds
from cvbuild.model.contact import NETWORKS, phone_link
from cvbuild.model.kinds import SELF
from cvbuild.model.locales import letter_text
from cvbuild.model.profile import CLOSING_SIGNATURE
from cvbuild.model.text import rich_text
from cvbuild.model.text.lines import normal_url, short_url
from cvbuild.selection.selected import Selected, SelectedGroup, SelectedSection, value_at
from cvbuild.view.texts import Texts
from cvbuild.view.types import (
    PICTURE,
    SIGNATURE,
    Address,
    Closing,
    ContactLine,
    Content,
    Document,
    Group,
    Header,
    Id,
    Item,
    Labels,
    Letter,
    LetterBlock,
    Section,
    Word,
)

if TYPE_CHECKING:
    from cvbuild.model.contact import Name


def build(selected: Selected, options: Mapping[str, Any]) -> Document:
    """Return the view of what was selected, in the profile's locale."""
    viewer = _Viewer(selected, options)
    sections = [viewer.section(part) for part in selected.sections]
    labels = {key: viewer.phrase(key, ("locale",)) for key in viewer.table.words}
    # For a search, kind by kind: skills before interests.
    keywords: list[Content] = []
    for name in (*kinds.KINDS, *kinds.OWN):
        items = [item for section in sections if section.kind == name for item in section.items]
        # Only of a kind that is there: others aren't loaded.
        if items and (field := kinds.of(name).search):
            keywords += items if field == SELF else (getattr(item, field) for item in items)
    return Document(
        header=viewer.header(),
        sections=tuple(section for section in sections if section.groups),
        words=Labels(labels, viewer.profile.locale),
        keywords=tuple(keywords),
        language=viewer.profile.locale,
        closing=viewer.closing(),
    )


def capitals(document: Document) -> Document:
    """Return the document with the titles of its sections in capitals."""
    sections = []
    for section in document.sections:
        title, language = section.title, section.title.language or document.language
        title = replace(title, nodes=rich_text.capitals(title.nodes, language))
        sections.append(replace(section, title=title))
    return replace(document, sections=tuple(sections))


def dead_labels(selected: Selected) -> Iterator[FieldPath]:
    """Yield where links without an address are, which no document shows."""
    for path, item in selected.items():
        for at, link in enumerate(getattr(item, "links", ())):
            if link.url is None and path not in selected.left_out:
                yield (*path, "links", at)


class _Viewer(Texts):
    # -- the head: who the person is, and every way to reach them --------------------------------

    def header(self) -> Header:
        name: Name = self.profile.name
        others = tuple(
            self.item(other, ("name", "others", index)) for index, other in enumerate(name.others)
        )
        # The family name is the last word by itself.
        words, family = name.display.split(" "), name.family.split(" ") if name.family else [""]
        before, is_last = len(words) - len(family), words[-len(family) :] == family
        is_last = is_last or not name.family
        is_latin = all(unicodedata.name(char, "").startswith("LATIN") for char in words[0][:1])
        return Header(
            name=self.line(name.display, ("name",)),
            alt=self.line(name.display, PICTURE),
            native=self.line(name.native, ("name", "native")) if name.native else None,
            others=others,
            headline=self.of(self.profile.headline, ("headline",)),
            contacts=tuple(self.contacts()),
            given=Word(str(before if is_last and is_latin and before > 0 else 0)),
        )

    def contacts(self) -> Iterable[ContactLine]:
        contact = self.profile.contact
        path: FieldPath
        emails = [(one.address, one.label) for one in contact.email]
        phones = [(one.number, one.label) for one in contact.phone]
        for kind, ways in (("email", emails), ("phone", phones)):
            for index, (written, named) in enumerate(ways):
                path = ("contact", kind, index)
                # A phone number may have no link.
                page = phone_link(written) if kind == "phone" else normal_url(f"mailto:{written}")
                label = self.line(named, (*path, "label")) if named else None
                target = Address(page) if page else None
                yield ContactLine(Word(kind), self.verbatim(written, path), label, target)
        if contact.address:
            yield ContactLine(Word("address"), self.of(contact.address, ("contact", "address")))
        # The personal details that some employers ask for, each with its label.
        if contact.birth_date:
            path = ("contact", "birth-date")
            born, label = self.of(contact.birth_date, path), self.phrase("birth-date", path)
            yield ContactLine(Word("birth-date"), born, label)
        for index, text in enumerate(contact.nationality):
            path = ("contact", "nationality", index)
            label = self.phrase("nationality", path)
            yield ContactLine(Word("nationality"), self.line(text, path), label)
        for name, prose in contact.other.items():
            path = ("contact", "other", name)
            yield ContactLine(Word("other"), self.of(prose, path), self.line(name, path))
        for index, site in enumerate(contact.website):
            short = self.verbatim(short_url(site), ("contact", "website", index))
            yield ContactLine(Word("website"), short, url=Address(site))
        # Accounts by network, shown as the short address of their page.
        accounts = contact.profiles
        for name, info in type(accounts).model_fields.items():
            key = info.alias or name
            network = NETWORKS[key]
            for index, handle in enumerate(getattr(accounts, name)):
                url, path = network.address(handle), ("contact", "profiles", key, index)
                printed = network.shown(handle, url)
                yield ContactLine(
                    Word(key),
                    self.verbatim(printed, path),
                    url=Address(url),
                    network=self.verbatim(network.title, path),
                    unclear=printed != short_url(url),
                )
        for index, link in enumerate(contact.links):
            path, url = ("contact", "links", index), str(link.url)
            label = self.line(link.label, (*path, "label"))
            short = self.verbatim(short_url(url), (*path, "url"))
            yield ContactLine(Word("link"), short, label, Address(url))

    def closing(self) -> Closing | None:
        closing, profile = self.profile.closing, self.profile
        if closing is None:
            return None
        texts = [self.of(closing.place, ("closing", "place"))] if closing.place else []
        if day := closing.date or profile.updated:
            path: FieldPath = ("closing", "date") if closing.date else ("updated",)
            texts.append(self.line(letter_text(day, profile.locale), path))
        signature = self.phrase("letter-signature", CLOSING_SIGNATURE, name=profile.name.display)
        return Closing(Id("closing"), tuple(texts), signature)

    # -- sections --------------------------------------------------------------------------------

    def section(self, part: SelectedSection) -> Section:
        groups = self.numbered(part, [self.group(group) for group in part.groups])
        note = part.source.note if part.source is not None else None
        return Section(
            id=Id(id_of(part.path)),
            kind=Word(part.kind),
            title=self.title(part, groups),
            note=self.of(note, (*part.path, "note")),
            groups=tuple(group for group in groups if group.items),
            column=part.column,
        )

    def group(self, group: SelectedGroup) -> Group:
        pairs = ((path, self.of(item, path)) for path, item in group.items)
        items = [view for _, view in pairs if view is not None]
        if group.run_path in self.selected.left_out:
            items = []
        return Group(
            id=Id(id_of(group.path)),
            title=self.of(group.title, (*group.path, "title")),
            note=self.of(group.note, (*group.path, "note")) if group.title else None,
            items=tuple(items),
            run=Id(id_of(group.run_path)) if group.run else None,
        )

    def numbered(self, part: SelectedSection, groups: Sequence[Group]) -> list[Group]:
        """Return the groups with numbers before their items, on and on but for lettered ones."""
        if not hasattr(part.source, "numbering"):
            return [*groups]
        way = part.source.numbering or self.options.get("numbering", "none")
        written = [value_at(self.profile, group.path) for group in part.groups]
        letters = [getattr(group, "letter", None) for group in written]
        total = sum(len(group.items) for group, by in zip(groups, letters, strict=True) if not by)
        before, numbered = 0, []
        meanings: dict[str, str] = {}
        for group, letter in zip(groups, letters, strict=True):
            count, start = (len(group.items), 0) if letter else (total, before)
            items = []
            for at, item in enumerate(group.items):
                place = count - start - at if way == "reversed" else start + at + 1
                text = f"[{letter}{place}]" if letter else f"{place}."
                number = None if way == "none" else self.line(text, (*item.path, "place"))
                fields = {**item.fields, "place": number}
                if marks := fields.get("marks"):
                    # Only the first reference with a mark says what it means.
                    texts = [(str(mark), str(words)) for mark, words in marks]
                    new = (meanings.get(mark) != words for mark, words in texts)
                    fields["marks"] = tuple(compress(marks, [*new]))
                    meanings |= dict(texts)
                items.append(Item(item.path, fields))
            numbered.append(replace(group, items=tuple(items)))
            before += 0 if letter else len(group.items)
        return numbered

    def title(self, part: SelectedSection, groups: Iterable[Group]) -> Content:
        """Return a section's heading; that of publications says when they are a selection."""
        word = self.phrase(part.kind, part.path)
        title: Content = self.of(part.title, part.title_path) or word
        if part.kind != "publication" or part.is_retitled:
            return title
        shown = sum(len(group.items) for group in groups)
        count = len(part.source.items) + sum(len(group.items) for group in part.source.groups)
        selection = self.phrase("publication-selected", part.path)
        texts = [rich_text.plain(part.nodes).casefold() for part in (title, word, selection)]
        if shown == count or texts[0] == texts[2]:
            return title
        if texts[0] == texts[1]:
            return replace(title, nodes=selection.nodes, language=selection.language)
        return replace(title, nodes=(*title.nodes, rich_text.Text(f" ({shown}/{count})")))


def letter(selected: Selected, draft: Draft) -> Letter:
    """Return the view of a letter by the person of a selection."""
    texts, written = Texts(selected, {}), draft.letter
    name, locale = selected.profile.name.display, selected.profile.locale
    who, blocks = written.recipient, written.body.blocks if written.body else ()
    place, address = (*PATH, "recipient"), list[tuple[str | None, FieldPath]]()
    if who:
        keys = ("name", "title", "organization")
        address += [(getattr(who, key), (*place, key)) for key in keys]
        address += [(line, (*place, "address", at)) for at, line in enumerate(who.address)]
    subject = texts.line(written.subject, (*PATH, "subject")) if written.subject else None
    if subject is None and draft.position is not None:
        subject = texts.phrase("letter-subject", (*PATH, "subject"), position=draft.position)
    body = []
    for at, block in enumerate(blocks):
        items = []
        for place_in, text in enumerate(block.texts):
            path = (*PATH, "body", at, place_in)
            number = str(block.start + place_in) if block.kind == "numbers" else None
            shown = texts.verbatim(number, path) if number else None
            items.append(Item(path, {"text": texts.of(text, path), "number": shown}))
        body.append(LetterBlock(Word(block.kind), tuple(items)))
    enclosed = (*PATH, "enclosures")
    return Letter(
        title=texts.phrase("letter-title", PATH, then=f", {name}"),
        head=Id(id_of(place)),
        recipient=tuple(texts.line(text, path) for text, path in address if text),
        date=texts.line(letter_text(draft.date, locale), (*PATH, "date")),
        subject=subject,
        opening=_greeting(texts, written.opening, "opening", who.name if who else None),
        body=tuple(body),
        closing=_greeting(texts, written.closing, "closing"),
        signature=texts.phrase("letter-signature", SIGNATURE, name=name),
        enclosed=Id(id_of(enclosed)),
        label=texts.phrase("letter-enclosures", enclosed),
        enclosures=tuple(
            texts.line(text, (*enclosed, at)) for at, text in enumerate(written.enclosures)
        ),
    )


def _greeting(texts: Texts, written: str | None, key: str, name: str | None = None) -> Content:
    """Return an opening or a closing: as it was written, else the language's own."""
    if written:
        return texts.line(written, (*PATH, key))
    word = f"letter-{key}-name" if name else f"letter-{key}"
    return texts.phrase(word, (*PATH, key), **({"name": name} if name else {}))
