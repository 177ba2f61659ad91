"""Build docs/ as a site of this version: ``make docs-site``, into out/docs/<version>/.

Other versions that are in out/docs/ stay, and every page leads to them: the page's menu reads
versions.json, the form of which is that of mike. out/docs/index.html leads to the newest.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from cvbuild.common import VERSION

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
_LINK = re.compile(r"(?<!!)\[([^\]\n]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_ENTRY = """\
<!doctype html>
<html lang="en"><meta charset="utf-8"><title>cvbuild</title>
<link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url={newest}/index.html">
<p><a href="{newest}/index.html">cvbuild {newest}</a></p></html>
"""


def build(out: Path = ROOT / "out" / "docs") -> Path:
    """Build the site of this version below a folder; return the version's folder.

    Raises subprocess.CalledProcessError if a page has a link that leads nowhere.
    """
    out.mkdir(parents=True, exist_ok=True)
    made = out / VERSION
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        write_pages(project / "docs")
        config = (ROOT / "zensical.toml").read_text("utf-8")
        config = config.replace('site_name = "cvbuild"', f'site_name = "cvbuild {VERSION}"')
        (project / "zensical.toml").write_text(config, "utf-8")
        command = [sys.executable, "-m", "zensical", "build", "--strict"]
        subprocess.run(command, cwd=project, check=True, stdout=sys.stderr)
        for page in (project / "site").rglob("*.html"):
            page.write_text(_named(page.read_text("utf-8")), "utf-8")
        shutil.rmtree(made, ignore_errors=True)
        shutil.copytree(project / "site", made)
    _list_versions(out)
    return made


def write_pages(folder: Path) -> None:
    """Copy docs/ and the changelog to a folder, without links to what isn't on the site."""
    shutil.copytree(DOCS, folder)
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    (folder / "changelog.md").write_text(changelog.replace("](docs/", "]("), "utf-8")
    for page in sorted(folder.rglob("*.md")):
        page.write_text(_inside(page.read_text("utf-8"), page.parent, folder), "utf-8")


def _inside(text: str, place: Path, folder: Path) -> str:
    """Return a page with links to files outside of the folder as words; code stays."""

    def kept(found: re.Match[str]) -> str:
        words, target, _ = found.groups()
        if "://" in target or target.startswith("mailto:"):
            return found[0]
        path = Path(os.path.normpath(place / target))
        return found[0] if path.is_relative_to(folder) else words

    parts, at = [], 0
    for fence in _FENCE.finditer(text):
        parts += [_LINK.sub(kept, text[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*parts, _LINK.sub(kept, text[at:])])


def _named(page: str) -> str:
    """Return a page whose menu of versions is called what it shows, for screen readers."""
    return page.replace('"Select version"', f'"Version {VERSION}"')


def _list_versions(out: Path) -> None:
    """Write which versions there are, the newest first, and lead to that."""
    found = [path.name for path in out.iterdir() if (path / "index.html").is_file()]
    found.sort(key=lambda name: [int(part) for part in re.findall(r"\d+", name)], reverse=True)
    versions = [{"version": name, "title": name, "aliases": []} for name in found]
    versions[0]["aliases"] = ["latest"]
    (out / "versions.json").write_text(json.dumps(versions, indent=2) + "\n", "utf-8")
    (out / "index.html").write_text(_ENTRY.format(newest=found[0]), "utf-8")


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{build() / 'index.html'}\n")
    except subprocess.CalledProcessError as failed:  # zensical has said why
        sys.exit(failed.returncode)
