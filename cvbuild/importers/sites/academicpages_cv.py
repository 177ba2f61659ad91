"""The page _pages/cv.md of academicpages: headings with lists in Markdown."""

from __future__ import annotations

from itertools import zip_longest

from cvbuild.importers.documents import rough
from cvbuild.importers.sites import markup
from cvbuild.importers.sites.pages import Site, skip
from cvbuild.importers.words import headings


def read(site: Site, name: str) -> None:
    """Put the sections of the page into the draft, in its order."""
    page = site.page(name)
    if page is None:
        return
    skip(page.data, "layout", "title", "permalink", "author_profile", "redirect_from")
    site.finish(page.data)
    # Empty lines for those of the data: places are those in the file.
    text = "\n" * (page.line - 1) + page.body
    blocks = markup.read(text, site.absolute)
    # The site makes the lists below known titles without a text: they have pages of their own.
    empty = {
        id(one)
        for one, after in zip_longest(blocks, blocks[1:])
        if one.kind == "heading" and (after is None or after.kind == "heading")
    }
    shown = [
        one for one in blocks if id(one) not in empty or headings.exact_kind_of(one.plain) is None
    ]
    rough.fill_sections(site.draft, shown, page.place.file)
