"""Who it is and how to reach the person, as RenderCV has it."""

from __future__ import annotations

from typing import Any

from cvbuild.model import phones
from cvbuild.model.contact import Contact
from cvbuild.model.networks import NETWORKS
from cvbuild.outputs.rendercv import words
from cvbuild.outputs.types import Shown
from cvbuild.view.types import Header

#: RenderCV's names of networks; the others are connections of their own.
_NETWORKS = {
    "linkedin": "LinkedIn", "github": "GitHub", "gitlab": "GitLab", "imdb": "IMDB",
    "instagram": "Instagram", "orcid": "ORCID", "mastodon": "Mastodon",
    "stack-overflow": "StackOverflow", "researchgate": "ResearchGate", "youtube": "YouTube",
    "google-scholar": "Google Scholar", "telegram": "Telegram", "x": "X",
}  # fmt: skip


def of(shown: Shown) -> dict[str, Any]:
    """Return the keys of ``cv`` besides its sections; empty ones are left out."""
    header, contact = shown.view.header, shown.selected.profile.contact
    accounts, others = _accounts(contact)
    numbers, local = _numbers(contact)
    others = [*(_connection(one, "", "phone") for one in local), *others]
    found = {
        "name": _name(header),
        "headline": words.of(header.headline),
        "location": words.of(_address(header)),
        "email": _one_or_many([one.address for one in contact.email]),
        "phone": _one_or_many(numbers),
        "website": _one_or_many(list(contact.website)),
        "social_networks": accounts,
        "custom_connections": [*others, *_rest(header)],
    }
    return {key: value for key, value in found.items() if value}


def _name(header: Header) -> str:
    return str(header.name) + (f" ({header.native})" if header.native else "")


def _address(header: Header) -> Any:
    return next((line.text for line in header.contacts if line.kind == "address"), None)


def _numbers(contact: Contact) -> tuple[list[str], list[str]]:
    """Return the phone numbers, each with its country, and those that RenderCV would refuse."""
    known, others = [], []
    for one in contact.phone:
        national, link = phones.is_national(one.number), phones.link(one.number, contact.country)
        if link is None or not phones.is_valid(link):
            others.append(f"{one.label}: {one.number}" if one.label else one.number)
        else:
            number = link if national else one.number
            known.append(number.removeprefix("tel:").replace(";ext=", " ext. "))
    return known, others


def _accounts(contact: Contact) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Return the accounts on networks that RenderCV knows, and the others."""
    known, others = [], []
    for field, info in type(contact.profiles).model_fields.items():
        key = info.alias or field
        for handle in getattr(contact.profiles, field):
            network, url = NETWORKS[key], NETWORKS[key].address(handle)
            is_address = handle.startswith(("http://", "https://"))
            if key in _NETWORKS and not is_address:
                user = handle if key in ("mastodon", "orcid") else handle.removeprefix("@")
                known.append({"network": _NETWORKS[key], "username": user})
            else:
                said = network.title if key == "personal" else network.shown(handle, url)
                label = said if is_address else f"{network.title}: {said}"
                others.append(_connection(label, url))
    others += [_connection(link.label, link.url or "") for link in contact.links]
    return known, others


def _rest(header: Header) -> list[dict[str, str]]:
    """Return what has no key: other names, date of birth, citizenship, anything else."""
    names = [f"{one.label}: {one.name}" for one in header.others]
    lines = [
        f"{line.label}: {line.text}" if line.label else str(line.text)
        for line in header.contacts
        if line.kind in ("birth-date", "nationality", "other")
    ]
    return [_connection(text, "") for text in (*names, *lines)]


def _connection(placeholder: str, url: str, icon: str = "") -> dict[str, Any]:
    icon = icon or ("link" if url else "circle-info")
    return {"placeholder": placeholder, "url": url or None, "fontawesome_icon": icon}


def _one_or_many(found: list[str]) -> Any:
    return found[0] if len(found) == 1 else found
