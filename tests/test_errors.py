"""Everything that is raised on purpose, and how foreign exceptions become it."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run

import cvbuild
from cvbuild.common import errors
from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.common.errors import CvbuildError, DocumentError, ProfileError, TemplateError
from cvbuild.inputs import pictures
from cvbuild.inputs.yaml import source
from cvbuild.inputs.yaml.source import parse
from cvbuild.outputs.styles import templates

PACKAGE = Path(cvbuild.__file__).parent
TREE = {
    "ProfileError": 1,
    "TemplateError": 1,
    "PluginError": 1,
    "DocumentError": 1,
    "UsageError": 2,
    "NoTexError": 3,
}


def classes() -> dict[str, type[CvbuildError]]:
    """The public errors."""
    return {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, CvbuildError)
    }


def test_every_error_is_listed_with_its_exit_code() -> None:
    found = classes()
    assert found.pop("CvbuildError") is CvbuildError is cvbuild.CvbuildError
    assert {name: error.exit_code for name, error in found.items()} == TREE
    assert all(error.__base__ is CvbuildError for error in found.values())
    drawn = dict(re.findall(r"── (\w+) .*?\(exit code (\d)\)", errors.__doc__ or ""))
    assert {name: int(code) for name, code in drawn.items()} == TREE


def test_no_other_error_is_defined_but_children_of_these() -> None:
    defined = {
        node.name: [base.id if isinstance(base, ast.Name) else "?" for base in node.bases]
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error")
    }
    assert len(defined) >= 6
    known = {*TREE, "CvbuildError"}
    others = {name: bases for name, bases in defined.items() if name not in known}
    strangers = {name for name, bases in others.items() if not known & set(bases)}
    # Each is caught, and becomes a diagnostic with a place, in the package that raises it.
    of_one_package = {
        "TooLargeError", "FontError",
        "MissingGlyphError", "UnbalancedError", "EditError",
        "UnclosedError", "ConflictError", "_RefusedError", "_UnusableError",
    }  # fmt: skip
    # These where a field's place is known, or what a file is for.
    where_known = {
        "UrlError", "TitleError", "SiblingFileError",
        "NotRegularError", "OutsideError", "TimeUpError", "FailedError",
    }  # fmt: skip
    assert strangers == {*where_known, *of_one_package}


@pytest.mark.parametrize("name", ["CvbuildError", *TREE])
def test_an_error_carries_its_diagnostics_and_prints_them(name: str) -> None:
    kind = classes()[name]
    one = Diagnostic("error", "code", "a fact", Span("x.yaml", 2, 3), "a fix")
    error = kind([one, Diagnostic("error", "code", "another")])
    assert str(error) == "x.yaml:2:3: a fact; a fix\nanother"
    assert error.diagnostics[0] is one
    assert type(kind.because("c", "m")) is kind
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.diagnostics) == (str(error), error.diagnostics)


def test_a_failed_document_knows_its_log() -> None:
    error = DocumentError([Diagnostic("error", "tex", "no")], Path("cv.log"))
    assert error.log == pickle.loads(pickle.dumps(error)).log == Path("cv.log")


NAME = "name: Ada Example\n"


def _photo(name: str, data: bytes | None = None) -> bytes:
    if data is not None:
        Path("ada.png").write_bytes(data)
    return pictures.load(name, Path(), parse(NAME + "photo: x\n", "ada.yaml"))


def _template(text: str, **files: str) -> object:
    folder = Path("templates/mine")
    folder.mkdir(parents=True)
    (folder / "template.yaml").write_text(text, encoding="utf-8")
    for name, body in files.items():
        (folder / name).write_text(body, encoding="utf-8")
    return templates.Library.at(Path("templates")).find("mine")


def _loop() -> Path:
    path = Path("loop.yaml")
    path.symlink_to(path)
    return path


def _write(data: bytes) -> Path:
    path = Path("ada.yaml")
    path.write_bytes(data)
    return path


#: What goes wrong outside -> what of ours comes of it.
FOREIGN: dict[str, tuple[Callable[[], object], type[CvbuildError], str]] = {
    "FileNotFoundError": (lambda: source.load(Path("none.yaml")), ProfileError, "file-missing"),
    "IsADirectoryError": (lambda: source.load(Path()), ProfileError, "file-kind"),
    "NotADirectoryError": (
        lambda: source.load(_write(b"x") / "y.yaml"),
        ProfileError,
        "file-unreadable",
    ),
    "OSError name too long": (
        lambda: source.load(Path("x" * 5000 + ".yaml")),
        ProfileError,
        "file-unreadable",
    ),
    "ValueError NUL in a path": (
        lambda: source.load(Path("a\0b.yaml")),
        ProfileError,
        "file-unreadable",
    ),
    "OSError loop of links": (
        lambda: source.load(_loop()),
        ProfileError,
        "file-unreadable",
    ),
    "OSError a device": (lambda: source.load(Path("/dev/zero")), ProfileError, "file-kind"),
    "UnicodeDecodeError": (lambda: source.load(_write(b"\xff\xfa")), ProfileError, "yaml-encoding"),
    "YAMLError": (lambda: parse("a: [", "x"), ProfileError, "yaml-"),
    "photo OSError": (lambda: _photo("x" * 5000), ProfileError, "photo-missing"),
    "photo ValueError": (lambda: _photo("a\0b"), ProfileError, "photo-missing"),
    "photo UnidentifiedImageError": (lambda: _photo("ada.png", b"?"), ProfileError, "photo-format"),
    "photo SyntaxError": (
        lambda: _photo("ada.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 40),
        ProfileError,
        "photo-",
    ),
    "manifest YAMLError": (lambda: _template("api: ["), TemplateError, "yaml-"),
    "manifest ValidationError": (lambda: _template("api: 9\n"), TemplateError, "manifest"),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_foreign_exceptions_become_ours(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    act, kind, code = FOREIGN[case]
    with pytest.raises(CvbuildError) as caught:
        act()
    assert type(caught.value) is kind
    assert caught.value.diagnostics
    assert all(item.code.startswith(code) for item in caught.value.diagnostics), caught.value
    assert all(item.message for item in caught.value.diagnostics)


MANIFEST = """\
api: 1
title: Mine
description: Mine.
extends: academic
"""
JINJA = {
    "undefined": "<< nothing >>",
    "syntax": "<% if %>",
    "unclosed": "<% for x in y %>",
    "missing-file": '<% include "none.j2" %>',
    "plain-string": '<< "text" >>',
    "plain-number": "<< 1 + 1 >>",
    "attribute": "<< document.header.nothing >>",
    "division": "<< 1 // 0 >>",
    "recursion": '<% include "document.tex.j2" %>',
    "filter": "<< document.header.name | nofilter >>",
    "safe": "<< document.language | safe >>",
    "unsafe": "<< document.__class__.__mro__ >>",
    "call": "<< document.header.name() >>",
    "join-to-latex": "<% macro m() %>x<% endmacro %><< m() ~ document.header.name >>",
    "concatenation": '<< document.header.name ~ "x" >>',
    "not-utf-8": None,
}


@pytest.mark.usefixtures("requires_embedded")
@pytest.mark.parametrize("case", JINJA)
def test_a_faulty_template_is_an_error_with_a_place_and_not_a_traceback(
    case: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("templates/mine")
    folder.mkdir(parents=True)
    (folder / "template.yaml").write_text(MANIFEST, encoding="utf-8")
    body = JINJA[case]
    data = b"\xff\xfe" if body is None else body.encode()
    (folder / "document.tex.j2").write_bytes(data)
    Path("people").mkdir()
    Path("people/ada.yaml").write_text(NAME + "template: mine\n", encoding="utf-8")
    ran = run("build", "--engine", "embedded")
    assert ran.code == 1, ran.err
    assert "Traceback" not in ran.err
    assert "ada mine: failed" in ran.err
    assert len(ran.err.splitlines()) >= 2, "it says why"
    assert not list(Path("out").glob("ada/*.pdf"))


def test_foreign_errors_become_ours(tmp_path: Path) -> None:
    with (
        pytest.raises(CvbuildError, match=r"can't read it .*: No such file") as caught,
        errors.foreign("x", "can't read it"),
    ):
        (tmp_path / "gone").read_text()
    assert caught.value.diagnostics[0].code == "x"
