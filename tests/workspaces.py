"""What workspaces of tests are made from, in the working folder."""

from __future__ import annotations

from pathlib import Path

GOOD = "name: Ada Example\nsections: [{kind: award, items: [{title: A prize}]}]\n"
BAD = "name: Ada Example\ntittle: Engineer\n"


def write(name: str, text: str = GOOD) -> Path:
    """Write a person's file."""
    path = Path("people", f"{name}.yaml")
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def broken_template(code: str) -> Path:
    """Make the template `broken`, which is `academic` and runs this TeX; return its style's file.

    Without any code there is no such style.
    """
    folder = Path("templates/broken")
    folder.mkdir(parents=True)
    manifest = "api: 1\ntitle: Broken\ndescription: It fails.\nextends: academic\n"
    (folder / "template.yaml").write_text(f"{manifest}tex: {{style: cvb-broken}}\n")
    style = folder / "cvb-broken.sty"
    if code:
        style.write_text(BROKEN + code)
    return style


#: A style that is not broken yet.
BROKEN = "\\ProvidesPackage{cvb-broken}\n\\RequirePackageWithOptions{cvb-academic}\n"
