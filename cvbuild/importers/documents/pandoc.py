"""CVs in org, HTML, Typst and other formats of documents: pandoc makes Markdown of them."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import replace
from pathlib import Path, PurePosixPath

from cvbuild.common import extras, limits, processes
from cvbuild.common.diagnostics import Diagnostic, Span, quoted
from cvbuild.common.errors import CvbuildError
from cvbuild.common.files import safe_files
from cvbuild.importers.documents import markdown
from cvbuild.importers.types import Given, Imported, Lost

#: What pandoc calls the format of a file with that ending.
_READERS = {
    ".html": "html+raw_html", ".htm": "html+raw_html", ".org": "org", ".rst": "rst",
    ".textile": "textile", ".typ": "typst",
}  # fmt: skip
#: Markdown as its importer reads it, with what pandoc doesn't understand as raw pieces.
_MARKDOWN = (
    "markdown_strict-raw_html+pipe_tables+raw_attribute+yaml_metadata_block+definition_lists"
)
#: Bytes of the Markdown.
_MOST = 1 << 20
_RAW = re.compile(
    r"^(`{3,})\{=\w+\}\n(.*?)^\1[ \t]*$|`([^`\n]*)`\{=\w+\}", re.DOTALL | re.MULTILINE
)
#: A table that Markdown has no form for.
_TABLE = re.compile(r"^\[TABLE\]$", re.MULTILINE)


class Format:
    """A document that pandoc reads; what its texts mean is guessed."""

    #: What it is by then.
    name = "markdown"
    title = "org, HTML or Typst"

    def recognises(self, given: Given) -> bool:
        """Return whether a file is text with an ending of such a format."""
        is_text = not given.has_parts and b"\0" not in given.head
        return is_text and _ending(given) in _READERS

    def read(self, given: Given) -> Imported:
        """Read what pandoc makes of it; raw pieces and such tables are listed as lost.

        Raises UsageError without the extra, CvbuildError for what pandoc can't read.
        """
        text = _converted(given)
        pieces = [found[2] or found[3] for found in _RAW.finditer(text)]
        lost = [_lost(given, "piece of another format", one) for one in pieces]
        text = _RAW.sub("", text)
        lost += [_lost(given, "table with paragraphs in cells", "") for _ in _TABLE.findall(text)]
        # A bar is a sign in tables alone.
        lines = _TABLE.sub("", text).split("\n")
        text = "\n".join(one if one[:1] == "|" else one.replace("\\|", "|") for one in lines)
        found = markdown.Format().read(Given(given.name, text.encode(), given.files))
        # Lines of the Markdown are none of the file.
        told = [replace(one, note=_at_file(one.note, given)) for one in found.lost]
        warnings = tuple(_at_file(one, given) for one in found.warnings)
        return replace(found, lost=(*lost, *told), warnings=warnings)


def _ending(given: Given) -> str:
    return PurePosixPath(given.name).suffix.lower()


def _converted(given: Given) -> str:
    """Return a file as Markdown: pandoc reads nothing else, and what it takes is limited."""
    try:
        import pypandoc

        pandoc = pypandoc.get_pandoc_path()
    except (ImportError, OSError) as error:
        lack = error if isinstance(error, ImportError) else ImportError(name="pypandoc-binary")
        raise extras.missing("importing org, HTML and Typst", "pandoc", lack) from error
    reader = _READERS[_ending(given)]
    with tempfile.TemporaryDirectory(prefix="cvbuild-") as folder:
        source, target = Path(folder, "source"), Path(folder, "target")
        source.write_bytes(given.data)
        options = ["--sandbox", "--standalone", "--wrap=none", "--from", reader, "--to", _MARKDOWN]
        command = [pandoc, *options, "--output", target, source]
        done = processes.run(command, cwd=None, env=dict(os.environ), timeout=limits.SECONDS)
        if done.code:
            said = (done.output.strip().splitlines() or ["it says nothing"])[0]
            message = f"pandoc can't read it as {reader.partition('+')[0]}: {quoted(said)}"
            raise CvbuildError.because("pandoc", message, "is it a CV?", Span(given.name))
        return safe_files.read(target, _MOST).decode()


def _lost(given: Given, what: str, text: str) -> Lost:
    told = f": {quoted(' '.join(text.split()))}" if text.strip() else ""
    return Lost(Diagnostic("note", "lost", f"not imported: {what}{told}", Span(given.name)))


def _at_file(note: Diagnostic, given: Given) -> Diagnostic:
    return replace(note, span=Span(given.name))
