"""Join the structure trees of several PDFs, so that screen readers read the merged file.

Below one Document there is a Part for each. Names that mean something else in another part (roles,
classes, ids) are renamed. ISO 32000-1, 14.7 and 14.8.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cvbuild.applications.merge_pdf.read_tags import ObjGen, Tree, kids

if TYPE_CHECKING:
    import pikepdf

#: The types that need no role map (ISO 32000-1, 14.8.4).
STANDARD = frozenset({
    "/Document", "/Part", "/Art", "/Sect", "/Div", "/BlockQuote", "/Caption", "/TOC", "/TOCI",
    "/Index", "/NonStruct", "/Private", "/P", "/H", "/H1", "/H2", "/H3", "/H4", "/H5", "/H6",
    "/L", "/LI", "/Lbl", "/LBody", "/Table", "/TR", "/TH", "/TD", "/THead", "/TBody", "/TFoot",
    "/Span", "/Quote", "/Note", "/Reference", "/BibEntry", "/Code", "/Link", "/Annot", "/Ruby",
    "/RB", "/RT", "/RP", "/Warichu", "/WT", "/WP", "/Figure", "/Formula", "/Form",
})  # fmt: skip


class Joined:
    """The tree of the merged file, part after part."""

    def __init__(self, document: pikepdf.Pdf) -> None:
        self.document = document
        self.parts: list[Any] = []
        self.parents: list[Any] = []
        self.roles: dict[str, str] = {}
        self.classes: dict[str, Any] = {}
        self.ids: dict[bytes, Any] = {}
        self.namespaces: list[Any] = []

    def number(self, tree: Tree) -> None:
        """Give all that a tree marks its key in the parent tree; before its pages are copied."""
        for key, holder in enumerate(tree.holders.values(), start=len(self.parents)):
            holder["/StructParents" if holder.objgen in tree.marks else "/StructParent"] = key

    def add(self, source: pikepdf.Pdf, tree: Tree, title: str, language: str | None) -> None:
        """Copy a part's tree, after its pages were copied."""
        import pikepdf

        root, part = source.Root.StructTreeRoot, len(self.parts) + 1
        own = {str(key): str(value) for key, value in root.get("/RoleMap", {}).items()}
        self._roles(tree, own)
        self._classes(source, tree, part)
        _identify(tree, f"{part}.".encode())
        copied = [self.document.copy_foreign(top) for top in tree.tops]
        self.parents += [self._parent(tree, holder) for holder in tree.holders]
        for space in kids(root, "/Namespaces"):
            if isinstance(space, pikepdf.Dictionary) and space.is_indirect:
                self.namespaces.append(self.document.copy_foreign(space))
        for element in tree.elements:
            if "/ID" in element:
                self.ids[bytes(element.ID)] = self.document.copy_foreign(element)
        self.parts.append(self._part(copied, title, language))

    def _part(self, tops: list[Any], title: str, language: str | None) -> Any:
        """Return the element of a whole part: its document's own, if it has one."""
        import pikepdf

        if len(tops) == 1 and self.roles.get(str(tops[0].S), str(tops[0].S)) == "/Document":
            part = tops[0]
            part.S = pikepdf.Name.Part
        else:
            part = self._element("/Part", tops)
        part.T = pikepdf.String(title)
        if language and "/Lang" not in part:
            part.Lang = pikepdf.String(language)
        return part

    def _element(self, kind: str, below: list[Any]) -> Any:
        import pikepdf

        name, array = pikepdf.Name(kind), pikepdf.Array(below)
        made = self.document.make_indirect(
            pikepdf.Dictionary(Type=pikepdf.Name.StructElem, S=name, K=array)
        )
        for one in below:
            one.P = made
        return made

    def _parent(self, tree: Tree, holder: ObjGen) -> Any:
        """Return a value of the parent tree: elements by number, or the one element."""
        import pikepdf

        copy = self.document.copy_foreign
        marks = tree.marks.get(holder)
        if marks is None:
            return copy(tree.objects[holder])
        entries = (marks.get(number) for number in range(max(marks) + 1))
        array = pikepdf.Array([None if one is None else copy(one) for one in entries])
        return self.document.make_indirect(array)

    def _roles(self, tree: Tree, own: Mapping[str, str]) -> None:
        """Merge the role maps: a name that means something else here gets a number."""
        import pikepdf

        new: dict[str, str] = {}
        for element in tree.elements:
            name = str(element.S)
            if "/NS" in element:
                continue
            if name not in new:
                new[name] = self._role(name, _resolved(name, own))
            if new[name] != name:
                element.S = pikepdf.Name(new[name])

    def _role(self, name: str, target: str) -> str:
        if name in STANDARD:
            return target  # its own map may say something else, but the others' must not
        number, free = 2, name
        while self.roles.setdefault(free, target) != target:
            free = f"{name}.{number}"
            number += 1
        return free

    def _classes(self, source: pikepdf.Pdf, tree: Tree, part: int) -> None:
        """Merge the class maps: a name that is taken gets the part's number."""
        import pikepdf

        own: Any = source.Root.StructTreeRoot.get("/ClassMap", {})
        new: dict[str, str] = {}
        for key in sorted(own.keys()):
            new[key] = free = key if key not in self.classes else f"{key}.{part}"
            held = source.make_indirect(pikepdf.Dictionary(Held=own[key]))
            self.classes[free] = self.document.copy_foreign(held).Held
        if all(key == free for key, free in new.items()):
            return
        for element in tree.elements:
            if "/C" in element:
                element.C = pikepdf.Array([_renamed(one, new) for one in kids(element, "/C")])

    def finish(self) -> None:
        """Write the tree; nothing if no part had one."""
        import pikepdf

        if not self.parts:
            return
        whole = self._element("/Document", self.parts)
        numbers = [item for pair in enumerate(self.parents) for item in pair]
        root = pikepdf.Dictionary(
            Type=pikepdf.Name.StructTreeRoot,
            K=whole,
            ParentTree=self.document.make_indirect(pikepdf.Dictionary(Nums=pikepdf.Array(numbers))),
            ParentTreeNextKey=len(self.parents),
        )
        mapped = {
            name: pikepdf.Name(role) for name, role in sorted(self.roles.items()) if name != role
        }
        if mapped:
            root.RoleMap = pikepdf.Dictionary(mapped)
        if self.classes:
            root.ClassMap = pikepdf.Dictionary(self.classes)
        if self.namespaces:
            root.Namespaces = pikepdf.Array(self.namespaces)
        if self.ids:
            names = [item for key in sorted(self.ids) for item in (key, self.ids[key])]
            root.IDTree = pikepdf.Dictionary(Names=pikepdf.Array(names))
        self.document.Root.StructTreeRoot = self.document.make_indirect(root)
        whole.P = self.document.Root.StructTreeRoot


def _resolved(name: str, roles: Mapping[str, str]) -> str:
    """Return the type that a role stands for: role maps may chain names, even in circles."""
    seen = {name}
    while name in roles and roles[name] not in seen:
        name = roles[name]
        seen.add(name)
    return name


def _renamed(one: Any, new: Mapping[str, str]) -> Any:
    import pikepdf

    return pikepdf.Name(new.get(str(one), str(one))) if isinstance(one, pikepdf.Name) else one


def _identify(tree: Tree, prefix: bytes) -> None:
    """Make ids different from those of other parts, and the references of table cells to them."""
    import pikepdf

    if not any("/ID" in element for element in tree.elements):
        return
    done: set[ObjGen] = set()
    for element in tree.elements:
        if "/ID" in element:
            element.ID = pikepdf.String(prefix + bytes(element.ID))
        for one in kids(element, "/A"):
            if not isinstance(one, pikepdf.Dictionary) or one.objgen in done - {(0, 0)}:
                continue
            done.add(one.objgen)
            if "/Headers" in one:
                headers = [pikepdf.String(prefix + bytes(each)) for each in kids(one, "/Headers")]
                one.Headers = pikepdf.Array(headers)
