"""Read TeX's log: a pure function from text to messages.

The log must come from ``-file-line-error`` with long lines (``max_print_line``), as the drivers
run TeX. The comment above each pattern quotes the message of TeX that it matches. Everything that
TeX echoes of the document is data here: a text made to look like a message can at worst be shown.
"""

from __future__ import annotations

import re

from msgspec import Struct

from cvbuild.common.diagnostics import Diagnostic, Severity, Span
from cvbuild.outputs.pdf.tex.find import how_to_get


class LogMessage(Struct, frozen=True):
    """One message. ``tex_line`` counts in cv.tex, from 1, and is None for other files.

    ``file`` is the file TeX was reading when it is not cv.tex; ``amount`` how much too large an
    overfull box is, in pt.
    """

    severity: Severity
    code: str
    message: str
    tex_line: int | None = None
    hint: str | None = None
    file: str | None = None
    amount: float | None = None

    @property
    def fatal(self) -> bool:
        """Whether the document is not what it should be."""
        return self.severity == "error"

    def as_diagnostic(self, span: Span | None = None) -> Diagnostic:
        """Return the message, with its place if the caller knows one."""
        return Diagnostic(self.severity, self.code, self.message, span, self.hint)


#: Output written on cv.pdf (2 pages, 28408 bytes).
_PAGES = re.compile(r"^Output written on [^\n]*?\((\d+) pages?", re.MULTILINE)
#: No pages of output.
_NO_PAGES = re.compile(r"^No pages of output\.", re.MULTILINE)
#: ./cv.tex:3: Undefined control sequence.
_PLACED = re.compile(
    r"^(?P<file>[^\n:()]+\.(?:tex|sty|cls|def|cfg|clo|fd|ltx|aux|out|cvm|toc)):(?P<line>\d+): "
    r"(?P<text>.*)$"
)
#: ! File ended while scanning use of \textbf .   (and !pdfTeX error: ..., without a space)
#: I can't find the format file `pdflatex.fmt'!   (printed; there is no log then)
_BANG = re.compile(r"^(?:! ?|(?=I can't find the format))(?P<text>\S.*)$")
#: l.3 \foo bar
_L = re.compile(r"^l\.(?P<line>\d+)")
#: <recently read> \foo   (the last command of a line)
_LAST = re.compile(r"(\\(?:[A-Za-z@_:]+|.))\s*$")
#: ! LaTeX Error: File `nosuch.sty' not found.   and   ! I can't find file `x'.
_NO_FILE = re.compile(r"(?:File|I can't find file) [`'](?P<file>[^']+)'(?: not found)?")
#: Missing character: There is no ș (U+0219) in font ec-lmr10!
_NO_GLYPH = re.compile(
    r"^(?:! )?Missing character: There is no (?P<char>.+) in font (?P<font>.+?)[!.]?$"
)
#: Overfull \hbox (12.3pt too wide) in paragraph at lines 10--12
_OVERFULL = re.compile(
    r"^Overfull \\(?P<box>[hv])box \((?P<amount>[\d.]+)pt too \w+\)(?P<where>.*)$"
)
_LINES = re.compile(r"(?:at lines? |detected at line )(\d+)")
#: LaTeX Warning: Reference `x' on page 1 undefined on input line 2.
#: Package hyperref Warning: ...   LaTeX Font Warning: ...
_WARNING = re.compile(
    r"^(?P<who>LaTeX(?: Font)?|(?:Package|Class|Module) (?P<name>\S+)) Warning: (?P<text>.*)$"
)
_INPUT_LINE = re.compile(r"\s*on input line (\d+)\.?$")
#: LaTeX and packages break a message at \MessageBreak: "(hyperref)     second line".
_CONTINUED = re.compile(r"^(?:\([\w.-]+\)\s+|\s{10,})(?P<text>\S.*)$")
#: Messages that only say again that there was an error.
_ECHO = re.compile(r"^(?:Emergency stop\.|==> Fatal error occurred)")
_STOPPED = LogMessage("error", "tex-stopped", "TeX stopped without saying why")


def pages(log: str) -> int | None:
    """Return the page count, 0 for `No pages of output.`, None if the log says neither."""
    matches = _PAGES.findall(log)
    if matches:
        return int(matches[-1])
    return 0 if _NO_PAGES.search(log) else None


def parse(log: str) -> tuple[LogMessage, ...]:
    """Return all errors and warnings in the log's order, without duplicates."""
    lines = log.splitlines()
    messages = dict.fromkeys(message for at in range(len(lines)) if (message := _at(lines, at)))
    if any(message.fatal and message != _STOPPED for message in messages):
        messages.pop(_STOPPED, None)
    elif _STOPPED not in messages and pages(log) == 0:
        messages[LogMessage("error", "tex-empty", "the document has no pages")] = None
    return tuple(messages)


def _at(lines: list[str], index: int) -> LogMessage | None:
    line = lines[index]
    # nullfont is TeX's "no font at all": spaces inside drawings end there.
    if (match := _NO_GLYPH.match(line)) and match["font"] != "nullfont":
        message = f"the font {match['font']} has no character {match['char']}"
        return LogMessage("error", "missing-character", message, hint="use a font that has it")
    if match := _OVERFULL.match(line):
        amount, place = float(match["amount"]), _LINES.search(match["where"])
        wide, end = ("wide", "sticks out") if match["box"] == "h" else ("high", "runs over")
        message = f"text is {amount:g} pt too {wide} and {end}"
        code, number = f"overfull-{match['box']}box", int(place[1]) if place else None
        return LogMessage("warning", code, message, number, amount=amount)
    if match := _WARNING.match(line):
        text = _joined(match["text"], lines, index)
        place = _INPUT_LINE.search(text)
        text = _INPUT_LINE.sub("", text).rstrip(".")
        message = f"{match['name'] or match['who']}: {text}"
        return LogMessage("warning", "tex-warning", message, int(place[1]) if place else None)
    return _error(lines, index)


def _error(lines: list[str], index: int) -> LogMessage | None:
    match = _PLACED.match(lines[index]) or _BANG.match(lines[index])
    if match is None:
        return None
    text = _joined(match["text"].strip(), lines, index)
    if _ECHO.match(text):
        return _STOPPED
    # Where TeX stopped, for an error without a place.
    after = (_PLACED.match(line) or _L.match(line) for line in lines[index + 1 : index + 40])
    place = match if match.re is _PLACED else next(filter(None, after), None)
    number = int(place["line"]) if place else None
    file = place["file"] if place and place.re is _PLACED else ""
    code, message, hint = "tex-error", text.rstrip("."), None
    if text.startswith("Undefined control sequence"):
        # TeX broke the line after what it had read.
        read = _LAST.search("".join(lines[index + 1 : index + 2]))
        hint = "the template uses a command that no loaded package defines"
        message = f"undefined control sequence {read[1] if read else ''}".rstrip()
        code = "undefined-command"
    elif lost := _NO_FILE.search(text):
        of_tex = lost["file"].endswith(
            (".sty", ".cls", ".def", ".fd", ".ltx", ".otf", ".ttf", ".tfm")
        )
        hint = how_to_get((lost["file"],), {}) if of_tex else None
        code, message = "missing-file", f"the file {lost['file']} is missing"
    if file.removeprefix("./") in ("", "cv.tex"):
        return LogMessage("error", code, message, number, hint)
    return LogMessage("error", code, f"{message} ({file}:{number})", None, hint, f"{file}:{number}")


def _joined(text: str, lines: list[str], index: int) -> str:
    """Return a message with its continuation lines, up to the first line of something else."""
    parts = [text]
    for line in lines[index + 1 : index + 8]:
        match = _CONTINUED.match(line)
        if match is None:
            break
        parts.append(match["text"])
    return " ".join(parts)
