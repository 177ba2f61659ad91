"""Who the person is: JSON Resume's `basics`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cvbuild.model import phones
from cvbuild.model.contact import Name, Profiles
from cvbuild.model.networks import NETWORKS
from cvbuild.model.parts import Link
from cvbuild.outputs.jsonresume import values as dates
from cvbuild.outputs.jsonresume.values import Values
from cvbuild.selection.selected import Selected


def of(shown: Selected, values: Values) -> dict[str, Any]:
    """Return name, headline, addresses, accounts and summary; further addresses as lists."""
    profile, contact = shown.profile, shown.profile.contact
    summary = tuple(
        text
        for section in shown.sections
        if section.kind == "summary"
        for group in section.groups
        for _, text in group.items
    )
    emails = _labelled(values, contact.email, ("contact", "email"), "address")
    numbers = _labelled(values, contact.phone, ("contact", "phone"), "number")
    if contact.country:
        country = {"country": contact.country}
        numbers = [one | (country if _is_from(contact.country, one) else {}) for one in numbers]
    found = {
        "name": profile.name.display,
        "label": str(profile.headline) if profile.headline else None,
        "email": emails[0]["address"] if emails else None,
        "phone": numbers[0]["number"] if numbers else None,
        "url": contact.website[0] if contact.website else None,
        "website": contact.website[0] if contact.website else None,
        "summary": "\n\n".join(map(str, summary)),
        "birthDate": dates.words(contact.birth_date) if contact.birth_date else None,
        "nationalities": list(map(str, contact.nationality)),
        "other": [{"label": name, "text": str(text)} for name, text in contact.other.items()],
        "profiles": _accounts(contact.profiles, contact.links),
        **_names(profile.name),
        "emails": emails if _says_more(emails) else None,
        "phones": numbers if _says_more(numbers) else None,
        "websites": list(contact.website) if len(contact.website) > 1 else None,
    }
    # Themes read what is in it without looking whether it is there.
    address = {"address": str(contact.address)} if contact.address else {}
    return {key: value for key, value in found.items() if value} | {"location": address}


def _is_from(country: str, phone: dict[str, str]) -> bool:
    """Return whether a number without its country is one of that country."""
    number = phone["number"]
    return phones.is_national(number) and phones.link(number, country) is not None


def _labelled(
    values: Values, given: tuple[Any, ...], path: tuple[str, ...], key: str
) -> list[dict[str, str]]:
    """Return the addresses with their labels."""
    return [
        {key: getattr(one, key)} | ({"label": one.label} if one.label else {})
        for _, one in values.shown(given, path)
    ]


def _says_more(found: list[dict[str, str]]) -> bool:
    """Return whether the list has more than its first address, which has its own key."""
    return len(found) > 1 or any(len(one) > 1 for one in found)


def _names(name: Name) -> dict[str, Any]:
    """Return the printed forms of the name besides its main form.

    Forms that only find the person among authors (short, author, the parts of a full name) are in
    no document, so they stay out.
    """
    parts = {} if name.full else {"givenName": name.given, "familyName": name.family}
    others = [{"label": other.label, "name": other.name} for other in name.others]
    return {**parts, "nativeName": name.native, "otherNames": others}


def _accounts(accounts: Profiles, links: Iterable[Link]) -> list[dict[str, str]]:
    found = []
    for field, info in type(accounts).model_fields.items():
        network = NETWORKS[info.alias or field]
        for handle in getattr(accounts, field):
            address = handle.startswith(("http://", "https://"))
            username = {} if address else {"username": handle}
            found.append({"network": network.title, **username, "url": network.address(handle)})
    found += [{"network": link.label, "url": link.url or ""} for link in links]
    return found
