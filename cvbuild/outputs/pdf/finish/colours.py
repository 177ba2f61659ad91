"""The colours of a finished PDF: sRGB, as PDF/A wants it said."""

from __future__ import annotations

import base64
import zlib

import pikepdf
from pikepdf import Array, Dictionary, Name, String

#: An ICC profile of version 4.2, made by littleCMS, with a fixed date and without an id.
_SRGB = (
    "eNqVkb1Lw1AUxU9bRdFKBx1EHDJUcWhBFMRR69ClSKkVrLokr2krJGlIUqS4Ci4OBQfRxa/B/0BXwVVBEBRBxNHZ"
    "r0VKPGkKLaKD9/Fyf5y8c3k5AYIpTeh2hwTohmNlkglpKbcsdb0gwNUoWdjmbDqdwp/1eeefvY17s/C/6s2rtgAC"
    "3eQpYVoOeYacWndMj7fJA6Ik58mH5JjFC5KvPF3x+dnjos/vHlvZzBwQ9GZKxTZW2liULJ08Ro7qWkU07+N9SVg1"
    "FhfYh7iHYSODJBKQoKCCNWhwEGc3mNnvvvGGbx5legSfJqqw6CiiRG+MaoVTVfYCdZVLQ9XL/WeedmFywp8eTgCd"
    "T677NgJ07QD1mut+Hblu/RgIPQIXRstfZk7TH9RrLS16AEQ2gbPLlqbsAudbwOCDKVtyQwpxBwsF4PUU6MsB/TdA"
    "z4qfVfM9Tu6B7AZ/0TWwtw+M8nxk9RvxVmeO"
)


def add(document: pikepdf.Pdf) -> None:
    """Add the output intent."""
    profile = pikepdf.Stream(document, zlib.decompress(base64.b64decode(_SRGB)))
    profile.N = 3
    intent = Dictionary(
        Type=Name.OutputIntent,
        S=Name.GTS_PDFA1,
        OutputConditionIdentifier=String("sRGB IEC61966-2.1"),
        Info=String("sRGB IEC61966-2.1"),
        DestOutputProfile=document.make_indirect(profile),
    )
    document.Root.OutputIntents = Array([document.make_indirect(intent)])
