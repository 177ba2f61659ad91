"""Who the person is and how to reach them."""

import re
import tomllib
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Self

from msgspec import Struct
from pydantic import AfterValidator, Field, create_model, model_validator

from cvbuild.common.diagnostics import refused
from cvbuild.model.base import (
    FrozenMap,
    Line,
    Model,
    OneOrMany,
    Prose,
    Shorthand,
    Url,
    Wording,
    Words,
)
from cvbuild.model.locales.dates import Date
from cvbuild.model.sections import Link, Private
from cvbuild.model.text import lines
from cvbuild.model.text.lines import ADDRESS_HINT, requires

# -- networks that a profile can name, and the addresses of their pages ----------------------------


class Network(Struct, frozen=True):
    """A site with a page for each person; ``page`` has a place for the user name.

    ``about`` says what a person's file has of it; if empty, the user name.
    """

    title: str
    page: str
    about: str = ""

    def address(self, handle: str) -> str:
        """Return the URL of a person's page; ``handle`` may be that URL already."""
        if handle.startswith(("http://", "https://")):
            return lines.normal_url(handle)
        if self.title == "Mastodon":
            user, _, server = handle.removeprefix("@").partition("@")
            return lines.normal_url(f"https://{server or 'mastodon.social'}/@{user}")
        return lines.normal_url(self.page.format(handle.removeprefix("@")))

    def shown(self, handle: str, url: str) -> str:
        """Return what is printed: the network's identifier if it has one, or the short address."""
        if self.title == "ORCID":
            return handle.rpartition("/")[2]
        if self.title == "Mastodon" and handle.startswith("@"):
            return handle
        return lines.short_url(url)


_TABLE = tomllib.loads(Path(__file__).with_name("networks.toml").read_text(encoding="utf-8"))
NETWORKS = MappingProxyType({key: Network(*row) for key, row in _TABLE.items()})


# -- phone numbers as people write them, and as RFC 3966 has them in a link ------------------------

_PHONE = re.compile(
    r"(?:\+|\()?[0-9][0-9 ().\-/\u00a0]{3,}(?:(?:x|ext\.?) ?[0-9]+)?", re.IGNORECASE
)
_EXTENSION = re.compile(r"(?:x|ext\.?) ?([0-9]+)$", re.IGNORECASE)
#: The most digits of a number with its country: ITU-T E.164.
_MOST_DIGITS = 15


def is_phone_number(text: str) -> bool:
    """Return whether the text has the form of a phone number."""
    digits = re.sub(r"\D", "", _EXTENSION.sub("", text))
    return _PHONE.fullmatch(text) is not None and len(digits) <= _MOST_DIGITS


def phone_link(text: str) -> str | None:
    """Return a link, tel:+12025550123;ext=5; None without the country, as only locals call it."""
    if not text.startswith("+"):
        return None
    suffix = _EXTENSION.search(text)
    extension = f";ext={suffix[1]}" if suffix else ""
    # +44 (0)20: the zero is for calls inside of the country.
    number = (text[: suffix.start()] if suffix else text).replace("(0)", "")
    digits = re.sub(r"\D", "", number)
    return f"tel:+{digits}{extension}"


#: Names in ideographs or Hangul, the family name first: 甄伟. One in katakana is a foreign name.
_HAN = r"\u3005\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_FAMILY_FIRST = re.compile(rf"([{_HAN}]+) ([{_HAN}\u3040-\u30ff]+)")
_EMAIL = re.compile(r"[^\s@,;<>\"\\]+@[^\s@,;<>\"\\]+\.[^\s@,;<>.\"\\]{2,}")


_ORCID_HINT = "write the iD of your ORCID page, such as 0000-0002-1825-0097"


def _orcid(value: str) -> str:
    """Check the checksum: ISO 7064 mod 11-2, as https://support.orcid.org describes it."""
    digits = value.rpartition("/")[2].replace("-", "")
    total = 0
    fact = '"{value}" is not an ORCID iD'
    if not re.fullmatch(r"[0-9]{15}[0-9X]", digits):
        raise refused("orcid", fact, _ORCID_HINT, value=value)
    for digit in digits[:15]:
        total = (total + int(digit)) * 2
    if "0123456789X"[(12 - total % 11) % 11] != digits[15]:
        raise refused("orcid", f"{fact}: its last digit is wrong", _ORCID_HINT, value=value)
    return "-".join(digits[i : i + 4] for i in range(0, 16, 4))


def _account(network: Network, handle: str) -> str:
    """Check a user name on a network, or the address of a page there."""
    try:
        network.address(handle)
    except lines.UrlError as error:
        raise refused("url", "{why}", ADDRESS_HINT, why=str(error)) from None
    return handle


_fact, _hint = '"{value}" is not an e-mail address', "write an address such as name@example.org"
EmailAddress = Annotated[Line, requires("email", _EMAIL.fullmatch, _fact, _hint)]
_fact = '"{value}" is not a phone number'
_hint = "write digits, best with the country first, such as +1 202 555 0123"
_PhoneNumber = Annotated[Line, requires("phone", is_phone_number, _fact, _hint)]
_fact, _hint = "a date of birth is one date", "write a date such as 1990-05-17"
_is_one = requires("birth_date", lambda date: date.start and date == Date(date.start), _fact, _hint)
_BirthDate = Annotated[Date, _is_one]
#: A link of the head leads somewhere.
_fact = "this link has no address"
_hint = "write each link after its own dash: - Portfolio: https://example.org"
_Leading = Annotated[Link, requires("link_alone", lambda link: link.url, _fact, _hint)]


class OtherName(Model):
    """Another name that the CV shows, with its label."""

    label: Words
    """The kind of name: English name, name at birth."""
    name: Words
    """The name."""


class Name(Shorthand):
    """A name: one text, or its parts."""

    shorthand: ClassVar[str] = "full"
    by_language: ClassVar[bool] = True

    full: Words | None = None
    """The whole name as it is printed; given and family name when absent."""
    given: Words | None = None
    """Given names."""
    family: Words | None = None
    """Family name."""
    native: Line | None = None
    """The name in its own script, shown next to the Latin one."""
    short: Line | None = None
    """A short form used as an author: G. He."""
    author: OneOrMany[Line] = ()
    """Other spellings that find the person in author lists; they are not shown."""
    others: tuple[OtherName, ...] = ()
    """Other names that are shown: English name, nickname."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.full is None and (self.given is None or self.family is None):
            hint = "write a name as one text, or give it the keys given and family"
            raise refused("name_parts", "a name needs full, or given and family", hint)
        return self

    @property
    def display(self) -> str:
        """The name as it is printed: 甄伟 if it is written with ideographs."""
        if self.full:
            return self.full
        parts = _FAMILY_FIRST.fullmatch(f"{self.family} {self.given}")
        return "".join(parts.groups()) if parts else f"{self.given} {self.family}"

    @property
    def displays(self) -> tuple[str, ...]:
        """The name as it is printed, in each language that it is written in."""
        parts = {
            key: dict(part.translations)
            for key in ("full", "given", "family")
            if isinstance(part := getattr(self, key), Wording)
        }
        forms = [self.display] if not parts else []
        for tag in dict.fromkeys(tag for texts in parts.values() for tag in texts):
            update = {key: texts.get(tag, getattr(self, key)) for key, texts in parts.items()}
            forms.append(self.model_copy(update=update).display)
        return tuple(dict.fromkeys(forms))


class Email(Shorthand):
    """An e-mail address."""

    shorthand: ClassVar[str] = "address"

    address: EmailAddress
    """The address."""
    label: Words | None = None
    """What it is for: work, personal."""
    private: Private = False


class Phone(Shorthand):
    """A phone number."""

    shorthand: ClassVar[str] = "number"

    number: _PhoneNumber
    """The number as it is printed: +1 202 555 0123; without its country it has no link."""
    label: Words | None = None
    """What it is for: mobile, office."""
    private: Private = False


#: The fields of ``Profiles``: one for each network, with its words for the schema.
_FIELDS: dict[str, Any] = {}
for _key, _network in NETWORKS.items():
    _check = AfterValidator(_orcid if _key == "orcid" else partial(_account, _network))
    _type: Any = Url if _key == "personal" else Annotated[Line, _check]
    _field: Any = Field(
        default=(),
        alias=_key if "-" in _key else None,
        description=_network.about or f"User name on {_network.title}.",
    )
    _FIELDS[_key.replace("-", "_")] = (OneOrMany[_type], _field)
_Accounts: Any = create_model("_Accounts", __base__=Model, __module__=__name__, **_FIELDS)


class Profiles(_Accounts):  # type: ignore[misc]  # of a table
    """Accounts by network: a user name, or the whole address of the page."""


class Contact(Model):
    """How to reach the person."""

    email: OneOrMany[Email] = ()
    """E-mail addresses."""
    phone: OneOrMany[Phone] = ()
    """Phone numbers."""
    address: Prose | None = None
    """Postal address, or town and country, in one line."""
    birth_date: _BirthDate | None = Field(default=None, alias="birth-date")
    """When the person was born: 1990-05-17."""
    nationality: OneOrMany[Words] = ()
    """Citizenship."""
    other: FrozenMap[Line, Prose] = FrozenMap()
    """Anything else, by its label: {Work permit: EU}."""
    website: OneOrMany[Url] = ()
    """The person's own web pages."""
    # Validated, an empty one would have its schema built on import.
    profiles: Profiles = Profiles.model_construct()
    """Accounts by network."""
    links: OneOrMany[_Leading] = ()
    """Other pages, each with its label: {Portfolio: https://example.org}."""
