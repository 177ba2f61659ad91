"""Read a page back: the texts that a reader meets in it, in their order."""

from __future__ import annotations

from html.parser import HTMLParser

#: Elements whose content is no text for readers.
_SILENT = frozenset(("style", "script", "title"))
#: Attributes that readers meet: where a link leads to, what a picture shows.
_SPOKEN = ("href", "alt")
#: Elements of a line; others end one.
_INLINE = frozenset(
    ("a", "bdi", "code", "em", "span", "strong", "sub", "sup", "time")
)  # fmt: skip


def text_of(page: str) -> str:
    """Return all texts of a page, and the addresses of its links after their words."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return "".join(reader.found)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._silent = 0
        self._after: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in _SILENT
        if tag not in _INLINE:
            self.found.append("\n")
        spoken = " ".join(value for name, value in attrs if name in _SPOKEN and value)
        if tag == "a":
            self._after.append(spoken)
        elif spoken:
            self.found.append(spoken)

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in _SILENT
        if tag == "a" and self._after:
            self.found.append(f" ({self._after.pop()})")
        if tag not in _INLINE:
            self.found.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.found.append(data)
