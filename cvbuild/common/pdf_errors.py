"""What pikepdf raises for files that it can't read."""

from __future__ import annotations

import zlib


def reading_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions that pikepdf raises for a damaged or malicious file."""
    import pikepdf

    return (
        pikepdf.PdfError,
        pikepdf.ForeignObjectError,
        pikepdf.DeletedObjectError,
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        OSError,
        RuntimeError,  # RecursionError and PDFium's error too
        TypeError,
        ValueError,
        zlib.error,
    )
