"""The forms of a report: JUnit's XML, a page, what GitHub Actions reads.

JUnit's XML, which most build servers read, has one test case per document or file. The page is one
file without scripts, which loads nothing; every text is escaped once, by Jinja. GitHub Actions
reads commands in what a program prints, one per line, escaped as GitHub's own library does it:
``::error file=a.yaml,line=3,col=1,title=ada::message``.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

from cvbuild.cli.reports import FAILED, Result, Results
from cvbuild.common.diagnostics import Diagnostic, shown

#: What XML 1.0 can't have, in no way of writing it.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TEMPLATE = "page.html.j2"
#: More different documents than these have no columns of their own.
_MOST_COLUMNS = 8
#: GitHub's words for how bad it is.
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
#: Bytes: GitHub takes no summary of more than 1 MiB.
_LONGEST_SUMMARY = 1_000_000


def junit(results: Results) -> bytes:
    """Return the report as JUnit's XML, in UTF-8."""
    failed, stopped = len(results.failed()), int(bool(results.stopped))
    name = f"cvbuild {results.command}"
    counts = {
        "tests": str(len(results.results) + stopped),
        "failures": str(failed),
        "errors": str(stopped),
        "time": f"{results.seconds:.3f}",
    }
    root = ET.Element("testsuites", {"name": "cvbuild", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": name, "skipped": "0", **counts})
    for one in results.results:
        _case(suite, one)
    if results.stopped:
        case = ET.SubElement(suite, "testcase", classname="cvbuild", name=name, time="0")
        _fault(case, "error", [*results.stopped])
    if results.others:
        ET.SubElement(suite, "system-out").text = _lines(results.others)
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _case(suite: ET.Element, one: Result) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        classname=_xml_text(one.person),
        name=_xml_text(one.name or "file"),
        time=f"{one.seconds:.3f}",
    )
    if one.state == FAILED:
        _fault(case, "failure", one.errors)
    rest = [item for item in one.diagnostics if item.severity != "error"]
    if rest:
        ET.SubElement(case, "system-out").text = _lines(rest)


def _fault(case: ET.Element, tag: str, errors: list[Diagnostic]) -> None:
    first = _xml_text(str(errors[0])) if errors else "it failed"
    code = errors[0].code if errors else "unknown"
    ET.SubElement(case, tag, message=first, type=code).text = _lines(errors)


def _lines(items: tuple[Diagnostic, ...] | list[Diagnostic]) -> str:
    return "\n".join(_xml_text(str(item)) for item in items)


def _xml_text(text: str) -> str:
    """Return a text with nothing that XML can't have."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


@dataclass(frozen=True, slots=True)
class _Note:
    """A note, shown once with all its places."""

    severity: str
    message: str
    hints: tuple[str, ...]
    places: tuple[str, ...]


def page(results: Results, folder: Path, day: str) -> str:
    """Return the page; ``folder`` is where it will be, ``day`` what it says of its date."""
    from cvbuild.outputs.html.page import environment

    failed = {one: f"e{number}" for number, one in enumerate(results.failed(), 1)}
    columns, rows = _table(results)
    return (
        environment(Path(__file__).parent)
        .get_template(_TEMPLATE)
        .render(
            results=results,
            columns=columns,
            rows=rows,
            failed=failed,
            links={one: _link(one.path, folder) for one in results.results if one.path},
            notes=_notes(results),
            day=day,
            FAILED=FAILED,
        )
    )


def _table(results: Results) -> tuple[list[str], Mapping[str, Any]]:
    """Return the names of columns, and for each person the results in each of them.

    Without columns, everything of a person is in one. A person whose file is wrong has one result
    in all columns.
    """
    names = sorted({one.name for one in results.results if one.name})
    columns = names if len(names) <= _MOST_COLUMNS else []
    rows: dict[str, Any] = {}
    for person, found in groupby(results.results, key=lambda one: one.person):
        own = [*found]
        if not own[0].name:
            rows[person] = own[0]
        elif columns:
            rows[person] = [[one for one in own if one.name == name] for name in columns]
        else:
            rows[person] = [own]
    return columns, rows


def _link(path: str, folder: Path) -> str:
    """Return the address of a document relative to the page."""
    try:
        return quote(os.fsencode(os.path.relpath(path, folder).replace(os.sep, "/")))
    except ValueError:  # on another disk of Windows
        return Path(path).absolute().as_uri()


def _notes(results: Results) -> list[_Note]:
    found: dict[tuple[str, str], list[Diagnostic]] = {}
    for _, item in results.diagnostics():
        if item.severity != "error":
            found.setdefault((item.severity, item.message), []).append(item)
    return [
        _Note(
            severity,
            message,
            tuple(dict.fromkeys(item.hint for item in items if item.hint)),
            tuple(dict.fromkeys(str(item.span) for item in items if item.span)),
        )
        for (severity, message), items in found.items()
    ]


def github_commands(results: Results, environment: Mapping[str, str]) -> Iterator[str]:
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


def github_summary(results: Results) -> str:
    """Return the summary as HTML in one block, in which Markdown is only text."""
    head = f"<h2>cvbuild {results.command}: {_html_text(results.words)}</h2>"
    lines = [head, *(f"<p>{_html_text(str(item))}</p>" for item in results.stopped)]
    rows = ["<table>", "<tr><th>Document</th><th>Result</th><th>Errors</th></tr>"]
    # What failed comes first: a long summary is cut.
    for one in sorted(results.results, key=lambda one: one.state != FAILED):
        errors = "<br>".join(_html_error(item) for item in one.errors)
        mark = "❌ " if one.state == FAILED else ""
        rows.append(
            f"<tr><td>{_html_text(results.title(one))}</td><td>{mark}{one.state}</td><td>{errors}</td></tr>"
        )
    size = sum(len(line.encode()) + 1 for line in lines) + 200
    for at, row in enumerate(rows):
        size += len(row.encode()) + 1
        if size > _LONGEST_SUMMARY:
            rows[at:] = [f"<tr><td>… and {len(rows) - at} more</td><td></td><td></td></tr>"]
            break
    return "\n".join([*lines, *rows, "</table>", "", ""])


def _html_error(item: Diagnostic) -> str:
    place = f"<code>{_html_text(str(item.span))}</code> " if item.span else ""
    hint = f"; {item.hint}" if item.hint else ""
    return place + _html_text(item.message + hint)


def _html_text(text: str) -> str:
    """Return a text in which there is neither HTML nor Markdown, nor a mention of somebody."""
    return html.escape(shown(text)).replace("@", "&#64;").replace("://", ":&#47;&#47;")
