"""Check that a tag can be released, and print what is new: ``python -m tools.release v1.2.3``.

The tag, the version of cvbuild and the newest dated section of CHANGELOG.md must agree, and every
file must name the repository. .github/workflows/release.yml runs this before it builds anything.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: What stands in all files for the repository on GitHub, until its owner is known.
PLACEHOLDER = "OWNER/cvbuild"
#: Files that name the repository, as patterns below the root.
NAMING = (
    "*.md", "*.cff", "*.toml", ".github/**/*.yml", ".github/*.md", "docs/how-to/*.md",
)  # fmt: skip
_VERSION = re.compile(r'^VERSION = "([^"]+)"$', re.MULTILINE)
_HEADING = re.compile(r"^## (\S+)(?: - (\d{4}-\d\d-\d\d))?$", re.MULTILINE)


def notes(changelog: str, version: str) -> str | None:
    """Return the text of a version's section; None if it isn't the first with a date."""
    headings = list(_HEADING.finditer(changelog))
    for place, heading in enumerate(headings):
        if heading[2]:
            end = headings[place + 1].start() if place + 1 < len(headings) else len(changelog)
            return changelog[heading.end() : end].strip() if heading[1] == version else None
    return None


def unnamed(root: Path) -> list[str]:
    """Return the files that still have the placeholder in place of the repository."""
    files = {path for pattern in NAMING for path in root.glob(pattern)}
    return sorted(
        path.relative_to(root).as_posix()
        for path in files
        if PLACEHOLDER in path.read_text(encoding="utf-8")
    )


def faults(tag: str, root: Path = ROOT) -> Iterator[str]:
    """Yield what is in the way of releasing a tag."""
    found = _VERSION.search((root / "cvbuild/common/__init__.py").read_text(encoding="utf-8"))
    version = found[1] if found else ""
    if tag != f"v{version}":
        yield f'the tag is "{tag}", but cvbuild/common/__init__.py says {version}'
    text = notes((root / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if text is None:
        yield f'CHANGELOG.md has no newest section "## {version} - YYYY-MM-DD"'
    elif not text:
        yield f"CHANGELOG.md says nothing of {version}"
    if files := unnamed(root):
        yield f'"{PLACEHOLDER}" is no repository; name it in {", ".join(files)}'


def main(tag: str, root: Path = ROOT) -> int:
    """Print the notes of a tag, or why it can't be released; return an exit code."""
    problems = list(faults(tag, root))
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    if not problems:
        changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
        sys.stdout.write(f"{notes(changelog, tag.removeprefix('v'))}\n")
    return 1 if problems else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tools.release vX.Y.Z")
    sys.exit(main(sys.argv[1]))
