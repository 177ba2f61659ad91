"""Join the tags of several PDFs, so that screen readers read the merged file.

Below one Document there is a Part for each. cvbuild's own keep their elements, which need no maps
of roles or classes and have no ids; each page of another's is a Figure. ISO 32000-1, 14.7 and 14.8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pikepdf


class Tags:
    """The tree of the merged file; parts are added to it after their pages are."""

    def __init__(self, document: pikepdf.Pdf) -> None:
        import pikepdf

        self._document = document
        self._root = document.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot))
        self._top = self._element("Document", self._root)
        self._root.K = self._top
        #: What each number leads to: the elements of a page's pieces, or that of a link.
        self._owners: list[Any] = []

    def keep(self, source: pikepdf.Pdf, pages: Sequence[pikepdf.Page]) -> Any:
        """Add a part with its own tree, and return its element."""
        import pikepdf

        tree = self._document.copy_foreign(source.Root.StructTreeRoot)
        start = len(self._owners)
        self._owners += [
            owners for _, owners in sorted(pikepdf.NumberTree(tree.ParentTree).items())
        ]
        for page in pages:
            page.obj.StructParents += start
            for link in page.obj.get("/Annots", ()):
                link.StructParent += start
        part = tree.K[0]
        part.S, part.P = pikepdf.Name.Part, self._top
        self._top.K.append(part)
        return part

    def draw(self, pages: Sequence[pikepdf.Page], marks: Sequence[int], title: str) -> Any:
        """Add a part whose pages are figures, and return its element.

        The ``marks`` of a page's own pieces lead to its figure, as the one around them all does.
        """
        import pikepdf

        part = self._element("Part", self._top)
        self._top.K.append(part)
        for number, (page, mark) in enumerate(zip(pages, marks, strict=True), start=1):
            figure = self._element("Figure", part)
            figure.Pg, figure.K = page.obj, mark
            figure.Alt = pikepdf.String(
                title if len(pages) == 1 else f"{title}, {number}/{len(pages)}"
            )
            figure.A = pikepdf.Dictionary(
                O=pikepdf.Name.Layout, Placement=pikepdf.Name.Block, BBox=page.mediabox
            )
            part.K.append(figure)
            page.contents_add(b"/Figure <</MCID %d>> BDC\n" % mark, prepend=True)
            page.contents_add(b"\nEMC")
            page.obj.StructParents = len(self._owners)
            self._owners.append(pikepdf.Array([figure] * (mark + 1)))
            for link in page.obj.get("/Annots", ()):
                self._link(part, page, link)
        return part

    def _link(self, part: Any, page: pikepdf.Page, annotation: Any) -> None:
        """Add a link of a page, which says where it leads."""
        import pikepdf

        if "/Contents" not in annotation and "/A" in annotation:
            annotation.Contents = annotation.A.URI
        element = self._element("Link", part)
        element.K.append(pikepdf.Dictionary(Type=pikepdf.Name.OBJR, Pg=page.obj, Obj=annotation))
        annotation.StructParent = len(self._owners)
        self._owners.append(element)
        part.K.append(element)

    def _element(self, role: str, parent: Any) -> Any:
        import pikepdf

        element = pikepdf.Dictionary(
            Type=pikepdf.Name.StructElem, S=pikepdf.Name(f"/{role}"), P=parent, K=pikepdf.Array()
        )
        return self._document.make_indirect(element)

    def finish(self) -> None:
        """Write the tree."""
        import pikepdf

        numbers = [item for pair in enumerate(self._owners) for item in pair]
        self._root.ParentTree = self._document.make_indirect(
            pikepdf.Dictionary(Nums=pikepdf.Array(numbers))
        )
        self._root.ParentTreeNextKey = len(self._owners)
        self._document.Root.StructTreeRoot = self._root
        self._document.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
