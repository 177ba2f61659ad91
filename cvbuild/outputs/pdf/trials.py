"""How a document would fill its pages with other options: one draft run of TeX for all of them.

The document's text is in the run several times (``\\CvbTry``, cvb-core-try.sty), first and last as
the document is. If these two differ, a style remembers more of the text than TeX was told to
forget, and nothing that the run says is believed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from cvbuild.common.errors import DocumentError
from cvbuild.common.files import work_folders
from cvbuild.outputs.pdf.latex.render import Rendered
from cvbuild.outputs.pdf.tex import direct
from cvbuild.outputs.pdf.typeset import Typesetter

#: cvb-fill: 86.4 697.2 13.5   (cvb-core-footers.sty: of a page, and of a line of text)
_FILL = re.compile(r"^cvb-fill: ([\d.]+) ([\d.]+) ([\d.]+)$", re.MULTILINE)
_TRY, _END = "cvb-try\n", "\\end{document}"


@dataclass(frozen=True, slots=True)
class Page:
    """A page: the height that its text uses, the most that it could, that of a line; in pt."""

    used: float
    height: float
    line: float

    @property
    def fill(self) -> float:
        """The used part of the height."""
        return self.used / self.height


def pages(log: str) -> list[Page]:
    """Return the pages that a log tells of; none if it doesn't say."""
    found = (Page(*map(float, numbers)) for numbers in _FILL.findall(log))
    return [page for page in found if page.height]


def run(
    setter: Typesetter, rendered: Rendered, tries: Sequence[Mapping[str, float | str]]
) -> list[list[Page]] | None:
    """Return the document's pages as it is, then with each of these options.

    None if that can't be found out so: a template has a skeleton of its own, TeX fails, or the run
    contradicts itself.
    """
    lines = rendered.tex.split("\n")
    if not rendered.setup or _END not in lines[rendered.setup :]:
        return None
    end = lines.index(_END, rendered.setup)
    text = lines[: rendered.setup]
    for options in ({}, *tries, {}):
        chosen = ", ".join(
            f"{key}={value}"
            for key, value in setter.style_options(setter.shown.selected, options).items()
        )
        text += [f"\\CvbTry{{{chosen}}}", *lines[rendered.setup : end], "\\CvbTryEnd"]
    with work_folders.folder(setter.scratch) as folder:
        job = replace(setter.job(rendered, folder), tex="\n".join([*text, *lines[end:]]))
        try:
            log = direct.draft(job, setter.engine).log
        except DocumentError:
            return None
    as_is, *found = [pages(part) for part in log.split(_TRY)[1:]]
    is_sound = len(found) == len(tries) + 1 and as_is and found.pop() == as_is
    return [as_is, *found] if is_sound else None
