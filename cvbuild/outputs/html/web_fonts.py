"""The typeface of a page, inside of it: as many letters as the page needs, and not over 80 kB."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from cvbuild.outputs import face_subsets
from cvbuild.outputs.face_subsets import Form

#: What style sheets call it. Letters that it lacks come from the families after it.
FAMILY = "cv"
#: How long the faces may be in the page, in bytes.
MOST = 80_000
#: Letters that many pages need, so that they share faces.
_COMMON = "".join(map(chr, range(0x20, 0x7F))) + "\u00a0–—‘’“”•·…×"
_FEATURES = ("kern", "liga", "clig", "ccmp", "locl", "mark", "mkmk", "lnum", "tnum")
#: Features that style sheets ask for by these words.
_ASKED = {"small-caps": "smcp", "oldstyle-nums": "onum"}
#: Weight and style, and where they are among the files of a typeface; the first matter most.
_FACES = ((400, "normal", 0), (700, "normal", 2), (400, "italic", 1))


def rules(options: Mapping[str, Any], letters: str, css: str) -> Iterator[str]:
    """Yield the rules of style sheets that hold the faces of a document's typeface.

    None if its files are not on this machine; no more than ``MOST`` allows.
    """
    paths = face_subsets.typeface(options)
    wanted = {*_COMMON, *letters, *letters.upper()}
    asked = tuple(feature for word, feature in _ASKED.items() if word in css)
    room = MOST
    for weight, style, at in _FACES if paths else ():
        features = _FEATURES + asked if at == 0 else _FEATURES
        (face,) = face_subsets.faces([paths[at]], wanted, Form(features, is_web=True)) or (b"",)
        data = base64.b64encode(face).decode()
        room -= len(data)
        if not face or room < 0:
            return
        yield (
            f"@font-face {{ font-family: {FAMILY}; font-weight: {weight}; font-style: {style}; "
            f"src: url(data:font/woff;base64,{data}) }}"
        )
