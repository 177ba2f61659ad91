"""Texts for a reader: clean characters, one line, in one language or several."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Annotated, Any, Generic, Self, TypeVar
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from msgspec import Struct
from pydantic import AfterValidator, BeforeValidator, WithJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from cvbuild.common.diagnostics import quoted, refused
from cvbuild.model.text import language_tags

_OPENING_BIDI = {"\u202a": "\u202c", "\u202b": "\u202c", "\u202d": "\u202c", "\u202e": "\u202c"}
_OPENING_BIDI |= {"\u2066": "\u2069", "\u2067": "\u2069", "\u2068": "\u2069"}

#: Characters with a glyph that shows nothing, so that they are hard to find: fillers, the blank of
#: Braille, deprecated controls; and the replacement character, which stands for a lost letter.
_HOLLOW = frozenset("\u115f\u1160\u180e\u2800\u3164\uffa0\ufffd") | frozenset(
    map(chr, range(0x206A, 0x2070))
)
#: Categories of characters that show nothing: white space, joiners, directional marks.
_NOTHING = ("Zs", "Zl", "Zp", "Cc", "Cf")
#: Ligatures that are copied from a PDF, and their letters.
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
#: Characters of one text; a page has room for 5,000. TeX can't set a paragraph of more than about
#: 250,000, and Markdown's parser takes four times as long for twice the text.
MAX_LENGTH = 20_000

V = TypeVar("V")


def scalar() -> dict[str, Any]:
    """Return a text in JSON Schema: a YAML number or flag is allowed, and stays a text."""
    return {"type": ["string", "number", "boolean"]}


def by_language(least: int = 1) -> dict[str, Any]:
    """Return a mapping of at least so many languages to texts in JSON Schema."""
    return {
        "type": "object",
        "minProperties": least,
        "propertyNames": {"pattern": language_tags.PATTERN},
        "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
    }


def clean(text: str) -> str:
    """Return the text in NFC, with Latin ligatures as their letters.

    Refuses more than MAX_LENGTH characters, control characters, lone surrogates, invisible
    characters, and unbalanced bidi marks.
    """
    if len(text) > MAX_LENGTH:
        context = {"count": f"{len(text):,}", "most": f"{MAX_LENGTH:,}"}
        fact = "this text has {count} characters, and {most} are the most"
        hint = "is it the right text? make several paragraphs or items of it"
        raise refused("text_long", fact, hint, **context)
    awaited: list[str] = []
    for character in text:
        control = unicodedata.category(character) in ("Cc", "Cs") and character not in "\t\n\r"
        if control or character in _HOLLOW:
            fact, code = "U+{code} can't be printed", f"{ord(character):04X}"
            raise refused("text_control", fact, "delete the character", code=code)
        if character in _OPENING_BIDI:
            awaited.append(_OPENING_BIDI[character])
        elif character in "\u202c\u2069" and (not awaited or awaited.pop() != character):
            awaited.append(character)
            break
    if awaited:
        hint = "end each embedding, override or isolate where it began"
        raise refused("text_bidi", "the bidirectional controls are not balanced", hint)
    return unicodedata.normalize("NFC", text.translate(_LIGATURES))


def filled(text: str) -> str:
    """Return the text; raise PydanticCustomError if it shows nothing."""
    if all(unicodedata.category(character) in _NOTHING for character in text):
        raise PydanticCustomError("text_empty", "the text is empty")
    return text


def _one_line(value: str) -> str:
    return filled(re.sub(r"[ \t\r\n]+", " ", clean(value)).strip(" "))


def as_text(value: object) -> str:
    """Return a scalar of a file as text."""
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    raise PydanticCustomError("string_type", "a text is needed")


#: Shows a text field in JSON Schema as what editors read YAML scalars as.
_SCALAR = WithJsonSchema(scalar())
#: One line of plain text: a name, an identifier. White space is folded, NFC.
Line = Annotated[str, BeforeValidator(as_text), AfterValidator(_one_line), _SCALAR]


def requires(kind: str, test: Callable[[Any], object], fact: str, hint: str) -> AfterValidator:
    """Return the check that a value passes a test: of a match the first group is kept, if any."""

    def check(value: Any) -> Any:
        passed = test(value)
        if not passed:
            context = {"value": value} if "{value}" in fact else {}
            raise refused(kind, fact, hint, **context)
        return passed[1] if isinstance(passed, re.Match) and passed.re.groups else value

    check.__name__ = f"_{kind}"  # docs/reference/schema.md tells by it what a field takes
    return AfterValidator(check)


def _block(value: str) -> str:
    return filled("\n".join(line.rstrip() for line in clean(value).splitlines()).strip("\n"))


#: Lines of plain text, as they were broken.
Lines = Annotated[str, BeforeValidator(as_text), AfterValidator(_block), _SCALAR]


class InLanguages(Struct, Generic[V], frozen=True, eq=False):
    """Reads a text, or texts by language, which ``join`` makes one; errors name the language."""

    make: Callable[[str], V]
    join: Callable[[dict[str, V]], V]
    words: Mapping[str, str] = MappingProxyType({})
    """What JSON Schema says of it besides."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        def read(value: object, handler: Callable[[object], dict[str, V]]) -> V:
            if isinstance(value, dict):
                return self.join(handler(language_tags.texts(value)))
            return self.make(as_text(value))

        text = core_schema.no_info_plain_validator_function(lambda value: self.make(as_text(value)))
        key = core_schema.no_info_after_validator_function(
            language_tags.checked_key, core_schema.str_schema()
        )
        return core_schema.no_info_wrap_validator_function(
            read, core_schema.dict_schema(keys_schema=key, values_schema=text)
        )

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        return {**self.words, "anyOf": [scalar(), by_language()]}


class Wording(str):
    """A line of text that was written in several languages, or in another than the document's.

    ``translations`` holds all, by tag; the text itself is the first. ``language`` is its tag if it
    is not in the document's language.
    """

    __slots__ = ("language", "translations")
    language: str | None
    translations: tuple[tuple[str, str], ...]

    def __new__(
        cls, text: str, translations: tuple[tuple[str, str], ...] = (), language: str | None = None
    ) -> Self:
        """Make the text and attach its translations."""
        line = super().__new__(cls, text)
        line.translations = translations
        line.language = language
        return line

    @classmethod
    def among(cls, texts: Mapping[str, str]) -> str:
        """Return the lines by language, as one value."""
        return cls(next(iter(texts.values())), tuple(texts.items()))


def wording(value: object) -> str:
    """Return one line, or a mapping from languages to lines; raise PydanticCustomError."""
    if not isinstance(value, dict):
        return _one_line(as_text(value))
    texts = language_tags.texts(value)
    return Wording.among(
        {language_tags.checked_key(key): _one_line(as_text(text)) for key, text in texts.items()}
    )


#: One line of plain text for a reader: a label, a name; see Wording.
Words = Annotated[str, InLanguages(_one_line, Wording.among)]


#: What to do about a value that is no address.
ADDRESS_HINT = "write an address such as https://example.org/page"


def _url(value: str) -> str:
    try:
        return normal_url(clean(value))
    except UrlError as error:
        raise refused("url", "{why}", ADDRESS_HINT, why=str(error)) from None


#: An absolute URL in ASCII; http, https, mailto or tel.
Url = Annotated[Line, AfterValidator(_url)]


# -- web addresses: which ones a document may have, and how a PDF has them -------------------------

URL_SCHEMES = ("http", "https", "mailto", "tel")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_ADDRESS = re.compile(r"[^\s@/:]+@([^\s@/:]+)")
#: A part of a host's name, and characters after it, that aren't ASCII.
_ENCODED_NAME = re.compile(r"(?<![^.@])xn--[a-z0-9-]+")
_ENCODED = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")
_LEFT = ("L", "NSM", "EN")
#: RFC 3986: unreserved, gen-delims and sub-delims, and % for what is already encoded.
_UNENCODED = "-._~:/?#[]@!$&'()*+,;=%"


class UrlError(ValueError):
    """A text that can't be a link; ``args[0]`` says why, for a reader."""


def normal_url(text: str) -> str:
    """Return the absolute URL for what a person wrote, in the ASCII that RFC 3986 allows.

    A value without a scheme becomes https, an e-mail address becomes mailto. Raises UrlError for
    any scheme but http, https, mailto and tel, and for an address without a host.
    """
    text = text.strip()
    if not text:
        raise UrlError("the address is empty")
    email = _ADDRESS.fullmatch(text)
    if email and "." in email[1][1:-1]:
        text = f"mailto:{text}"
    match = _SCHEME.match(text)
    scheme = match[1].lower() if match else ""
    if not match or (("." in scheme or scheme == "localhost") and match[2][:1].isdigit()):
        if text.startswith(("/", ".", "#", "?", "\\")):
            raise UrlError(f"{quoted(text)} names no site")
        scheme, text = "https", f"https://{text}"
    if scheme not in URL_SCHEMES:
        raise UrlError(f'a link can\'t be "{scheme}:", only http, https, mailto or tel')
    if scheme in ("mailto", "tel"):
        rest = text.split(":", 1)[1]
        if not rest.strip():
            raise UrlError(f"{quoted(text)} has no address")
        return f"{scheme}:{_encode(rest)}"
    return _web(scheme, text)


def _web(scheme: str, text: str) -> str:
    try:
        parts = urlsplit(text)
        port = f":{parts.port}" if parts.port else ""
        host = (parts.hostname or "").encode("idna").decode("ascii")
    except (ValueError, UnicodeError):
        raise UrlError(f"{quoted(text)} is not a web address") from None
    if not host or not re.fullmatch(r"[a-z0-9._-]+|\[?[0-9a-f:.]+\]?", host):
        raise UrlError(f"{quoted(text)} names no site")
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


def short_url(url: str) -> str:
    """Return the address that is printed for a link, in letters that run from left to right."""
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


def url_beside(words: str, url: str) -> str:
    """Return the address that is printed after the words of a link; empty if they show it."""
    short = short_url(url)
    return "" if words.removesuffix("/") in (url.removesuffix("/"), short) else short
