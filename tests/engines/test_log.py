"""Reading logs: real ones of every engine, and each message by itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from texlive import engine_of

from cvbuild.outputs.pdf import Job
from cvbuild.outputs.pdf.tex import Engine, Tex
from cvbuild.outputs.pdf.tex.log import LogMessage, parse

MakeJob = Callable[..., Job]

#: body, preamble, expected (code, line in cv.tex, part of the message); line 3 is the preamble.
ERRORS = {
    "undefined": (r"a \nosuch b", "", "undefined-command", 5, r"sequence \nosuch"),
    "in a macro": ("a\n\\outer{b}", r"\def\outer#1{x\inner#1}", "undefined-command", 6, r"\inner"),
    "no package": ("x", r"\usepackage{nosuch}", "missing-file", 4, "nosuch.sty is missing"),
    "no input": (r"\input{nosuch}", "", "missing-file", 5, "nosuch"),
    "package error": (
        "x",
        r"\PackageError{foo}{first line\MessageBreak second line}{h}",
        "tex-error",
        3,
        "Package foo Error: first line second line",
    ),
    "no font": (r"\font\x=nosuchfont \x a", "", "tex-error", 5, "nosuchfont not loadable"),
    "missing $": (r"a_b", "", "tex-error", 5, "Missing $ inserted"),
    "runaway": ("\\textbf{x\n\n", "", "tex-error", None, "File ended while scanning use of"),
    "capacity": (r"\def\x{\x\x}\x", "", "tex-error", 5, "capacity exceeded, sorry [input"),
    "no pages": ("", "", "tex-empty", None, "the document has no pages"),
    "write outside": (r"\newwrite\w\immediate\openout\w=/x ", "", "tex-error", 5, "can't write"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_of_every_engine(name: str, engine: Engine, job: MakeJob) -> None:
    body, preamble, code, line, said = ERRORS[name]
    done = Tex(job(body, preamble), engine).run()
    errors = [message for message in parse(done.log) if message.fatal]
    assert len(errors) == 1, errors
    assert said in errors[0].message
    assert errors[0].code == code
    if name != "no package":  # reported where TeX gave up looking for it, a line further on
        assert errors[0].tex_line == line
    assert errors[0].file is None
    assert done.pdf is None


def test_hints_name_packages(pdflatex: Engine, job: MakeJob) -> None:
    done = Tex(job("x", r"\usepackage{nosuch}"), pdflatex).run()
    (error,) = parse(done.log)
    assert error.hint is not None
    assert "tlmgr install nosuch" in error.hint


#: engine, body, preamble, expected code, line in cv.tex, message
OF_ONE_ENGINE = {
    "no such character": (
        "embedded", "a 漢 b", "",
        "tex-error", 5, r"LaTeX Error: Unicode character 漢 \(U\+6F22\)",
    ),
    "no outline": (
        "embedded", r"\thispagestyle{empty}\font\x=cmtt10 \x a", "",
        "tex-error", None, "pdfTeX error: .*cmtt10",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_ONE_ENGINE)
def test_errors_of_one_engine(name: str, job: MakeJob) -> None:
    kind, body, preamble, code, line, said = OF_ONE_ENGINE[name]
    messages = parse(Tex(job(body, preamble), engine_of(kind)).run().log)
    (error,) = [message for message in messages if message.fatal]
    assert (error.code, error.tex_line) == (code, line)
    assert re.match(said, error.message), error.message


def test_an_error_inside_a_style_has_no_line_of_the_document(engine: Engine, job: MakeJob) -> None:
    style = b"\\ProvidesPackage{bad}\n\n\\nosuch\n"
    done = Tex(job("x", r"\usepackage{bad}", assets=(("bad.sty", style),)), engine).run()
    (error,) = [message for message in parse(done.log) if message.fatal]
    assert (error.tex_line, error.file) == (None, "./bad.sty:3")
    assert error.message == r"undefined control sequence \nosuch (./bad.sty:3)"


def test_overfull_boxes_and_warnings(engine: Engine, job: MakeJob) -> None:
    body = (
        "\\noindent\\rule{9cm}{1pt}\\rule{9cm}{1pt}\n\n"
        "\\ref{nowhere}\\newpage\\vbox to 1pt{\\rule{1pt}{5pt}}"
    )
    messages = parse(Tex(job(body), engine).run().log)
    boxes = [message for message in messages if message.code.startswith("overfull")]
    assert next((box.code, box.tex_line) for box in boxes) == ("overfull-hbox", 5)
    assert boxes[0].amount is not None
    assert 100 < boxes[0].amount < 250
    assert boxes[-1].code == "overfull-vbox"
    warnings = [message for message in messages if message.code == "tex-warning"]
    assert next((w.message, w.tex_line) for w in warnings) == (
        "LaTeX: Reference `nowhere' on page 1 undefined",
        7,
    )
    assert not [message for message in messages if message.fatal]


def warning(code: str, message: str, line: int | None = None, amount: float | None = None) -> Any:
    return LogMessage("warning", code, message, line, amount=amount)


NO_GLYPH = 'the font ec-lmr10 has no character ^^c8 ("C8)'
LINES = [
    ("Missing character: There is no a in font nullfont!", None),
    (
        'Missing character: There is no ^^c8 ("C8) in font ec-lmr10!',
        LogMessage("error", "missing-character", NO_GLYPH, hint="use a font that has it"),
    ),
    (
        "Overfull \\hbox (12.5pt too wide) in paragraph at lines 10--12",
        warning("overfull-hbox", "text is 12.5 pt too wide and sticks out", 10, 12.5),
    ),
    (
        "Overfull \\vbox (3.0pt too high) has occurred while \\output is active",
        warning("overfull-vbox", "text is 3 pt too high and runs over", amount=3.0),
    ),
    (
        ("Package hyperref Warning: Token not allowed in a PDF string (Unicode):\n"
         "(hyperref)                removing `math shift' on input line 7."),
        warning("tex-warning", "hyperref: Token not allowed in a PDF string (Unicode): removing"
                " `math shift'", 7),
    ),
    (
        ("LaTeX Font Warning: Font shape `T1/x/m/n' undefined\n"
         "(Font)              using `T1/cmr/m/n' instead on input line 3."),
        warning("tex-warning", "LaTeX Font: Font shape `T1/x/m/n' undefined using `T1/cmr/m/n'"
                " instead", 3),
    ),
    (
        "LaTeX Warning: Label(s) may have changed. Rerun to get cross-references right.",
        warning("tex-warning", "LaTeX: Label(s) may have changed. Rerun to get cross-references"
                " right"),
    ),
    ("Underfull \\hbox (badness 10000) in paragraph at lines 1--2", None),
    ("LaTeX Font Info:    ... okay on input line 1.", None),
    ("a line: with 12: colons", None),
    ("! ", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), LINES)
def test_single_messages(text: str, expected: LogMessage | None) -> None:
    found = parse(f"(./cv.tex\n{text}\nOutput written on cv.pdf (1 page, 9 bytes).\n")
    assert found == ((expected,) if expected else ())


def test_old_style_errors_take_their_line_from_the_context() -> None:
    log = "! Undefined control sequence.\n<recently read> \\foo\n\nl.12 a \\foo\n         b\n"
    (error,) = parse(log)
    assert (error.code, error.tex_line) == ("undefined-command", 12)
    assert error.message == r"undefined control sequence \foo"


def test_stopping_is_told_only_if_nothing_else_is() -> None:
    stop = "./cv.tex:3: Emergency stop.\n./cv.tex:3:  ==> Fatal error occurred, no output\n"
    assert [message.code for message in parse(stop)] == ["tex-stopped"]
    more = parse("./cv.tex:2: Missing $ inserted.\nl.2 a_\n" + stop)
    assert [message.code for message in more] == ["tex-error"]


def test_no_format_file() -> None:
    (error,) = parse("I can't find the format file `pdflatex.fmt'!\n")
    assert (error.code, error.severity) == ("tex-error", "error")


@pytest.mark.parametrize("log", ["", "\n\n", "\ufffd\x00", "!" * 5000, "l.1\n" * 500])
def test_rubbish_is_no_message_and_no_crash(log: str) -> None:
    assert [message for message in parse(log) if message.code != "tex-error"] == []
