"""What begins a point of a list in a plain text."""

from __future__ import annotations

import re

#: Signs that are bullets wherever they stand.
ALWAYS = "•●▪■◦○‣⁃➢➤►✓✔∙·"
#: Those that need a blank after them.
_DASHES = "–—*-"
#: A bullet at the start of a line.
SIGN = re.compile(rf"\s*(?:[{ALWAYS}]\s*|[{_DASHES}]\s+)(?=\S)")
#: A bullet, or a number with its dot or bracket.
ITEM = re.compile(rf"(\s*)(?:[{ALWAYS}{_DASHES}]\s+|[{ALWAYS}]|\(?\d{{1,2}}[.)]\s+)(?=\S)")
