"""Read the structure tree of a foreign PDF: its elements, and what they mark.

A tree is read by its elements alone, each checked and cleaned; the parent tree, which leads from
the pages' content back to them, is made new when trees are joined. ISO 32000-1, 14.7.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cvbuild.applications.merge_pdf.sanitize import Cleaned, drop, scrub

if TYPE_CHECKING:
    import pikepdf

ObjGen = tuple[int, int]

#: Limits of elements in a part, and of marked pieces on a page: more than any document has.
_MOST, _MARKS = 500_000, 100_000
_ELEMENT = frozenset({
    "/Type", "/S", "/P", "/ID", "/Pg", "/K", "/A", "/C", "/R", "/T", "/Lang", "/Alt", "/E",
    "/ActualText", "/NS", "/Phoneme",
})  # fmt: skip


class NoTreeError(ValueError):
    """A structure tree that no reader could follow."""


@dataclass(slots=True)
class Tree:
    """A part's structure, as it was read.

    ``tops`` are its first elements, ``marks`` the element of each piece of marked content by what
    holds it and its number there, ``objects`` the element of each annotation or picture.
    """

    tops: list[Any] = field(default_factory=list)
    elements: list[Any] = field(default_factory=list)
    marks: dict[ObjGen, dict[int, Any]] = field(default_factory=dict)
    objects: dict[ObjGen, Any] = field(default_factory=dict)
    holders: dict[ObjGen, Any] = field(default_factory=dict)


def read(document: pikepdf.Pdf, cleaned: Cleaned) -> Tree | None:
    """Return the structure of a cleaned document; None if it has none.

    Raises NoTreeError, TooDeepError and whatever pikepdf raises for an invalid file.
    """
    import pikepdf

    catalog: Any = document.Root
    root = catalog.get("/StructTreeRoot")
    if root is None or not catalog.get("/MarkInfo", {}).get("/Marked", False):
        return None
    reading = _Reading(document, cleaned)
    reading.tree.tops = [kid for kid in kids(root) if isinstance(kid, pikepdf.Dictionary)]
    reading.run()
    for top in reading.tree.tops:
        drop(top, "/P")
    for thing in (*reading.tree.tops, root.get("/ClassMap"), root.get("/Namespaces")):
        if thing is not None:
            scrub(thing, cleaned.seen)
    return reading.tree if reading.tree.elements else None


def kids(element: Any, key: str = "/K") -> list[Any]:
    """Return one thing or an array of them, as a list."""
    import pikepdf

    found = element.get(key)
    if found is None:
        return []
    return list(found.as_list()) if isinstance(found, pikepdf.Array) else [found]


class _Reading:
    """One walk over a tree, which checks and cleans each element."""

    def __init__(self, document: pikepdf.Pdf, cleaned: Cleaned) -> None:
        self.cleaned = cleaned
        self.pages = {page.obj.objgen: page.obj for page in document.pages}
        self.tree = Tree()
        self.seen: set[ObjGen] = set()

    def run(self) -> None:
        stack = self.tree.tops[::-1]
        while stack:
            element = stack.pop()
            self.enter(element)
            remaining, below = [], []
            for kid in kids(element):
                what = self.kid(element, kid)
                if what is not None:
                    remaining.append(kid)
                if what == "element":
                    kid.P = element
                    below.append(kid)
            self.put(element, remaining)
            stack += reversed(below)

    def enter(self, element: Any) -> None:
        import pikepdf

        named = isinstance(element.get("/S"), pikepdf.Name)
        if not element.is_indirect or element.objgen in self.seen or not named:
            raise NoTreeError
        self.seen.add(element.objgen)
        if len(self.seen) > _MOST:
            raise NoTreeError
        for key in list(element.keys()):
            if key not in _ELEMENT:
                del element[key]
        if "/Pg" in element and element.Pg.objgen not in self.pages:
            del element["/Pg"]
        self.tree.elements.append(element)

    def put(self, element: Any, remaining: list[Any]) -> None:
        import pikepdf

        if remaining:
            element.K = remaining[0] if len(remaining) == 1 else pikepdf.Array(remaining)
        else:
            drop(element, "/K")

    def kid(self, element: Any, kid: Any) -> str | None:
        """Return what kind of kid it is; None if it leads nowhere. Records what it marks."""
        import pikepdf

        if isinstance(kid, int):
            return self.mark(element, element.get("/Pg"), kid)
        if not isinstance(kid, pikepdf.Dictionary):
            return None
        kind = kid.get("/Type")
        if kind == "/MCR":
            return self.reference(element, kid)
        if kind == "/OBJR":
            return self.object(element, kid)
        return "element"

    def reference(self, element: Any, kid: Any) -> str | None:
        import pikepdf

        for key in set(kid.keys()) - {"/Type", "/Pg", "/Stm", "/MCID"}:
            del kid[key]
        page = kid.get("/Pg", element.get("/Pg"))
        stream = kid.get("/Stm")
        if stream is not None and not isinstance(stream, pikepdf.Stream):
            return None
        if "/Pg" in kid and kid.Pg.objgen not in self.pages:
            return None
        return self.mark(element, page if stream is None else stream, kid.get("/MCID"))

    def mark(self, element: Any, holder: Any, number: Any) -> str | None:
        if holder is None or not isinstance(number, int):
            return None
        if not 0 <= number < _MARKS:
            raise NoTreeError
        is_known = holder.objgen in self.pages or holder.objgen in self.cleaned.seen
        if not is_known:
            return None
        self.tree.holders[holder.objgen] = holder
        self.tree.marks.setdefault(holder.objgen, {})[number] = element
        return "mark"

    def object(self, element: Any, kid: Any) -> str | None:
        import pikepdf

        for key in set(kid.keys()) - {"/Type", "/Pg", "/Obj"}:
            del kid[key]
        if "/Pg" in kid and kid.Pg.objgen not in self.pages:
            del kid["/Pg"]
        thing = kid.get("/Obj")
        is_picture = isinstance(thing, pikepdf.Stream) and thing.objgen in self.cleaned.seen
        if not is_picture and getattr(thing, "objgen", None) not in self.cleaned.links:
            return None
        self.tree.holders[thing.objgen] = thing
        self.tree.objects[thing.objgen] = element
        return "object"
