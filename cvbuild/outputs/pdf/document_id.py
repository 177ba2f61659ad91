"""What a PDF says about when and what it is, made from nothing but its content and its date."""

from __future__ import annotations

import datetime as dt
import hashlib


def ident(key: str, epoch: int) -> str:
    """64 hexadecimal digits for a document with the content ``key`` that is dated ``epoch``."""
    return hashlib.sha256(f"{key} {epoch}".encode()).hexdigest()


def pdf_date(epoch: int) -> str:
    """``epoch``, in seconds since 1970, as PDF writes it: D:20240101000000Z."""
    moment = dt.datetime.fromtimestamp(epoch, dt.UTC)
    return f"D:{moment:%Y%m%d%H%M%S}Z"
