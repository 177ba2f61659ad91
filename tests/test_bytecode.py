"""Compiled templates on disk: found again, and never trusted where they may not be."""

from __future__ import annotations

import os
from pathlib import Path

import jinja2
import pytest

from cvbuild.common.store import Store
from cvbuild.outputs.pdf.latex.render import Compiled

TEXT = "<{{ word }}>"


class Counting(jinja2.Environment):
    """An environment that counts what it compiles."""

    compiled = 0

    def _generate(self, *given: object, **named: object) -> str:
        self.compiled += 1
        return str(super()._generate(*given, **named))  # type: ignore[arg-type]


def compiles(folder: Path, text: str = TEXT, settings: str = "") -> int:
    """How often a fresh environment compiles a template, which must print what it says."""
    environment = Counting(
        loader=jinja2.DictLoader({"a": text}), bytecode_cache=Compiled(Store(folder), settings)
    )
    assert environment.get_template("a").render(word="x") == text.replace("{{ word }}", "x")
    return environment.compiled


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cache that holds one template."""
    assert compiles(tmp_path / "jinja") == 1
    assert compiles(tmp_path / "jinja") == 0
    return tmp_path / "jinja"


def kept(folder: Path) -> Path:
    """The one file."""
    (file,) = folder.iterdir()
    return file


def test_another_text_or_setting_is_another_program(folder: Path) -> None:
    assert compiles(folder, "[{{ word }}]") == 1
    assert compiles(folder, "[{{ word }}]") == 0
    assert compiles(folder, settings="other") == 1
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "swapped", "gone"])
def test_a_damaged_file_is_compiled_again(folder: Path, damage: str) -> None:
    file = kept(folder)
    data = file.read_bytes()
    if damage == "gone":
        file.unlink()
    elif damage == "swapped":
        # A whole file of another template, checksum and all.
        compiles(folder, "[{{ word }}]", "other")
        other = next(path for path in folder.iterdir() if path != file)
        other.replace(file)
    else:
        flipped = data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]
        file.write_bytes({"empty": b"", "cut": data[:-1], "flipped": flipped}[damage])
    assert compiles(folder) == 1
    assert compiles(folder) == 0


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no modes")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_others_may_write_is_not_loaded(folder: Path, what: str) -> None:
    (kept(folder) if what == "file" else folder).chmod(0o777)
    assert compiles(folder) == 1
    # A file is replaced by one that only its owner may write; a folder isn't ours to change.
    assert compiles(folder) == (0 if what == "file" else 1)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs another user")
def test_another_user_s_file_is_not_loaded(folder: Path) -> None:
    os.chown(kept(folder), 12345, 12345)
    assert compiles(folder) == 1


def test_a_folder_that_can_t_be_made_only_costs_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert compiles(tmp_path / "file" / "jinja") == 1
