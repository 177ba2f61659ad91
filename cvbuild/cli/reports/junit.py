"""JUnit's XML, which most build servers read: one test case per document or file."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from cvbuild.cli.reports.results import FAILED, Result, Results
from cvbuild.common.diagnostics import Diagnostic

#: What XML 1.0 can't have, in no way of writing it.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml(results: Results) -> bytes:
    """Return the report as UTF-8."""
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
        classname=_text(one.person),
        name=_text(one.name or "file"),
        time=f"{one.seconds:.3f}",
    )
    if one.state == FAILED:
        _fault(case, "failure", one.errors)
    rest = [item for item in one.diagnostics if item.severity != "error"]
    if rest:
        ET.SubElement(case, "system-out").text = _lines(rest)


def _fault(case: ET.Element, tag: str, errors: list[Diagnostic]) -> None:
    first = _text(str(errors[0])) if errors else "it failed"
    code = errors[0].code if errors else "unknown"
    ET.SubElement(case, tag, message=first, type=code).text = _lines(errors)


def _lines(items: tuple[Diagnostic, ...] | list[Diagnostic]) -> str:
    return "\n".join(_text(str(item)) for item in items)


def _text(text: str) -> str:
    """Return a text with nothing that XML can't have."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
