"""People, and what each format makes of them: every file of a folder in tests/outputs/cases.

``person.yaml`` is the person, ``letter.yaml`` what their letter says, where there is one. All else
is what is built, to the byte: ``academic.txt``. A folder is
named for what it shows. Where a change of what is built is meant, take over the new files.
"""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import judges
import pytest
from lettered import shown_of
from profiles import public
from workspaces import files_of

from cvbuild.model import kinds
from cvbuild.model.profile import Profile
from cvbuild.outputs import text_folding
from cvbuild.outputs.formats import jsonresume
from cvbuild.outputs.registry import MODULES
from cvbuild.outputs.types import find_output
from cvbuild.selection.select import select

CASES = Path(__file__).parent / "cases"
GIVEN = ("person.yaml", "letter.yaml")
#: Formats by what stands behind "academic" in the names of their files.
FORMATS = {find_output(name).suffix: name for name in MODULES}


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(CASES.glob("*/*")) if path.name not in GIVEN],
    ids=lambda path: path.relative_to(CASES).as_posix(),
)
def test_what_is_made_of_a_person(path: Path) -> None:
    letter = path.parent / "letter.yaml"
    written = letter.read_text("utf-8") if letter.exists() else ""
    name = FORMATS[path.name.removeprefix("academic")]
    output: Any = find_output(name)
    made = output.make(shown_of(path.parent / "person.yaml", name, written)).content
    if isinstance(made, dict):
        assert made == files_of(path)
    else:
        assert made.decode() == path.read_bytes().decode()


ROOT = Path(__file__).resolve().parents[2]
THEMES = ("even", "stackoverflow", "macchiato")
VALIDATE = """\
const schema = require("@jsonresume/schema");
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
let failed = 0;
given.forEach((one, at) => schema.validate(one, (errors) => {
  if (errors) { failed++; console.log(at, JSON.stringify(errors)); }
}));
process.exit(failed ? 1 : 0);
"""


@pytest.fixture(scope="module")
def modules() -> Path:
    judges.program("node", package="nodejs")
    judges.module("@jsonresume/schema/package.json")
    return judges.module("resumed/bin/resumed.js").parents[2].resolve()


def people() -> list[Profile]:
    files = [
        ROOT / "tests/importers/round-trip.yaml",
        ROOT / "docs/gallery/nora-lindqvist.yaml",
        *sorted((ROOT / "people").glob("*.yaml")),
    ]
    texts = [path.read_text("utf-8") for path in files]
    texts += [f"name: Ada Example\n{kind.example}" for kind in kinds.KINDS.values()]
    return [public(text) for text in [*texts, "name: Ada Example"]]


def test_the_schema_accepts_every_export(modules: Path) -> None:
    made = [jsonresume.resume(select(one, {})) for one in people()]
    ran = _node(modules, json.dumps(made))
    assert (ran.returncode, ran.stdout) == (0, "")
    made[0]["work"][0]["startDate"] = "soon"
    assert _node(modules, json.dumps(made)).returncode == 1


def _node(modules: Path, given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["node", "-e", VALIDATE],
        input=given, cwd=modules.parent, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "NODE_PATH": str(modules)},
    )  # fmt: skip


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_shows_every_export(theme: str, modules: Path, tmp_path: Path) -> None:
    for number, one in enumerate((*people()[:2], people()[-1])):
        resume = jsonresume.resume(select(one, {}))
        source, page = tmp_path / f"{number}.json", tmp_path / f"{number}.html"
        source.write_bytes(jsonresume.to_bytes(select(one, {})))
        ran = subprocess.run(
            ["node", modules / "resumed/bin/resumed.js", "render", source,
             "--theme", f"jsonresume-theme-{theme}", "--output", page],
            cwd=modules.parent, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stdout + ran.stderr
        shown = re.sub(r"<[^>]*>", " ", html.unescape(page.read_text("utf-8")))
        whole = text_folding.fold(shown.casefold())
        wanted = [resume["basics"]["name"]]
        wanted += [job[key] for job in resume.get("work", ()) for key in ("name", "position")
                   if key in job]  # fmt: skip
        wanted += [one["institution"] for one in resume.get("education", ())]
        folded = ((text, text_folding.fold(text.casefold())) for text in wanted)
        assert [text for text, part in folded
                if not list(text_folding.occurrences(whole, part))] == []  # fmt: skip
