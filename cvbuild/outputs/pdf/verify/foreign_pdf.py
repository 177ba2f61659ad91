"""Read a PDF that somebody else made: in a process of its own, with limits of time and memory."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cvbuild.common import limits, separate
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.errors import DocumentError
from cvbuild.outputs.pdf.verify import pdf_facts
from cvbuild.outputs.pdf.verify.pdf_facts import Facts

_HINT = "is it a whole PDF, and the right one? print it to a new PDF"


def read(path: Path, seconds: float = limits.SECONDS) -> Facts:
    """Read a PDF; raises DocumentError if it can't be read within the limits, or isn't one."""
    try:
        answer = separate.call(__name__, "child", path, seconds)
    except separate.FailedError as error:
        raise DocumentError.because("pdf", f"{path} {error}", _HINT) from None
    if "faults" in answer:
        raise DocumentError(Diagnostic.from_json(item) for item in answer["faults"])
    return msgspec.convert(answer, Facts)


def child(path: str, result: str) -> None:
    """Read the PDF in this process, and write what was found, or the errors."""
    try:
        facts = pdf_facts.read(Path(path))
        # Where each character stands isn't compared, and would be most of the result.
        pages = tuple(replace(page, characters="", boxes=((), (), (), ())) for page in facts.pages)
        answer = msgspec.to_builtins(replace(facts, pages=pages))
    except DocumentError as error:
        answer = {"faults": [item.as_json() for item in error.diagnostics]}
    Path(result).write_text(json.dumps(answer), encoding="ascii")
