"""Cuts of a typeface that a document needs: old-style figures, small capitals, semibold.

``typefaces`` have a regular and a bold weight with the glyphs that their files show first. Styles
that use more of them say so in their manifest, so that the others don't wait for more fonts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cvbuild.outputs.pdf.fonts.layouts import LINING, OLD_STYLE, PLAIN, TABULAR, Cut
from cvbuild.outputs.styles.manifests import FIGURES, Manifest

#: The family that has lining figures in a document with old-style ones (\CvbLining).
LINING_FAMILY = "cvblining"
#: Features in luaotfload's syntax. TeX's ligatures are off, as curly quotes and dashes are in the
#: text as characters, and local forms, with which Source Sans draws phonetic letters for Greek
#: ones that are extracted as such.
_LUA = "mode=node;script=latn;-tlig;-locl;+liga;+kern"
#: Space after each small capital in hundredths of the font's size.
TRACKING = 4


@dataclass(frozen=True, slots=True)
class Cuts:
    """What a document needs beside the plain shapes of its typeface."""

    oldstyle: bool = False
    caps: bool = False
    semibold: bool = False

    @property
    def figures(self) -> tuple[str, ...]:
        """The features of the figures in its text."""
        return OLD_STYLE if self.oldstyle else LINING

    def shapes(self, files: Mapping[str, Path]) -> Iterator[tuple[str, Path, Cut]]:
        """Yield LaTeX's series and shapes, each with a file and how its font is cut.

        ``files`` are those of the shapes m/n, m/it, b/n, b/it.
        """
        upright, bold = files["m/n"], files["b/n"]
        for shape, path in files.items():
            yield shape, path, Cut(self.figures)
        if self.semibold:
            yield "sb/n", upright, Cut(self.figures, heavier=bold)
            yield "sb/it", files["m/it"], Cut(self.figures, heavier=files["b/it"])
        if self.caps:
            yield "m/sc", upright, Cut(OLD_STYLE, caps=True)
            yield "b/sc", bold, Cut(OLD_STYLE, caps=True)
        if self.caps and self.semibold:
            yield "sb/sc", upright, Cut(OLD_STYLE, caps=True, heavier=bold)

    def alike(self, fonts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Return the fonts of a face without cuts by shape, for all shapes."""
        made = dict(fonts)
        if self.semibold:
            made |= {"sb/n": fonts["b/n"], "sb/it": fonts["b/it"]}
        if self.caps:
            made |= {"m/sc": fonts["m/n"], "b/sc": fonts["b/n"]}
        if self.caps and self.semibold:
            made["sb/sc"] = fonts["b/n"]
        return tuple(made.items())


NONE = Cuts()


def of(manifest: Manifest, options: Mapping[str, Any]) -> Cuts:
    """Return what a template's documents need with these options."""
    tex = manifest.tex
    return Cuts(options.get(FIGURES) == "oldstyle", tex.caps, "semibold" in tex.weights)


def lining(files: Mapping[str, Path]) -> Iterator[tuple[str, Path, Cut]]:
    """Yield the shapes of the family with lining figures, all of one width: the upright ones."""
    for shape in ("m/n", "b/n"):
        yield shape, files[shape], Cut(TABULAR)


def for_lua(path: Path, cut: Cut = PLAIN) -> str:
    """Return how LuaTeX loads a file, in luaotfload's syntax, with the figures of a cut."""
    return f"[{path}]:{_LUA};{';'.join(f'+{one}' for one in cut.figures)}"
