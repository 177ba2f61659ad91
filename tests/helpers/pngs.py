"""Pictures in PNG, made chunk by chunk."""

from __future__ import annotations

import struct
import zlib


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(
    size: tuple[int, int], depth: int = 8, colours: int = 2, *chunks: bytes, row: bytes = b""
) -> bytes:
    """A PNG of equal rows, by default black; further chunks stand before them.

    ``colours``: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA.
    """
    width, height = size
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colours]
    row = row or bytes(1 + (width * depth * channels + 7) // 8)
    packer = zlib.compressobj(1)
    step = max(1, 1_000_000 // len(row))
    tops = range(0, height, step)
    data = b"".join(packer.compress(row * min(step, height - top)) for top in tops)
    data += packer.flush()
    head = struct.pack(">IIBBBBB", width, height, depth, colours, 0, 0, 0)
    made = (chunk(b"IHDR", head), *chunks, chunk(b"IDAT", data), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(made)
