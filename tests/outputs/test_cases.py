"""People, and what each format makes of them: every file of a folder in tests/outputs/cases.

``person.yaml`` is the person, ``letter.yaml`` what their letter says, where there is one. All else
is what is built, to the byte: ``academic.txt``. A folder is
named for what it shows. Where a change of what is built is meant, take over the new files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lettered import shown_of

from cvbuild.outputs import registry
from cvbuild.outputs.registry import MODULES

CASES = Path(__file__).parent / "cases"
GIVEN = ("person.yaml", "letter.yaml")
#: Formats by what stands behind "academic" in the names of their files.
FORMATS = {registry.find(name).suffix: name for name in MODULES}


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(CASES.glob("*/*")) if path.name not in GIVEN],
    ids=lambda path: path.relative_to(CASES).as_posix(),
)
def test_what_is_made_of_a_person(path: Path) -> None:
    letter = path.parent / "letter.yaml"
    written = letter.read_text(encoding="utf-8") if letter.exists() else ""
    name = FORMATS[path.name.removeprefix("academic")]
    output: Any = registry.find(name)
    made = output.make(shown_of(path.parent / "person.yaml", name, written)).content
    if isinstance(made, dict):
        files = {str(one.relative_to(path)): one for one in path.rglob("*") if one.is_file()}
        assert made.keys() == files.keys()
        for inner, file in files.items():
            assert made[inner].decode() == file.read_text(encoding="utf-8"), inner
    else:
        assert made.decode() == path.read_bytes().decode()
