"""Make the head of a view: who the person is, and every way to reach them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import BaseModel

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import phones, urls
from cvbuild.model.networks import NETWORKS
from cvbuild.view.types import PICTURE, Address, ContactLine, Content, Header, Item, Word

if TYPE_CHECKING:
    from cvbuild.model import Profile
    from cvbuild.model.contact import Name


class Viewer(Protocol):
    """What makes the texts of a view."""

    profile: Profile

    def of(self, value: Any, path: FieldPath) -> Any:
        """Return the view of any value of the model."""

    def item(self, model: BaseModel, path: FieldPath) -> Item:
        """Return a model with every field as a view."""

    def line(self, text: str, path: FieldPath) -> Content:
        """Return a plain text."""

    def word(self, key: str, path: FieldPath) -> Content:
        """Return a label."""

    def verbatim(self, text: str, path: FieldPath) -> Content:
        """Return a plain text exactly as written."""


@dataclass(frozen=True, slots=True)
class Head:
    """Makes the head with what a view makes texts with."""

    view: Viewer

    def header(self) -> Header:
        """Return the head of the document."""
        name: Name = self.view.profile.name
        others = tuple(
            self.view.item(other, ("name", "others", index))
            for index, other in enumerate(name.others)
        )
        return Header(
            name=self.view.line(name.display, ("name",)),
            alt=self.view.line(name.display, PICTURE),
            native=self.view.line(name.native, ("name", "native")) if name.native else None,
            others=others,
            headline=self.view.of(self.view.profile.headline, ("headline",)),
            contacts=tuple(self.contacts()),
            given=Word(str(_given(name))),
        )

    def contacts(self) -> Iterable[ContactLine]:
        """Yield everything in ``contact``."""
        contact = self.view.profile.contact
        for index, email in enumerate(contact.email):
            path: FieldPath = ("contact", "email", index)
            target = urls.normalise(f"mailto:{email.address}")
            yield self._reachable("email", email, email.address, target, path)
        for index, phone in enumerate(contact.phone):
            path = ("contact", "phone", index)
            number = phones.link(phone.number, contact.country)
            yield self._reachable("phone", phone, phone.number, number, path)
        if contact.address:
            yield ContactLine(
                Word("address"), self.view.of(contact.address, ("contact", "address"))
            )
        yield from self.person()
        for index, site in enumerate(contact.website):
            text = self.view.verbatim(urls.display(site), ("contact", "website", index))
            yield ContactLine(Word("website"), text, url=Address(site))
        yield from self.profiles()
        for index, link in enumerate(contact.links):
            path, url = ("contact", "links", index), str(link.url)
            label = self.view.line(link.label, (*path, "label"))
            text = self.view.verbatim(urls.display(url), (*path, "url"))
            yield ContactLine(Word("link"), text, label, Address(url))

    def person(self) -> Iterable[ContactLine]:
        """Yield the personal details that some employers ask for, each with its label."""
        contact = self.view.profile.contact
        path: FieldPath = ("contact", "birth-date")
        if contact.birth_date:
            born = self.view.of(contact.birth_date, path)
            yield ContactLine(Word("birth-date"), born, self.view.word("birth-date", path))
        for index, text in enumerate(contact.nationality):
            path = ("contact", "nationality", index)
            label = self.view.word("nationality", path)
            yield ContactLine(Word("nationality"), self.view.line(text, path), label)
        for name, prose in contact.other.items():
            path = ("contact", "other", name)
            yield ContactLine(Word("other"), self.view.of(prose, path), self.view.line(name, path))

    def _reachable(
        self, kind: str, item: Any, text: str, target: str | None, path: FieldPath
    ) -> ContactLine:
        """Return an e-mail address, or a phone number, which may have no link."""
        label = self.view.line(item.label, (*path, "label")) if item.label else None
        url = Address(target) if target else None
        return ContactLine(Word(kind), self.view.verbatim(text, path), label, url)

    def profiles(self) -> Iterable[ContactLine]:
        """Yield accounts by network, shown as the short address of their page."""
        accounts = self.view.profile.contact.profiles
        for name, info in type(accounts).model_fields.items():
            network = info.alias or name
            for index, handle in enumerate(getattr(accounts, name)):
                url = NETWORKS[network].address(handle)
                path = ("contact", "profiles", network, index)
                shown = NETWORKS[network].shown(handle, url)
                yield ContactLine(
                    Word(network),
                    self.view.verbatim(shown, path),
                    url=Address(url),
                    network=self.view.verbatim(NETWORKS[network].title, path),
                    unclear=shown != urls.display(url),
                )


def _given(name: Name) -> int:
    """Return how many words come before the family name, which is the last one by itself."""
    words = name.display.split(" ")
    family = len(name.family.split(" ")) if name.family else 1
    is_last = not name.family or words[-family:] == name.family.split(" ")
    is_latin = all(unicodedata.name(char, "").startswith("LATIN") for char in words[0][:1])
    return len(words) - family if is_last and is_latin and family < len(words) else 0
