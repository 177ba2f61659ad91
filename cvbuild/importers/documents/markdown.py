"""CVs in Markdown: ``# Name``, ``## Section``, ``### Entry | Employer | Dates``, points.

Of org, HTML, Typst and other formats of documents pandoc makes Markdown.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath

from cvbuild.common import diagnostics, limits, processes
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, Span, quoted
from cvbuild.common.files import safe_files
from cvbuild.importers import headings, networks, parsers
from cvbuild.importers.descriptions import blocks
from cvbuild.importers.documents import people, rough
from cvbuild.importers.draft import Draft
from cvbuild.importers.outline import Block
from cvbuild.importers.types import Given, Imported, Lost
from cvbuild.importers.values import Value, lose_unread
from cvbuild.model.text import texts

#: Characters of a CV in Markdown, and of what is before its first heading.
LARGEST = 1 << 17
#: Characters without an empty line between them: what parses Markdown is slow on longer ones.
_LONGEST = 20_000
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+\S|^[^\s#>|`-][^\n]*\n(?:=|-){3,}[ \t]*$", re.MULTILINE)
_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
#: Pandoc's: title, authors and date.
_TITLE_BLOCK = re.compile(r"\A(?:%[ \t]*\S[^\n]*\n){1,3}(?=\s*\n)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
#: Pandoc's divisions, one with a date of what is in it.
_DATED_DIV = re.compile(
    r'^:{3,}[ \t]*\{[^}\n]*\bdate="([^"\n]+)"[^}\n]*\}[ \t]*\n(.*)$', re.MULTILINE
)
_DIV = re.compile(r"^:{3,}[^\n]*$", re.MULTILINE)
#: Endings of what is no Markdown, though it may look like it.
_OTHER = (".org", ".rst", ".typ", ".html", ".htm", ".yaml", ".yml", ".toml", ".json", ".adoc")
#: Endings of what is Markdown whatever is in it, but for a whole page of HTML.
_PAGE = (".md", ".markdown", ".qmd", ".rmd")
_WEB = re.compile(r"(?i)\s*<(?:!doctype|html|\?xml)\b")
_ALIAS = {
    "author": "name", "name": "name", "headline": "headline", "subtitle": "headline",
    "position": "headline", "tagline": "headline", "email": "contact.email",
    "mail": "contact.email", "phone": "contact.phone", "mobile": "contact.phone",
    "address": "contact.address", "location": "contact.address", "website": "contact.website",
    "homepage": "contact.website", "url": "contact.website", "web": "contact.website",
    "summary": "summary", "description": "summary", "lang": "locale", "language": "locale",
    "locale": "locale",
}  # fmt: skip
#: What places a page on a site.
_OF_SITE = frozenset(
    ("layout", "permalink", "author-profile", "redirect-from", "collection", "published", "nav",
     "nav-order", "toc", "date", "classes", "header", "comments", "share", "excerpt", "output",
     "geometry", "fontsize", "papersize", "documentclass", "mainfont", "css", "template", "theme",
     "header-includes", "linkcolor", "urlcolor", "fontfamily", "margin-left", "margin-right")
)  # fmt: skip
_LISTS = ("contact.email", "contact.phone", "contact.website", "summary")


#: Commands of a site's own program, and those of LaTeX that pandoc passes on.
_CODE = re.compile(
    r"\{%[^%\n]{0,300}%\}|\{\{[^{}\n]{0,300}\}\}|\{:[^{}\n]{0,300}\}"
    r"|\\(?:[vh]space\*?\{[^{}\n]{0,30}\}|(?:[vh]fill|(?:new|clear|no)?pagebreak|newpage|clearpage"
    r"|noindent|maketitle|centering|flushleft|flushright)(?![A-Za-z]))|^#{7,}[ \t]*$"
)
#: Numbers of headings.
_NUMBERED = re.compile(r"^(#{1,6}[ \t]+)\d{1,2}\.[ \t]+(?=[^\d\s])", re.MULTILINE)
#: What pandoc calls the format of a file with that ending.
_READERS = {
    ".html": "html+raw_html", ".htm": "html+raw_html", ".odt": "odt", ".org": "org",
    ".rst": "rst", ".rtf": "rtf", ".textile": "textile", ".typ": "typst",
}  # fmt: skip
#: Markdown as its importer reads it, with what pandoc doesn't understand as raw pieces.
_MARKDOWN = (
    "markdown_strict-raw_html+pipe_tables+raw_attribute+yaml_metadata_block+definition_lists"
)
#: Bytes of the Markdown.
_MOST_BYTES = 1 << 20
_RAW = re.compile(
    r"^(`{3,})\{=\w+\}\n(.*?)^\1[ \t]*$|`([^`\n]*)`\{=\w+\}", re.DOTALL | re.MULTILINE
)
#: A table that Markdown has no form for.
_TABLE = re.compile(r"^\[TABLE\]$", re.MULTILINE)


class Format:
    """A CV in Markdown; what its texts mean is guessed."""

    def recognises(self, given: Given) -> bool:
        """Return whether a file is text with a heading in it, or has an ending of Markdown."""
        is_other = given.name.lower().endswith(_OTHER)
        if given.has_parts or b"\0" in given.head or is_other or given.head.startswith(b"#+"):
            return False
        head = _COMMENT.sub("", texts.decoded(given.head))
        begins = head.lstrip()[:1]
        is_text = begins not in ("", "{", "\\", "@") and "\\documentclass" not in head
        is_text &= begins != "%" or bool(_TITLE_BLOCK.match(head))
        is_page = given.name.lower().endswith(_PAGE) and begins != "" and not _WEB.match(head)
        return is_page or (is_text and begins != "<" and bool(_HEADING.search(head)))

    def read(self, given: Given) -> Imported:
        """Read the head, and a section for each heading."""
        text = texts.decoded(given.data)
        if len(text) > LARGEST:
            raise _error(given, f"more than {LARGEST >> 10} KiB of Markdown", "is it a CV?")
        at = 1
        for part in text.split("\n\n"):
            if len(part) > _LONGEST:
                message = f"more than {_LONGEST} characters without an empty line"
                raise _error(given, message, "part them by empty lines", at)
            at += part.count("\n") + 2
        draft = Draft(given.name, is_rough=True)
        if front := _FRONT.match(text):
            if front[1].strip():
                _front(draft, given, front[1])
            text = "\n" * front[0].count("\n") + text[front.end() :]
        if block := _TITLE_BLOCK.match(text):
            title = re.sub("(?m)^%[ \t]*", "", block[0])
            text = f"# {title}{text[block.end() :]}"
        text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
        # The date of a division is put beside what it is of.
        text = _DIV.sub("", _DATED_DIV.sub(r"\n\2, \1", text))
        lines = _NUMBERED.sub(r"\1", text).split("\n")
        for at, line in enumerate(lines):
            for command in _CODE.findall(line):
                whose = "a site" if command[0] == "{" else "LaTeX"
                place = Span(draft.file, at + 1, 1, at + 1, len(line) + 1)
                draft.lose(f"command of {whose}", command, place)
            rest = _CODE.sub("", line)
            # A line that has no words but for them is empty.
            lines[at] = rest if rest == line or re.search(r"\w", rest) else ""
        found = blocks("\n".join(lines))
        _title(draft, found)
        if not any(one.kind != "lost" for one in found) and not draft.data:
            raise _error(given, "there is no text in it", "is it the right file?")
        rough.fill(draft, found)
        return draft.done()


def _error(given: Given, message: str, hint: str, line: int = 1) -> CvbuildError:
    return CvbuildError.because("markdown", message, hint, Span(given.name, line, 1, line, 2))


def _front(draft: Draft, given: Given, text: str) -> None:
    """Put the front matter, which begins in the second line; what it says else is listed as lost.

    Raises CvbuildError for what isn't YAML.
    """
    try:
        root = parsers.parse_yaml(f"\n{text}".encode(), given.name)
    except CvbuildError as error:
        found = error.diagnostics[0]
        fact, line = (
            f"the front matter is not YAML: {found.message}",
            found.span and found.span.line,
        )
        raise _error(given, fact, found.hint or "", line or 1) from None
    root.step, root.is_read = "front matter", isinstance(root.data, dict)
    for key, value in root.data.items() if isinstance(root.data, dict) else ():
        word, place = key.lower().replace("_", "-"), value.place
        parts = value.data if isinstance(value.data, list) else [value]
        is_text = all(isinstance(one.data, str) for one in parts)
        path, is_titled = _ALIAS.get(word), False
        if word == "title" and isinstance(value.data, str):
            path = "headline" if root.get("author") or root.get("name") else "title"
            is_titled = people.is_document_title(value.data)
        if word in _OF_SITE or is_titled:
            value.read()
        elif path in _LISTS and is_text:
            put = texts.markdown if path == "summary" else str
            draft.put(path, [put(one.own_text()) for one in parts])
        elif path and is_text:
            put = texts.line if path in ("locale", "name") else texts.markdown
            draft.put(path, put(", ".join(map(Value.own_text, parts))), place)
        elif is_text and networks.key_of(word) and word not in ("web", "line", "personal"):
            for one in parts:
                networks.put(draft, word, one.own_text(), place=place)
    lose_unread(root, draft)


def _title(draft: Draft, found: Iterable[Block]) -> None:
    """Make the title of the front matter the name, unless the text begins with a name."""
    title = draft.data.pop("title", "")
    first = next((one for one in found if one.kind != "lost"), None)
    own = first.plain if first and first.kind == "heading" and first.level == 1 else ""
    if own and not headings.is_title(own) and len(own.split()) <= 5:
        rest = people.name_in(title).replace(own, "", 1)
        is_told = re.search(r"\w", rest) and not people.is_document_title(rest)
        draft.lose("front matter, title", title if is_told else "", Span(draft.file, 1, 1, 2, 1))
    else:
        draft.put("name", people.name_in(title))


class ByPandoc:
    """A document that pandoc reads; what its texts mean is guessed."""

    def recognises(self, given: Given) -> bool:
        """Return whether a file is text with an ending of such a format, or an OpenDocument."""
        is_text = not given.has_parts and b"\0" not in given.head
        return _ending(given) == ".odt" or (is_text and _ending(given) in _READERS)

    def read(self, given: Given) -> Imported:
        """Read what pandoc makes of it; raw pieces and such tables are listed as lost.

        Raises UsageError without the extra, CvbuildError for what pandoc can't read.
        """
        place = Span(given.name)
        text = _converted(given)
        lost = [
            f"piece of another format: {quoted(' '.join((found[2] or found[3]).split()))}"
            for found in _RAW.finditer(text)
        ]
        text = _RAW.sub("", text)
        lost += ["table with paragraphs in cells" for _ in _TABLE.findall(text)]
        # Strong signs are no text's marks, and a bar is a sign in tables alone.
        text = re.sub(r"\*\*([^\w*\n]{1,3})\*\*", r"\1", _TABLE.sub("", text))
        lines = text.split("\n")
        text = "\n".join(one if one[:1] == "|" else one.replace("\\|", "|") for one in lines)
        found = Format().read(Given(given.name, text.encode(), given.files))
        notes = [Diagnostic("note", "lost", f"not imported: {one}") for one in lost]
        # Lines of the Markdown are none of the file.
        told = [Lost(replace(note, span=place)) for note in notes]
        told += [replace(one, note=replace(one.note, span=place)) for one in found.lost]
        warnings = tuple(replace(one, span=place) for one in found.warnings)
        return replace(found, lost=tuple(told), warnings=warnings)


def _ending(given: Given) -> str:
    is_open = b"mimetypeapplication/vnd.oasis.opendocument.text" in given.head
    return ".odt" if is_open else PurePosixPath(given.name).suffix.lower()


def _converted(given: Given) -> str:
    """Return a file as Markdown: pandoc reads nothing else, and what it takes is limited."""
    try:
        import pypandoc

        pandoc = pypandoc.get_pandoc_path()
    except (ImportError, OSError) as error:
        lack = error if isinstance(error, ImportError) else ImportError(name="pypandoc-binary")
        raise diagnostics.missing("importing what pandoc reads", "pandoc", lack) from error
    if given.has_parts:
        given.files.read("content.xml")  # One that is too large is refused.
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
        return safe_files.read(target, _MOST_BYTES).decode()
