"""Small edits of a person's file, each different, that move no line of the document."""

from __future__ import annotations

from pathlib import Path

from tools.bench.times import NotMeasuredError


def code(number: int) -> str:
    """Return three digits for 0 to 999; those of neighbours differ in one place (a Gray code)."""
    hundreds, tens, units = number // 100, number // 10 % 10, number % 10
    if hundreds % 2:
        tens = 9 - tens
    if number // 10 % 2:
        units = 9 - units
    return f"{hundreds}{tens}{units}"


class Edits:
    """Changes one digit of a file at a time.

    ``text`` occurs once in ``path`` and ends in three digits, which change.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.path, self._stem, self._number = path, text[:-3], 0
        self._before, found, self._after = path.read_text(encoding="utf-8").partition(text)
        if not found or not text[-3:].isdigit() or text in self._after:
            raise NotMeasuredError(f'"{text}" is not once in {path.name}')

    def prepare(self) -> tuple[str, bytes]:
        """Return the next edit: the text that the document then has, and the file's new bytes."""
        text = f"{self._stem}{code(self._number)}"
        self._number += 1
        return text, f"{self._before}{text}{self._after}".encode()

    def make(self) -> str:
        """Save the next edit; return the text that the document then has."""
        text, content = self.prepare()
        self.path.write_bytes(content)
        return text
