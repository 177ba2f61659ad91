"""Commands of the head: name, position, address, accounts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.importers import networks
from cvbuild.importers.documents import dates, people
from cvbuild.importers.documents.latex import words
from cvbuild.importers.documents.latex.tree import Cursor, inside
from cvbuild.importers.documents.latex.words import Words
from cvbuild.importers.draft import Draft
from cvbuild.inputs.references import texts

#: The most arguments of each command that is read here.
COMMANDS = {
    "name": 2, "firstname": 1, "familyname": 1, "lastname": 1, "author": 1, "position": 1,
    "title": 1, "tagline": 1, "jobtitle": 1, "address": 3, "mobile": 1, "phone": 1, "fax": 1,
    "email": 1, "homepage": 1, "website": 1, "social": 1, "extrainfo": 1, "quote": 1, "photo": 1,
    "born": 1, "dateofbirth": 1, "nationality": 1, "stackoverflow": 2, "googlescholar": 2,
    "location": 1, "photoL": 2, "photoR": 2, "mailaddress": 1,
}  # fmt: skip
#: Commands named after a network, with a user name.
_ACCOUNTS = frozenset(
    [
        "github",
        "gitlab",
        "linkedin",
        "twitter",
        "bluesky",
        "mastodon",
        "orcid",
        "researchgate",
        "medium",
        "reddit",
        "telegram",
        "whatsapp",
        "xing",
        "kaggle",
        "bitbucket",
        "instagram",
        "facebook",
        "youtube",
        "dblp",
        "dribbble",
        "behance",
        "codeberg",
        "leetcode",
        "skype",
        "keybase",
        "hackerrank",
        "discord",
        "matrix",
        "signal",
        "battlenet",
        "steam",
    ]
)
COMMANDS |= dict.fromkeys(_ACCOUNTS, 1)
#: Beginnings of addresses of sites that networks.py doesn't know.
_OTHER_SITES = {
    "keybase": "https://keybase.io/", "hackerrank": "https://www.hackerrank.com/profile/",
}  # fmt: skip


class Head:
    """Puts what the commands of the head say into a draft."""

    def __init__(self, draft: Draft, read: Words, place: Callable[[list[Any]], Span]) -> None:
        self.draft = draft
        self.words = read
        self.lose = read.lose
        self._place = place
        self.names: dict[str, str] = {}

    def read(self, node: Any, cursor: Cursor) -> None:
        """Read a command of ``COMMANDS`` with its arguments, which follow it."""
        name: str = node.macroname
        options = []
        while (option := cursor.option()) is not None:
            options.append(option)
        groups = [inside(group) for group in cursor.groups(COMMANDS[name])]
        if not groups:
            return
        option_text = self.words.plain(options[0]) if options else ""
        self._put_command(name, option_text, groups, node)

    def _put_command(self, name: str, option: str, groups: list[Any], node: Any) -> None:
        place = self._place([node])
        match name:
            case "name" | "author":
                self._name(groups, node)
            case "firstname":
                self._part("given", self.words.plain(groups[0]), node)
            case "familyname" | "lastname":
                self._part("family", self.words.plain(groups[0]), node)
            case "position" | "title" | "tagline" | "jobtitle":
                self._headline(groups[0], node)
            case "address" | "location" | "mailaddress":
                self._address(groups, node)
            case "mobile" | "phone" | "fax":
                self._phone(name, groups[0], option, place)
            case "email":
                self._email(groups[0], place)
            case _:
                self._put_further(name, option, groups, node)

    def _put_further(self, name: str, option: str, groups: list[Any], node: Any) -> None:
        place = self._place([node])
        match name:
            case "homepage" | "website":
                people.put_in(self.draft, "contact.website", words.address(groups[0]), place)
            case "extrainfo":
                for runs in self.words.lines(groups[0]):
                    people.other(self.draft, runs, "Info")
            case "born" | "dateofbirth":
                self._put("contact.birth-date", dates.normal(self.words.plain(groups[0])), node)
            case "nationality":
                people.put_in(self.draft, "contact.nationality", self.words.plain(groups[0]), place)
            case "photo" | "photoL" | "photoR":
                file = words.address(groups[-1])
                self.lose("photo, copy it to people/ and write photo: and its name", file, node)
            case "quote":
                self.lose("quote in the head", self.words.line(groups[0]), node)
            case _:
                self._account(name, option, groups)

    def finish(self) -> None:
        """Put the name, whose parts may come from several commands."""
        given, family = self.names.get("given", ""), self.names.get("family", "")
        full = f"{given} {family}".strip()
        self.draft.put("name", {"given": given, "family": family} if given and family else full)

    def _name(self, groups: Sequence[Any], node: Any) -> None:
        given, *family = (self.words.plain(group) for group in groups)
        self._part("given", given, node)
        self._part("family", " ".join(family), node)

    def _part(self, key: str, value: str, node: Any) -> None:
        if value and self.names.setdefault(key, value) != value:
            self.lose("another name", value, node)

    def _headline(self, group: Any, node: Any) -> None:
        text = self.words.line(group)
        if not people.is_document_title(text):
            self._put("headline", text, node)

    def _address(self, groups: Sequence[Any], node: Any) -> None:
        lines = [one for group in groups for one in self.words.lines(group)]
        parts = [texts.plain("".join(run.text for run in one)) for one in lines]
        self._put("contact.address", ", ".join(part.strip(" ,") for part in parts if part), node)

    def _phone(self, name: str, group: Any, option: str, place: Span) -> None:
        number = people.number_in(self.words.plain(group))
        label = "mobile" if name == "mobile" else option
        if "fax" in (label, name):
            self._other("Fax", number)
            return
        has_label = label and label not in ("fixed", "mobile")
        value = {"number": number, "label": label} if has_label or label == "mobile" else number
        people.put_in(self.draft, "contact.phone", value if number else "", place)

    def _email(self, group: Any, place: Span) -> None:
        for address in words.address(group).replace(";", ",").split(","):
            people.put_in(self.draft, "contact.email", address.strip(), place)

    def _account(self, name: str, option: str, groups: Sequence[Any]) -> None:
        network = option if name == "social" else name
        user = "/".join(filter(None, map(words.address, groups[: 1 + (name == "stackoverflow")])))
        network = {"stackoverflow": "stack-overflow", "googlescholar": "google-scholar"}.get(
            network.lower(), network.lower()
        )
        if network == "mastodon" and "/@" in user:
            server, _, user = user.removeprefix("https://").partition("/@")
            user = f"@{user}@{server}"
        if not user:
            return
        if network in ("homepage", "website", ""):
            self.draft.put("contact.website", [user])
        elif networks.key_of(network):
            networks.put(self.draft, network, user)
        elif network in _OTHER_SITES:
            networks.put(self.draft, network.capitalize(), "", _OTHER_SITES[network] + user)
        else:
            self._other(network.capitalize(), user)

    def _put(self, path: str, value: str, node: Any) -> None:
        *above, key = path.split(".")
        here: Any = self.draft.data
        for step in above:
            here = here.get(step, {})
        if key in here and value and here[key] != value:
            self.lose(f"another {key}", value, node)
        else:
            self.draft.put(path, value)

    def _other(self, label: str, value: str) -> None:
        people.put_other(self.draft, label, texts.plain(value))
