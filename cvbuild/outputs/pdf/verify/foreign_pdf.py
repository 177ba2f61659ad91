"""Read a PDF that somebody else made: in a process of its own, with limits of time and memory.

A few bytes of a PDF can unpack to gigabytes, and PDFium ends its process when memory runs out. The
child writes JSON, which can't act in this process.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from cvbuild.common import limits, processes
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import DocumentError
from cvbuild.common.files import safe_files
from cvbuild.outputs.pdf.verify import pdf_facts
from cvbuild.outputs.pdf.verify.pdf_facts import Box, Facts, Glyph, LinkAnnotation, Page
from cvbuild.outputs.pdf.verify.pdf_fonts import Font
from cvbuild.outputs.pdf.verify.text_lines import Boxes, Word

#: The largest result (bytes of JSON).
_MOST = 32 << 20
#: Address space (bytes) that reading may take.
_MEMORY = 512 << 20
_NOWHERE: Boxes = ((), (), (), ())
_HINT = "is it a whole PDF, and the right one? print it to a new PDF"


def read(path: Path, seconds: float = limits.SECONDS) -> Facts:
    """Read a PDF; raises DocumentError if it can't be read within the limits, or isn't one."""
    with tempfile.TemporaryDirectory(prefix="cvbuild-") as folder:
        result = Path(folder, "facts.json")
        places = json.dumps([str(Path(place).resolve()) for place in sys.path if place])
        command: list[str | Path] = [sys.executable, "-I", "-c", _CODE, places, path, result]
        try:
            done = processes.run(command, cwd=None, env=dict(os.environ), timeout=seconds)
        except processes.TimeLimitError:
            raise _refused(path, f"took over {seconds:g} s to read") from None
        try:
            found = json.loads(safe_files.read(result, _MOST))
        except (OSError, ValueError):
            fact = f"can't be read with {_MEMORY >> 20} MB of memory"
            if done.code == 0:
                fact = f"holds more than {_MOST >> 20} MB of text and attachments"
            raise _refused(path, fact) from None
    if "faults" in found:
        raise DocumentError(Diagnostic.from_json(item) for item in found["faults"])
    return _facts(found)


def _refused(path: Path, fact: str) -> DocumentError:
    return DocumentError([Diagnostic("error", "pdf", f"{path} {fact}", hint=_HINT)])


#: What the child runs; -I keeps the working folder out of its path, and it looks for modules where
#: this process does.
_CODE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    f"from {__name__} import child; child(*sys.argv[2:])"
)


def child(path: str, result: str) -> None:
    """Read the PDF in this process, and write what was found, or the errors."""
    with limits.memory(_MEMORY):
        try:
            facts = pdf_facts.read(Path(path))
            # Where each character stands isn't compared, and would be most of the result.
            pages = tuple(replace(page, characters="", boxes=_NOWHERE) for page in facts.pages)
            found: dict[str, Any] = asdict(replace(facts, pages=pages))
            found["attachments"] = [
                [name, data.decode("latin-1")] for name, data in found["attachments"]
            ]
        except DocumentError as error:
            found = {"faults": [item.as_json() for item in error.diagnostics]}
        Path(result).write_text(json.dumps(found), encoding="ascii")


def _facts(found: Mapping[str, Any]) -> Facts:
    """Return what a child found."""
    return Facts(
        pages=tuple(
            Page(
                Box(*page["box"]),
                page["text"],
                tuple(Glyph(character, Box(*box)) for character, box in page["glyphs"]),
                tuple(tuple(Word(*word) for word in line) for line in page["lines"]),
                tuple((Word(*one), Word(*other)) for one, other in page["overlaps"]),
            )
            for page in found["pages"]
        ),
        links=tuple(
            LinkAnnotation(link["page"], link["url"], Box(*link["box"])) for link in found["links"]
        ),
        fonts=tuple(Font(**font) for font in found["fonts"]),
        metadata=tuple((name, text) for name, text in found["metadata"]),
        attachments=tuple((name, data.encode("latin-1")) for name, data in found["attachments"]),
        active=tuple(found["active"]),
    )
