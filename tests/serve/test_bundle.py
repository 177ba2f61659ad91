"""What the wheel ships of the page is what its sources make."""

from __future__ import annotations

import subprocess
from pathlib import Path

import judges

ROOT = Path(__file__).resolve().parents[2]
SERVE = ROOT / "cvbuild" / "serve"


def test_the_bundle_is_made_of_its_sources(tmp_path: Path) -> None:
    browser = ROOT / "tools" / "serve_page"
    node = judges.program("node", package="nodejs npm")
    for package in ("esbuild", "typescript", "codemirror"):
        if not (browser / "node_modules" / package).exists():
            judges.absent(package, "npm ci --ignore-scripts --prefix tools/serve_page")
    subprocess.run([node, "build.mjs", str(tmp_path)], cwd=browser, check=True)
    subprocess.run([node, "node_modules/typescript/bin/tsc", "--noEmit"], cwd=browser, check=True)
    made = sorted(tmp_path.iterdir())
    assert [path.name for path in made] == [
        "chunk.js",
        "page.js",
        "page.js.licences.txt",
        "text.js",
    ]
    for path in made:
        assert path.read_bytes() == (SERVE / "static" / path.name).read_bytes(), "make page"
