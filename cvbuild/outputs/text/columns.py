"""``--format txt72``: plain text whose lines have at most 72 columns, for e-mails."""

from __future__ import annotations

from cvbuild.outputs.text import output


class Format(output.Format):
    """Plain text in UTF-8, folded."""

    name = "txt72"
    suffix = ".72.txt"
    width = 72
