"""Phone numbers as people write them, and as RFC 3966 has them in a link."""

from __future__ import annotations

import re

from cvbuild.model import cldr

_FORM = re.compile(r"(?:\+|\()?[0-9][0-9 ().\-/\u00a0]{3,}(?:(?:x|ext\.?) ?[0-9]+)?", re.IGNORECASE)
_EXTENSION = re.compile(r"(?:x|ext\.?) ?([0-9]+)$", re.IGNORECASE)
#: The most digits of a number with its country: ITU-T E.164.
_MOST = 15


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


def prefix(country: str | None) -> str:
    """Return what numbers of a country begin with, as an example: +49; +1 for none."""
    import phonenumbers

    return f"+{phonenumbers.country_code_for_region(country or '') or 1}"


def link(text: str, country: str | None) -> str | None:
    """Return the target of a link: tel:+12025550123;ext=5; None for a number of no known country.

    That is one without its country which ``country`` doesn't have: it can be called only locally.
    """
    suffix = _EXTENSION.search(text)
    extension = f";ext={suffix[1]}" if suffix else ""
    number = text[: suffix.start()] if suffix else text
    if is_national(number):
        whole = _international(number, country)
        return f"tel:{whole}{extension}" if whole else None
    # +44 (0)20: the zero is for calls inside of the country.
    digits = re.sub(r"\D", "", number.replace("(0)", ""))
    return f"tel:+{digits}{extension}"


def is_valid(link: str) -> bool:
    """Return whether some country has the number of a link."""
    return bool(_international(link.removeprefix("tel:").partition(";")[0], None))


def _international(number: str, country: str | None) -> str:
    """Return the number as E.164 has it; empty if the country has no such number."""
    # Its tables take long to import, and most numbers have their country.
    import phonenumbers

    try:
        parsed = phonenumbers.parse(number, country)
    except phonenumbers.NumberParseException:
        return ""
    if not phonenumbers.is_valid_number(parsed):
        return ""
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)
