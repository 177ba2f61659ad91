"""``cvbuild docs``: the pages of the documentation, in the terminal, as the wheel has them."""

from __future__ import annotations

import argparse
from pathlib import Path

from cvbuild.cli import console
from cvbuild.common.errors import UsageError
from cvbuild.common.suggestions import suggest

#: What is for users: not for those who change cvbuild.
_FOLDERS = ("", "how-to", "reference", "explanation")


def run(given: argparse.Namespace) -> int:
    """Print a page in Markdown; without a name, list the pages with their titles."""
    pages = _pages()
    if not given.page:
        width = max(map(len, pages), default=0)
        for name, path in pages.items():
            title = path.read_text(encoding="utf-8").partition("\n")[0]
            console.answer(f"{name:{width}}  {title.lstrip('# ')}")
        return 0
    name = given.page.removeprefix("docs/").removesuffix(".md").rpartition("/")[2]
    if name not in pages:
        hint = suggest(name, pages, "the pages are")
        raise UsageError.because("page", f'there is no page "{given.page}"', hint)
    console.answer(pages[name].read_text(encoding="utf-8").rstrip("\n"))
    return 0


def _pages() -> dict[str, Path]:
    """Return the pages by name: those in the package, or next to it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "docs"
    root = inside if inside.is_dir() else package.parent / "docs"
    files = (path for folder in _FOLDERS for path in sorted((root / folder).glob("*.md")))
    return {path.stem: path for path in files}
