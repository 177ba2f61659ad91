"""What a link's annotation says: its target, and a description for screen readers."""

from __future__ import annotations

from typing import Any

from pikepdf import String

from cvbuild.outputs.pdf.latex.unescape import unescape

#: The flags of an annotation that is printed, and nothing else.
_PRINTED = 4
#: What a target may have around the text that shows it.
_BEFORE = ("", "https://", "https://www.", "http://", "mailto:", "tel:")


def described(annotation: Any) -> str:
    """Write the target and description of a link; return the path of its element.

    The marks give target and text as they are in the .tex. A link that isn't cvbuild's keeps its
    target, and its path is empty; PDF/A wants it printed.
    """
    path, text = annotation.get("/CvbP"), annotation.get("/CvbT")
    action = annotation.get("/A")
    if path is None or text is None or action is None or "/URI" not in action:
        if "/Contents" not in annotation:
            annotation.Contents = String(str(action.get("/URI", "")) if action is not None else "")
        annotation.F = _PRINTED
        return ""
    target = unescape(bytes(action.URI).decode("utf-8", "replace"))
    shown = unescape(bytes(text).decode("utf-8", "replace"))
    action.URI = String(target)
    annotation.Contents = String(description(target, shown))
    del annotation["/CvbP"], annotation["/CvbT"]
    return str(path)


def description(target: str, text: str) -> str:
    """Return the text of a link, with its target unless the text is that."""
    bare = text.replace(" ", "")
    if any(target in (f"{before}{bare}", f"{before}{bare}/") for before in _BEFORE):
        return text
    return f"{text} ({target})" if text else target
