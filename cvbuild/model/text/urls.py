"""Web addresses: which ones a document may have, and how they are written in a PDF."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote, unquote, urlsplit, urlunsplit

SCHEMES = ("http", "https", "mailto", "tel")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_EMAIL = re.compile(r"[^\s@/:]+@([^\s@/:]+)")
#: A part of a host's name, and characters after it, that aren't ASCII.
_ENCODED_NAME = re.compile(r"(?<![^.@])xn--[a-z0-9-]+")
_ENCODED = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
_LEFT = ("L", "NSM", "EN")
#: RFC 3986: unreserved, gen-delims and sub-delims, and % for what is already encoded.
_UNENCODED = "-._~:/?#[]@!$&'()*+,;=%"


class UrlError(ValueError):
    """A text that can't be a link; ``args[0]`` says why, for a reader."""


def normalise(text: str) -> str:
    """Return the absolute URL for what a person wrote, in the ASCII that RFC 3986 allows.

    A value without a scheme becomes https, an e-mail address becomes mailto. Raises UrlError for
    any scheme but http, https, mailto and tel, and for an address without a host.
    """
    text = text.strip()
    if not text:
        raise UrlError("the address is empty")
    email = _EMAIL.fullmatch(text)
    if email and "." in email[1][1:-1]:
        text = f"mailto:{text}"
    match = _SCHEME.match(text)
    scheme = match[1].lower() if match else ""
    if not match or (("." in scheme or scheme == "localhost") and match[2][:1].isdigit()):
        if text.startswith(("/", ".", "#", "?", "\\")):
            raise UrlError(f"{shown(text)} names no site")
        scheme, text = "https", f"https://{text}"
    if scheme not in SCHEMES:
        raise UrlError(f'a link can\'t be "{scheme}:", only http, https, mailto or tel')
    if scheme in ("mailto", "tel"):
        rest = text.split(":", 1)[1]
        if not rest.strip():
            raise UrlError(f"{shown(text)} has no address")
        return f"{scheme}:{_encode(rest)}"
    return _web(scheme, text)


def _web(scheme: str, text: str) -> str:
    try:
        parts = urlsplit(text)
        port = f":{parts.port}" if parts.port else ""
        host = (parts.hostname or "").encode("idna").decode("ascii")
    except (ValueError, UnicodeError):
        raise UrlError(f"{shown(text)} is not a web address") from None
    if not host or not re.fullmatch(r"[a-z0-9._-]+|\[?[0-9a-f:.]+\]?", host):
        raise UrlError(f"{shown(text)} names no site")
    if ":" in host:
        host = f"[{host}]"
    user = parts.netloc.rpartition("@")[0]
    netloc = (_encode(user) + "@" if user else "") + host + port
    # A fragment ends the address: RFC 3986 has no further # in it, and hyperref cuts there.
    fragment = _encode(parts.fragment).replace("#", "%23")
    return urlunsplit((scheme, netloc, _encode(parts.path), _encode(parts.query), fragment))


def _encode(text: str) -> str:
    """Percent-encode what RFC 3986 does not allow; a stray % becomes %25."""
    text = re.sub(r"%(?![0-9A-Fa-f]{2})", "%25", text)
    return quote(text, safe=_UNENCODED)


def shown(text: str) -> str:
    """Return the text in quotes, cut to a length that fits a message."""
    return f'"{text[:60]}…"' if len(text) > 60 else f'"{text}"'


def display(url: str) -> str:
    """Return the short address that is printed for a link: no scheme, www or trailing slash.

    Letters are printed as such, but those that run right to left.
    """
    text = re.sub(r"^(https?://(www\.)?|mailto:|tel:)", "", url)
    host, slash, rest = text.removesuffix("/").partition("/")
    address = f"{_ENCODED_NAME.sub(_decoded, host)}{slash}{rest}"
    return unicodedata.normalize("NFC", _ENCODED.sub(_decoded, address))


def _decoded(match: re.Match[str]) -> str:
    try:
        is_name = match[0].startswith("xn--")
        text = match[0].encode().decode("idna") if is_name else unquote(match[0], errors="strict")
    except UnicodeError:
        return match[0]
    is_clear = all(
        one == "-"
        or (unicodedata.category(one)[0] in "LMN" and unicodedata.bidirectional(one) in _LEFT)
        for one in text
    )
    return text if is_clear else match[0]


def beside(words: str, url: str) -> str:
    """Return the address that is printed after the words of a link; empty if they show it."""
    short = display(url)
    return "" if words.removesuffix("/") in (url.removesuffix("/"), short) else short
