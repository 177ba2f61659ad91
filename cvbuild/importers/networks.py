"""What other programs write of networks, as keys of ``contact.profiles``, countries, languages."""

from __future__ import annotations

import re
from functools import cache
from urllib.parse import parse_qs, unquote, urlsplit

from cvbuild.common.diagnostics import Span
from cvbuild.importers.draft import Draft
from cvbuild.model.contact import NETWORKS
from cvbuild.model.text import language_tags, lines, texts

#: What programs call networks besides their title and key, in letters and digits alone.
_NAMES = {
    "twitter": "x", "xtwitter": "x", "scholar": "google-scholar", "stackexchange": "stack-overflow",
    "orcidid": "orcid", "linkedinpersonal": "linkedin", "huggingface": "hugging-face",
    "researcherid": "web-of-science", "publons": "web-of-science", "scopusauthorid": "scopus",
    "bsky": "bluesky", "fediverse": "mastodon", "web": "personal",
}  # fmt: skip
_NAMES |= {
    re.sub(r"\W", "", word.lower()): key
    for key, network in NETWORKS.items()
    if key != "personal"
    for word in (key, network.title)
}
#: Earlier hosts of a network.
_HOSTS = {"twitter.com": "x.com", "mobile.twitter.com": "x.com", "telegram.me": "t.me"}
_LIKE_MASTODON = ("x.com", "twitter.com", "medium.com", "threads.net", "threads.com",
                  "youtube.com", "tiktok.com")  # fmt: skip
#: The beginning of an address, which some write in place of a user name.
_PAGE = re.compile(r"https?://|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/")
_MASTODON = re.compile(r"https?://(?:www\.)?([^/]+)/@([^/@]+)/?")


def key_of(network: str) -> str | None:
    """Return the key of a network by its name in any spelling: "Stack Overflow", StackOverflow."""
    return _NAMES.get(re.sub(r"[\W_]", "", network.lower()))


def account(network: str = "", username: str = "", url: str = "") -> tuple[str, str] | None:
    """Return key and value in ``contact.profiles``; the address may tell which network it is."""
    network, username, url = map(texts.line, (network, username, url))
    if not url and _PAGE.match(username):
        username, url = "", username
    key = key_of(network) if network else next((key for key in NETWORKS if _user(key, url)), None)
    if key is None:
        return None
    if key == "personal":
        return (key, url) if url else None
    user = (_user(key, url) or url) if url else username
    is_same = username.removeprefix("@").casefold() == user.removeprefix("@").casefold()
    return (key, username if is_same else user) if user else None


def put(
    draft: Draft, network: str = "", username: str = "", url: str = "", place: Span | None = None
) -> None:
    """Put an account into ``contact.profiles``, else links, without an address into other."""
    label = texts.line(network)
    address = texts.line(url) or (texts.line(username) if "://" in username else "")
    other = draft.data.get("contact", {}).get("other", {})
    if found := account(network, username, url):
        draft.put(f"contact.profiles.{found[0]}", [found[1]], place)
        name, shown = username.strip().removeprefix("@").casefold(), found[1].casefold()
        if name not in shown and not (_PAGE.match(name) and shown in name):
            draft.lose(f"user name on {network}", username, place)
    elif address:
        draft.put("contact.links", [{label or lines.short_url(address): address}])
        if username not in address:
            draft.lose(f"user name on {label}", username, place)
    elif label and username.strip() and label not in other:
        draft.data.setdefault("contact", {}).setdefault("other", {})[label] = texts.plain(username)
    else:
        draft.lose("account", f"{label} {username}".strip(), place)


def _user(key: str, url: str) -> str:
    """Return the user name of which the network's page is this address; else ""."""
    if key == "personal":
        return ""
    if key == "mastodon":
        # Any site may be one of Mastodon's, and others have addresses of that form, too.
        found = _MASTODON.fullmatch(url)
        is_other = found and found[1].removeprefix("www.") in _LIKE_MASTODON
        return f"@{found[2]}@{found[1]}" if found and not is_other else ""
    page, bare = _bare(NETWORKS[key].page.format("")), _bare(url)
    start, _, parameter = page.partition("?")
    if parameter:
        path, _, query = bare.partition("?")
        values = parse_qs(query).get(parameter.rstrip("="))
        return values[0] if values and path.rstrip("/") == start else ""
    if not bare.startswith(page.rstrip("@~")):
        return ""
    name = unquote(bare.removeprefix(page).rstrip("/"))
    is_page = "/" not in name.removeprefix("users/") or key in ("stack-overflow", "dblp")
    return name if is_page and not re.search(r"[?#\s]", name) else ""


def _bare(url: str) -> str:
    """Return an address without what makes no difference: scheme, www, an older host."""
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
    except ValueError:
        return url
    host = parts.netloc.lower().removeprefix("www.")
    host = _HOSTS.get(host, "scholar.google.com" if host.startswith("scholar.google.") else host)
    return f"{host}{parts.path}" + (f"?{parts.query}" if parts.query else "")


# -- codes -----------------------------------------------------------------------------------------


@cache
def country(code: str) -> str:
    """Return the English name of a country by its code of two or three letters, else the code."""
    key = code.strip().rpartition("/")[2].upper()
    key = {"EL": "GR"}.get(key, language_tags.cldr_data()["aliases"]["territory"].get(key, key))
    # Names of countries are in those of locales: Romanian (Romania).
    for locale, (name, _, _) in language_tags.cldr_data()["locales"].items():
        inside = name.partition(" (")[2].rpartition(")")[0]
        if inside and locale.rpartition("_")[2] == key:
            return str(inside.rpartition(", ")[2] or inside)
    return code.strip()


def language(code: str) -> str:
    """Return the English name of a language by its code, else what is given."""
    found = language_tags.locale(code.strip().rpartition("/")[2].lower())
    return found.name.partition(" (")[0] if found and found.name else code.strip()
