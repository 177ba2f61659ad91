"""What workspaces of tests are made from, in the working folder."""

from __future__ import annotations

from pathlib import Path

GOOD = "name: Ada Example\nsections: [{kind: award, items: [{title: A prize}]}]\n"


def write(name: str, text: str = GOOD) -> Path:
    """Write a person's file."""
    path = Path("people", f"{name}.yaml")
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


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
    (folder / "template.yaml").write_text(manifest, encoding="utf-8")
    package = f"\\ProvidesExplPackage{{cvb-{name}}}{{2026-01-01}}{{1}}{{T}}\n"
    package += f"\\RequirePackageWithOptions{{cvb-{extends}}}\n{code}\n"
    (folder / f"cvb-{name}.sty").write_text(package, encoding="utf-8")
    return folder
