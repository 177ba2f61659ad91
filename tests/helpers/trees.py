"""The structure tree of a PDF as a reader walks it: elements, texts and links in their order."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import outloud
import pikepdf
from outloud.model import Document as Tagged
from outloud.model import StructElem
from outloud.rules._common import element_text
from pdfua.validator import validate
from pikepdf import Array, Dictionary


@dataclass(frozen=True, slots=True)
class Link:
    """An annotation in the tree; ``page`` counts from 0."""

    target: str
    description: str
    page: int


@dataclass(slots=True)
class Element:
    """An element; a child is another one, a text with its page, or a link."""

    role: str
    attributes: dict[str, Any] = field(default_factory=dict)
    language: str | None = None
    alt: str | None = None
    children: list[Element | tuple[str, int] | Link] = field(default_factory=list)

    def all(self, role: str = "") -> Iterator[Element]:
        """Yield this element and those in it, in their order; with ``role`` alone, if given."""
        if role in ("", self.role):
            yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.all(role)

    def links(self) -> list[Link]:
        return [child for child in self.children if isinstance(child, Link)]

    def text(self) -> str:
        parts = []
        for child in self.children:
            if isinstance(child, Element):
                parts.append(child.text())
            elif not isinstance(child, Link):
                parts.append(child[0])
        return " ".join(" ".join(parts).split())

    def pages(self) -> list[int]:
        return [child[1] for child in self.children if isinstance(child, tuple)]

    def short(self) -> object:
        return {
            self.role: [
                child.short()
                if isinstance(child, Element)
                else f"@ {child.target}"
                if isinstance(child, Link)
                else " ".join(child[0].split())
                for child in self.children
            ]
        }


class _Reader:
    """Reads one tree; all that the file says twice (parents, pages, owners) must agree."""

    def __init__(self, tagged: Tagged) -> None:
        self.tagged, self.pdf = tagged, tagged.pdf
        root: Any = self.pdf.Root.StructTreeRoot
        self.owners = dict(pikepdf.NumberTree(root.ParentTree))
        self.pages = {page.obj.objgen: number for number, page in enumerate(self.pdf.pages)}
        self.used: set[tuple[int, int]] = set()
        self.linked: list[Any] = []

    def element(self, node: Any, above: Any, page: int | None) -> Element:
        assert node.P.objgen == above.objgen, f"{node.S}: /P leads elsewhere"
        if "/Pg" in node:
            page = self.pages[node.Pg.objgen]
        made = Element(str(node.S)[1:])
        made.language = str(node.Lang) if "/Lang" in node else None
        made.alt = str(node.Alt) if "/Alt" in node else None
        values = node.get("/A", Dictionary())
        for value in values if isinstance(values, Array) else [values]:
            made.attributes |= {key[1:]: one for key, one in value.items() if key != "/O"}
        kids = node.get("/K", Array())
        for kid in kids if isinstance(kids, Array) else [kids]:
            made.children.append(self.child(kid, node, page))
        return made

    def child(self, kid: Any, above: Any, page: int | None) -> Element | tuple[str, int] | Link:
        if isinstance(kid, int):
            return self.piece(kid, page, above)
        if kid.get("/Type") == "/MCR":
            return self.piece(int(kid.MCID), self.pages[kid.Pg.objgen], above)
        if kid.get("/Type") != "/OBJR":
            return self.element(kid, above, page)
        one = kid.Obj
        at = next(
            number
            for number, page in enumerate(self.pdf.pages)
            if any(other.objgen == one.objgen for other in page.obj.get("/Annots", ()))
        )
        assert self.pages[kid.Pg.objgen] == at, "a link is said to be on another page"
        assert self.owners[int(one.StructParent)].objgen == above.objgen
        self.linked.append(one.objgen)
        target = one.A.get("/URI", "") if "/A" in one else ""
        return Link(str(target), str(one.get("/Contents", "")), at)

    def piece(self, mcid: int, page: int | None, above: Any) -> tuple[str, int]:
        assert page is not None, f"MCID {mcid} without a page"
        assert (page, mcid) not in self.used, "one sequence in two elements"
        self.used.add((page, mcid))
        row: Any = self.owners[int(self.pdf.pages[page].obj.StructParents)]
        assert row[mcid].objgen == above.objgen, "the parent tree leads elsewhere"
        content = self.tagged.content(page)
        assert content.parse_error is None
        assert content.nesting_events == [], "sequences lie in one another"
        return content.mcid_text.get((None, mcid), ""), page

    def check(self) -> None:
        """Assert that every sequence, text and link of the pages is in the tree, or an artifact."""
        for number, page in enumerate(self.pdf.pages):
            content = self.tagged.content(number)
            shown = {mcid for _, mcid in content.mcid_text}
            assert shown <= {mcid for at, mcid in self.used if at == number}
            assert content.untagged_runs() == []
            links = [one.objgen for one in page.obj.get("/Annots", ())]
            assert set(links) <= set(self.linked)
        assert len(self.linked) == len(set(self.linked))


def tree(pdf: bytes) -> Element:
    """Return the Document element; asserts that the file doesn't contradict itself."""
    tagged = Tagged(io.BytesIO(pdf))
    try:
        reader = _Reader(tagged)
        root: Any = tagged.pdf.Root.StructTreeRoot
        (top,) = root.K if isinstance(root.K, Array) else [root.K]
        made = reader.element(top, root, None)
        reader.check()
    finally:
        tagged.close()
    assert made.role == "Document"
    return made


def artifacts(pdf: bytes) -> list[str]:
    tagged = Tagged(io.BytesIO(pdf))
    try:
        return [
            "".join(run.text for run in tagged.content(number).artifact_runs())
            for number in range(len(tagged.pages))
        ]
    finally:
        tagged.close()


def elements(pdf: Path) -> list[tuple[StructElem, str]]:
    with contextlib.closing(Tagged(str(pdf))) as tagged:
        return [(one, " ".join(element_text(tagged, one).split())) for one in tagged.elements]


def check_accessible(pdf: Path, known: Collection[tuple[str, str]] = ()) -> None:
    """Two checkers find nothing but what is known, by rule and evidence."""
    result = outloud.check(str(pdf))
    assert result.error is None
    assert result.stats["tagged"]
    assert [one for one in result.findings if (one.rule, one.evidence) not in known] == []
    report = validate(str(pdf))
    assert report.findings == ()
    assert len(report.outcomes) >= 10
    assert len(report.skipped) <= 1
