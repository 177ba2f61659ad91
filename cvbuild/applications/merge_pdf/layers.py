"""Layers (optional content) of several PDFs: what is hidden in a part stays hidden.

ISO 32000-1, 8.11: a layer that the catalog doesn't list is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cvbuild.applications.merge_pdf.read_tags import kids

if TYPE_CHECKING:
    import pikepdf


class Layers:
    """The layers of the merged file, part after part."""

    def __init__(self, document: pikepdf.Pdf) -> None:
        self.document = document
        self.groups: list[Any] = []
        self.off: list[Any] = []
        self.events: list[Any] = []

    def add(self, source: pikepdf.Pdf) -> None:
        """Copy a cleaned part's layers, after its pages were copied."""
        import pikepdf

        catalog: Any = source.Root
        found = catalog.get("/OCProperties")
        if found is None:
            return
        default = found.get("/D", pikepdf.Dictionary())
        groups = _groups(found, "/OCGs")
        if default.get("/BaseState") == "/OFF":
            shown = {one.objgen for one in _groups(default, "/ON")}
            off = [one for one in groups if one.objgen not in shown]
        else:
            off = _groups(default, "/OFF")
        copy = self.document.copy_foreign
        self.groups += [copy(one) for one in groups]
        self.off += [copy(one) for one in off]
        for event in kids(default, "/AS"):
            self.events.append(copy(event if event.is_indirect else source.make_indirect(event)))

    def finish(self) -> None:
        """Write them; nothing if no part had any."""
        import pikepdf

        if not self.groups:
            return
        default = pikepdf.Dictionary(Name=pikepdf.String("Layers"), OFF=pikepdf.Array(self.off))
        if self.events:
            default.AS = pikepdf.Array(self.events)
        self.document.Root.OCProperties = pikepdf.Dictionary(
            OCGs=pikepdf.Array(self.groups), D=default
        )


def _groups(holder: Any, key: str) -> list[Any]:
    import pikepdf

    found = kids(holder, key)
    return [one for one in found if isinstance(one, pikepdf.Dictionary) and one.is_indirect]
