"""A PDF's date and id, made from nothing but its content and its date."""

from __future__ import annotations

import datetime as dt
import hashlib


def ident(key: str, epoch: int) -> str:
    """Return 64 hexadecimal digits for a document with the hash ``key`` and the date ``epoch``."""
    return hashlib.sha256(f"{key} {epoch}".encode()).hexdigest()


def pdf_date(epoch: int) -> str:
    """Return ``epoch``, in seconds since 1970, as PDF writes it: D:20240101000000Z."""
    moment = dt.datetime.fromtimestamp(epoch, dt.UTC)
    return f"D:{moment:%Y%m%d%H%M%S}Z"
