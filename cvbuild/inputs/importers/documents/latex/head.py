"""Commands of the head: name, position, address, accounts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cvbuild.inputs.importers import networks, texts
from cvbuild.inputs.importers.documents import dates, people
from cvbuild.inputs.importers.documents.latex import words
from cvbuild.inputs.importers.documents.latex.tree import Cursor, inside
from cvbuild.inputs.importers.documents.latex.words import Words
from cvbuild.inputs.importers.draft import Draft
from cvbuild.inputs.importers.runs import Run

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
    """github gitlab linkedin twitter bluesky mastodon orcid researchgate medium reddit telegram
    whatsapp xing kaggle bitbucket instagram facebook youtube dblp dribbble behance codeberg
    leetcode skype keybase hackerrank discord matrix signal battlenet steam homepage_""".split()
)
COMMANDS |= dict.fromkeys(_ACCOUNTS, 1)
#: Beginnings of addresses of sites that networks.py doesn't know.
_OTHER_SITES = {
    "keybase": "https://keybase.io/", "hackerrank": "https://www.hackerrank.com/profile/",
}  # fmt: skip
_LOST = "has no key; write it where you want it"


class Head:
    """Puts what the commands of the head say into a draft."""

    def __init__(self, draft: Draft, read: Words, lose: words.Lose) -> None:
        self.draft = draft
        self.words = read
        self.lose = lose
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
        if name in _ACCOUNTS or name in ("social", "stackoverflow", "googlescholar"):
            self._account(name, option_text, groups, node)
        elif reader := _READERS.get(name):
            reader(self, groups, option_text, node)

    def finish(self) -> None:
        """Put the name, whose parts may come from several commands."""
        given, family = self.names.get("given", ""), self.names.get("family", "")
        full = f"{given} {family}".strip()
        self.draft.put("name", {"given": given, "family": family} if given and family else full)

    def _name(self, groups: Sequence[Any], option: str, node: Any) -> None:  # noqa: ARG002
        given, *family = (self.words.plain(group) for group in groups)
        self._part("given", given, node)
        self._part("family", " ".join(family), node)

    def _part(self, key: str, value: str, node: Any) -> None:
        if value and self.names.setdefault(key, value) != value:
            self.lose("another name", value, node)

    def _headline(self, groups: Sequence[Any], option: str, node: Any) -> None:  # noqa: ARG002
        text = self.words.line(groups[0])
        if not people.is_document_title(text):
            self._put("headline", text, node)

    def _address(self, groups: Sequence[Any], option: str, node: Any) -> None:  # noqa: ARG002
        lines = [one for group in groups for one in self.words.lines(group)]
        parts = [texts.plain("".join(run.text for run in one)) for one in lines]
        self._put("contact.address", ", ".join(part.strip(" ,") for part in parts if part), node)

    def _phone(self, groups: Sequence[Any], option: str, node: Any) -> None:
        number = people.number_in(self.words.plain(groups[0]))
        label = "mobile" if node.macroname == "mobile" else option
        if label == "fax" or node.macroname == "fax":
            self._other("Fax", number)
            return
        has_label = label and label not in ("fixed", "mobile")
        value = {"number": number, "label": label} if has_label or label == "mobile" else number
        self.draft.put("contact.phone", [value] if number else [])

    def _email(self, groups: Sequence[Any], option: str, node: Any) -> None:  # noqa: ARG002
        for address in words.address(groups[0]).replace(";", ",").split(","):
            self.draft.put("contact.email", [address.strip()] if address.strip() else [])

    def _website(self, groups: Sequence[Any], option: str, node: Any) -> None:  # noqa: ARG002
        if address := words.address(groups[0]):
            self.draft.put("contact.website", [address])

    def _account(self, name: str, option: str, groups: Sequence[Any], node: Any) -> None:
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

    def _extra(self, groups: Sequence[Any], option: str, node: Any) -> None:  # noqa: ARG002
        for runs in self.words.lines(groups[0]):
            people.other(self.draft, [*runs], "Info")

    def _birth(self, groups: Sequence[Any], option: str, node: Any) -> None:  # noqa: ARG002
        self._put("contact.birth-date", dates.normal(self.words.plain(groups[0])), node)

    def _nationality(self, groups: Sequence[Any], option: str, node: Any) -> None:  # noqa: ARG002
        self.draft.put("contact.nationality", [self.words.plain(groups[0])])

    def _photo(self, groups: Sequence[Any], option: str, node: Any) -> None:  # noqa: ARG002
        file = words.address(groups[-1])
        self.lose("photo, copy it to people/ and write photo: and its name", file, node)

    def _quote(self, groups: Sequence[Any], option: str, node: Any) -> None:  # noqa: ARG002
        self.lose("quote in the head", self.words.line(groups[0]), node)

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


_Reader = Callable[[Head, Sequence[Any], str, Any], None]
_READERS: dict[str, _Reader] = {
    "name": Head._name,
    "author": Head._name,
    "firstname": lambda head, groups, _, node: head._part(
        "given", head.words.plain(groups[0]), node
    ),
    "familyname": lambda head, groups, _, node: head._part(
        "family", head.words.plain(groups[0]), node
    ),
    "lastname": lambda head, groups, _, node: head._part(
        "family", head.words.plain(groups[0]), node
    ),
    **dict.fromkeys(("position", "title", "tagline", "jobtitle"), Head._headline),
    **dict.fromkeys(("address", "location", "mailaddress"), Head._address),
    **dict.fromkeys(("mobile", "phone", "fax"), Head._phone),
    "email": Head._email,
    **dict.fromkeys(("homepage", "website"), Head._website),
    "extrainfo": Head._extra,
    **dict.fromkeys(("born", "dateofbirth"), Head._birth),
    "nationality": Head._nationality,
    **dict.fromkeys(("photo", "photoL", "photoR"), Head._photo),
    "quote": Head._quote,
}
