"""Labels in texts: "Languages: Python", "English (fluent)"."""

from __future__ import annotations

import re

from cvbuild.importers.documents import dates
from cvbuild.importers.words import runs as styled
from cvbuild.importers.words.runs import Run

LEVEL = re.compile(
    r"(?i)(?:very |sehr )?(?:basic|advanced|expert|intermediate|beginner|fluent|native|good"
    r"|excellent|proficient|professional|competent|[abc][12]|gut|grundkenntnisse|fortgeschritten|experte"
    r"|notions|avanc[ée]|courant|b[áa]sico|avanzado|\d(?:[./]\d)?|\d+ years?)(?: .{1,20})?"
)


def level(text: str) -> tuple[str, str]:
    """Return a name and a level: "English (fluent)", "German - native"."""
    found = re.fullmatch(r"([^()\[\]:]{2,40}?)\s*(?:\(([^()]+)\)|\s[–—-]+\s(.+))", text)
    return (found[1].strip(), (found[2] or found[3]).strip()) if found else ("", text)


def label(line: list[Run]) -> tuple[str, str] | None:
    """Return label and text of a line such as **Languages:** Python; None for another line."""
    shown = [run for run in line if run.text.strip()]
    if not shown:
        return None
    first, rest = shown[0], line[line.index(shown[0]) + 1 :]
    text = styled.markdown(styled.flat(rest)) if len(shown) > 1 else ""
    words = first.text.strip()
    if "strong" in first.styles and text and (words.endswith(":") or text.startswith(":")):
        return words.rstrip(": "), text.lstrip(": ").strip()
    if text and first.text.endswith("\t") and not dates.ends_in(text)[1]:
        return words.rstrip(": "), text
    if not first.styles and not first.url:
        whole = styled.markdown(styled.flat(line))
        found = re.fullmatch(r"([^:.,*<>\[\]]{2,40}):\s+(.+)", whole)
        return (found[1].strip(), found[2]) if found else None
    return None


def keyed(text: str) -> tuple[str, str] | None:
    """Return label and text of ``**Languages:** Python, C++``; None for another text."""
    found = re.fullmatch(r"\*\*(.{1,60}?):?\*\*(?:\s*[:–—]\s*|\s+)(.+)", text) or re.fullmatch(
        r"([^:.*\[\]]{1,40}):\s+(.+)", text
    )
    return (found[1].strip(), found[2].strip()) if found else None
