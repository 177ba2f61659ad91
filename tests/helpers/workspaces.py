"""What workspaces of tests are made from, in the working folder."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cvbuild.common.files import user_cache

GOOD = "name: Ada Example\nsections: [{kind: award, items: [{title: A prize}]}]\n"
POINTS = "name: Ada Example\nsections:\n  - kind: bullets\n    items: [One point, Another point]\n"


def write(name: str, text: str = GOOD) -> Path:
    path = Path("people", f"{name}.yaml")
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def files_of(folder: Path) -> dict[str, bytes]:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def committed() -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for command in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "now")):
        subprocess.run(["git", *command], check=True, capture_output=True)


def template(
    name: str, extends: str = "academic", tex: str = "", code: str = "", within: Path | None = None
) -> Path:
    """Make a template that differs by keys below ``tex`` and by code of its style; its folder.

    ``within`` is the workspace, by default the working folder.
    """
    folder = (within or Path()) / "templates" / name
    folder.mkdir(parents=True)
    manifest = f"api: 1\ntitle: T\ndescription: D.\nextends: {extends}\n"
    manifest += f"tex: {{style: cvb-{name}{tex}}}\n"
    (folder / "template.yaml").write_text(manifest, "utf-8")
    package = f"\\ProvidesExplPackage{{cvb-{name}}}{{2026-01-01}}{{1}}{{T}}\n"
    package += f"\\RequirePackageWithOptions{{cvb-{extends}}}\n{code}\n"
    (folder / f"cvb-{name}.sty").write_text(package, "utf-8")
    return folder


def unsealed(path: Path, cache: Path | None = None) -> str:
    user_cache.load(path, user_cache.key(user_cache.resolved(cache)))
    return path.read_text("utf-8").partition("\n")[2]


def seal(path: Path, text: str, cache: Path | None = None) -> None:
    code = user_cache.key(user_cache.resolved(cache))
    path.write_bytes(user_cache.seal(text, code))
