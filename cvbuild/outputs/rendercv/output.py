"""``--format rendercv``: a document as a YAML file that RenderCV 2.x builds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import yaml

from cvbuild.common.diagnostics import Diagnostic
from cvbuild.model import phones
from cvbuild.model.contact import Contact
from cvbuild.model.dates import Date
from cvbuild.model.networks import NETWORKS
from cvbuild.model.text import urls
from cvbuild.outputs.checks import view_texts
from cvbuild.outputs.rendercv import entries, words
from cvbuild.outputs.types import Made, Shown
from cvbuild.view.types import Header

_WIDTH = 96
#: Brackets around those that a note has itself.
_BRACKETS = re.compile(r" \(\(([^()]*)\)\)")
#: A character after a backslash; code; emphasis; a link, before and after its words.
_MARKUP = re.compile(r"\\([^\w\s]|_)|`([^`]*)`|\*+|\[|\]\(([^()]*)\)")


class Format:
    """RenderCV 2.x."""

    name = "rendercv"
    suffix = ".rendercv.yaml"

    def make(self, shown: Shown) -> Made:
        """Return the view as YAML; raise DocumentError if a text of an item is missing from it."""
        data = document(shown)
        items = tuple(section.items for section in shown.view.sections)
        expected = [*filter(view_texts.is_as_written, view_texts.walk(items))]
        written = "\n".join(map(_plain, _texts(data)))
        figures = view_texts.require(written, expected, shown.task.source)
        text = yaml.dump(data, Dumper=_Writer, allow_unicode=True, sort_keys=False, width=_WIDTH)
        return Made(text.encode(), figures, tuple(_notes(shown)))


def document(shown: Shown) -> dict[str, Any]:
    """Return the document as the data of RenderCV's file."""
    view, sections = shown.view, dict[str, list[entries.Entry]]()
    dates = _dates(shown)
    for section in view.sections:
        for group in section.groups:
            parts = filter(None, (section.title, group.title))
            title = ": ".join(words.escaped(str(one)) for one in parts)
            # There are no notes: what the small print says stands in the heading.
            notes = [*view_texts.walk((section.note, group.note))]
            title += "".join(
                _BRACKETS.sub(" (\\1)", f" ({words.escaped(str(one))})") for one in notes
            )
            made = entries.of_group(section, group, view, dates)
            sections.setdefault(_unused(title, sections), []).extend(made)
    design: dict[str, Any] = {"theme": "classic"}
    if size := {"letter": "us-letter", "a4": "a4"}.get(str(shown.options.get("paper"))):
        design["page"] = {"size": size}
    return {"cv": {**_head(shown), "sections": sections}, "design": design}


def _notes(shown: Shown) -> Iterator[Diagnostic]:
    """Yield a note for each sign that RenderCV can't print, and that another one stands for."""
    for sign, other, texts in (
        ("`", words.LIKE_GRAVE, view_texts.contents(shown.view)),
        ('"', QUOTE, (shown.view.header.name,)),
    ):
        if found := next((one for one in texts if sign in str(one)), None):
            fact = f"RenderCV can't print {sign} here, so its file has {other}"
            yield Diagnostic("note", "rendercv-sign", fact, shown.task.source.span(found.path))


def _unused(title: str, sections: dict[str, Any]) -> str:
    """Return a title that no section has yet: two may have the same one."""
    number = 2
    found = title
    while found in sections:
        found, number = f"{title} ({number})", number + 1
    return found


def _dates(shown: Shown) -> entries.Dates:
    """Return the dates of items and roles by their path."""
    found: dict[Any, Date] = {}
    for path, item in shown.selected.items():
        roles = enumerate(getattr(item, "roles", ()))
        for place, part in ((path, item), *(((*path, "roles", at), role) for at, role in roles)):
            if isinstance(date := getattr(part, "date", None), Date):
                found[*place, "date"] = date
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)
    elif value is not None:
        yield str(value)


def _plain(text: str) -> str:
    """Return what a text shows, as a reader of its Markdown sees it."""
    shown = _MARKUP.sub(lambda found: found[1] or found[2] or f" {found[3] or ''}", text)
    return shown.replace(words.LIKE_GRAVE, "`")


class _Writer(yaml.SafeDumper):
    """Indents lists below their key, and has no anchors."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        """Indent lists below their key."""
        super().increase_indent(flow, indentless=False)

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002
        """Write what stands in several places in each of them."""
        return True


# -- the head ------------------------------------------------------------------------------------


#: RenderCV's names of networks; the others are connections of their own.
_NETWORKS = {
    "linkedin": "LinkedIn", "github": "GitHub", "gitlab": "GitLab", "imdb": "IMDB",
    "instagram": "Instagram", "orcid": "ORCID", "mastodon": "Mastodon",
    "stack-overflow": "StackOverflow", "researchgate": "ResearchGate", "youtube": "YouTube",
    "google-scholar": "Google Scholar", "telegram": "Telegram", "x": "X",
}  # fmt: skip
#: What stands for a straight quote in a name.
QUOTE = "”"
#: What user names RenderCV takes, of networks where people also write others.
_USERS = {
    "stack-overflow": r"\d+/[^/]+", "imdb": r"nm\d{7}", "mastodon": r"@[^@]+@[^@]+",
    "orcid": r"\d{4}-\d{4}-\d{4}-\d{3}[\dX]",
}  # fmt: skip
#: E-mail addresses that RenderCV takes: RFC 5321's plain ones, outside of reserved domains.
_EMAIL = re.compile(
    r"(?!.{65,}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*"
    r"@(?:[^\W_](?:(?:[^\W_]|-)*[^\W_])?\.)+(?!(?:arpa|invalid|local|localhost|onion|test)\Z)"
    r"(?:[^\W_](?:[^\W_]|-)*[^\W\d_]|xn--[a-z0-9-]+)",
    re.IGNORECASE,
)


def _head(shown: Shown) -> dict[str, Any]:
    """Return the keys of ``cv`` besides its sections; empty ones are left out."""
    header, contact = shown.view.header, shown.selected.profile.contact
    # The name is also the PDF's title, where such a quote would be the end of it.
    name = str(header.name) + (f" ({header.native})" if header.native else "")
    address = next((line.text for line in header.contacts if line.kind == "address"), None)
    accounts, others = _accounts(contact)
    emails, unusual = _apart([one.address for one in contact.email], _EMAIL.fullmatch)
    websites, odd = _apart(list(contact.website), words.is_web)
    numbers, unknown = _numbers(contact)
    # What RenderCV refuses, or would print with other characters, it takes as a plain text.
    others += [
        *(_connection(one, "", "envelope") for one in unusual),
        *(_connection(one, "", "phone") for one in unknown),
        *(_connection(urls.display(one), one) for one in odd),
    ]
    found = {
        "name": words.escaped(name.replace('"', QUOTE)),
        "headline": words.of(header.headline),
        "location": words.of(address),
        "email": _one_or_many(emails),
        "phone": _one_or_many(numbers),
        "website": _one_or_many(websites),
        "social_networks": accounts,
        "custom_connections": [*others, *_rest(header)],
    }
    return {key: value for key, value in found.items() if value}


def _apart(values: list[str], is_taken: Callable[[str], object]) -> tuple[list[str], list[str]]:
    """Return the values that RenderCV takes and prints as they are, and the others."""
    taken = [one for one in values if words.is_literal(one) and is_taken(one)]
    return taken, [one for one in values if one not in taken]


def _numbers(contact: Contact) -> tuple[list[str], list[str]]:
    """Return the phone numbers, each with its country, and those that RenderCV would refuse."""
    known, others = [], []
    for phone in contact.phone:
        national = phones.is_national(phone.number)
        link = phones.link(phone.number, contact.country)
        if link is None or not phones.is_valid(link):
            others.append(f"{phone.label}: {phone.number}" if phone.label else phone.number)
        else:
            number = link if national else phone.number
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
            user = handle if key in ("mastodon", "orcid") else handle.removeprefix("@")
            is_user = words.is_literal(user) and re.fullmatch(_USERS.get(key, ".+"), user)
            if key in _NETWORKS and not is_address and is_user:
                known.append({"network": _NETWORKS[key], "username": user})
            else:
                said = network.title if key == "personal" else network.shown(handle, url)
                label = said if is_address else f"{network.title}: {said}"
                others.append(_connection(label, url))
    others += [_connection(str(link.label), link.url or "") for link in contact.links]
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


def _connection(text: str, url: str, icon: str = "") -> dict[str, Any]:
    if url and not url.startswith(("http://", "https://")):
        # There are only links to web pages.
        text, url = f"{text}: {url.partition(':')[2]}", ""
    icon = icon or ("link" if url else "circle-info")
    return {"placeholder": words.escaped(text), "url": url or None, "fontawesome_icon": icon}


def _one_or_many(found: list[str]) -> Any:
    return found[0] if len(found) == 1 else found
