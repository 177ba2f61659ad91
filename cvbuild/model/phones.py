"""Phone numbers as people write them, and as RFC 3966 has them in a link."""

from __future__ import annotations

import re
from typing import Self

from cvbuild.model import cldr

_FORM = re.compile(r"(?:\+|\()?[0-9][0-9 ().\-/\u00a0]{3,}(?:(?:x|ext\.?) ?[0-9]+)?", re.IGNORECASE)
_EXTENSION = re.compile(r"(?:x|ext\.?) ?([0-9]+)$", re.IGNORECASE)
#: The most digits of a number with its country: ITU-T E.164.
_MOST = 15


class PhoneError(ValueError):
    """A number that no country has, or not the one that it should be from; says so."""

    @classmethod
    def of(cls, country: str | None) -> Self:
        """Return the error for a number that was looked for in a country, if one is known."""
        if country is None:
            return cls("this phone number lacks its country")
        return cls(f"this number lacks its country, and is none of {country}")


def is_number(text: str) -> bool:
    """Return whether the text has the form of a phone number."""
    digits = re.sub(r"\D", "", _EXTENSION.sub("", text))
    return _FORM.fullmatch(text) is not None and len(digits) <= _MOST


def is_national(text: str) -> bool:
    """Return whether a number lacks its country."""
    return not text.startswith("+")


def country_of(locale: str) -> str | None:
    """Return the country of a language tag, by CLDR the likely one if it has none: de is DE."""
    region = next((part for part in locale.split("-")[1:] if re.fullmatch("[A-Za-z]{2}", part)), "")
    if region:
        return region.upper()
    likely = cldr.data()["likely"]
    whole: str = likely.get(locale.replace("-", "_")) or likely.get(locale.partition("-")[0], "")
    return whole.rpartition("_")[2] or None


def link(text: str, country: str | None) -> str:
    """Return the target of a link: tel:+12025550123;ext=5. Raise PhoneError for a wrong number."""
    found = _EXTENSION.search(text)
    extension = f";ext={found[1]}" if found else ""
    number = text[: found.start()] if found else text
    if is_national(number):
        return f"tel:{_international(number, country)}{extension}"
    # +44 (0)20: the zero is for calls inside of the country.
    digits = re.sub(r"\D", "", number.replace("(0)", ""))
    return f"tel:+{digits}{extension}"


def _international(number: str, country: str | None) -> str:
    # Its tables take long to import, and most numbers have their country.
    import phonenumbers

    try:
        parsed = phonenumbers.parse(number, country)
    except phonenumbers.NumberParseException:
        raise PhoneError.of(country) from None
    if not phonenumbers.is_valid_number(parsed):
        raise PhoneError.of(country)
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)
