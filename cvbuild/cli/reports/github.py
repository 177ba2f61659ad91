"""Annotations on the lines of a pull request, and the summary of a step, for GitHub Actions.

A program prints commands, one per line: ``::error file=a.yaml,line=3,col=1,title=ada::message``.
Values are escaped as GitHub's own library does it.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Mapping

from cvbuild.cli.reports.results import FAILED, Results
from cvbuild.common.diagnostics import Diagnostic
from cvbuild.common.positions import shown

#: GitHub's words for how bad it is.
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
#: Bytes: GitHub takes no summary of more than 1 MiB.
_MOST = 1_000_000


def commands(results: Results, environment: Mapping[str, str]) -> Iterator[str]:
    """Yield a command for each diagnostic; the environment says where the repository is."""
    for title, item in results.diagnostics():
        named = {"title": title or "cvbuild"}
        if item.span:
            place = {"file": _path(item.span.file, environment)}
            if item.span.line:
                place |= {"line": str(item.span.line), "col": str(item.span.column)}
            named = place | named
        values = ",".join(f"{name}={_property(value)}" for name, value in named.items())
        hint = f"; {item.hint}" if item.hint else ""
        yield f"::{_COMMANDS[item.severity]} {values}::{_data(item.message + hint)}"


def _data(text: str) -> str:
    """Escape a message."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Escape the value of a property."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _path(file: str, environment: Mapping[str, str]) -> str:
    """Return a file's path in the repository, which need not be the working folder."""
    top = environment.get("GITHUB_WORKSPACE")
    if not top:
        return file
    inside = os.path.relpath(os.path.realpath(file), os.path.realpath(top))
    return file if inside.startswith(os.pardir) else inside.replace(os.sep, "/")


def summary(results: Results) -> str:
    """Return the summary as HTML in one block, in which Markdown is only text."""
    head = f"<h2>cvbuild {results.command}: {_text(results.words)}</h2>"
    lines = [head, *(f"<p>{_text(str(item))}</p>" for item in results.stopped)]
    rows = ["<table>", "<tr><th>Document</th><th>Result</th><th>Errors</th></tr>"]
    # What failed comes first: a long summary is cut.
    for one in sorted(results.results, key=lambda one: one.state != FAILED):
        errors = "<br>".join(_error(item) for item in one.errors)
        mark = "❌ " if one.state == FAILED else ""
        rows.append(
            f"<tr><td>{_text(one.title)}</td><td>{mark}{one.state}</td><td>{errors}</td></tr>"
        )
    size = sum(len(line.encode()) + 1 for line in lines) + 200
    for at, row in enumerate(rows):
        size += len(row.encode()) + 1
        if size > _MOST:
            rows[at:] = [f"<tr><td>… and {len(rows) - at} more</td><td></td><td></td></tr>"]
            break
    return "\n".join([*lines, *rows, "</table>", "", ""])


def _error(item: Diagnostic) -> str:
    place = f"<code>{_text(str(item.span))}</code> " if item.span else ""
    hint = f"; {item.hint}" if item.hint else ""
    return place + _text(item.message + hint)


def _text(text: str) -> str:
    """Return a text in which there is neither HTML nor Markdown, nor a mention of somebody."""
    return html.escape(shown(text)).replace("@", "&#64;").replace("://", ":&#47;&#47;")
