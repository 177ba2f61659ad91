"""Build the corpus, and measure what the readers extracted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cvbuild
from cvbuild.common.diagnostics import path_of
from cvbuild.model.profile import Profile
from cvbuild.outputs.styles import templates
from cvbuild.outputs.styles.templates import Library
from tools.ats import readers
from tools.ats.facts import Block, Contact, contact, expected
from tools.ats.figures import Figures, figures_of, joined
from tools.ats.required import RIGHT_TO_LEFT

CORPUS = Path(__file__).parent / "corpus"
CVS = tuple(sorted(path.stem for path in CORPUS.glob("*.yaml")))


@dataclass(frozen=True, slots=True)
class Document:
    """One CV in one template."""

    cv: str
    template: str

    def __str__(self) -> str:
        return f"{self.cv}-{self.template}"


@dataclass(frozen=True, slots=True)
class Extracted:
    """Its pages' texts by reader, and what it had no room for; ``problems`` if there is no PDF."""

    texts: dict[str, list[str]]
    left_out: Sequence[str] = ()
    problems: Sequence[str] = ()


@cache
def profile_of(cv: str) -> Profile:
    """Return the CV's profile. Raises ProfileError if the corpus has an error."""
    return cvbuild.load_profile(CORPUS / f"{cv}.yaml")


@cache
def extracted(document: Document, folder: Path) -> Extracted:
    """Return the texts of a document, which is built below a folder."""
    (outcome,) = cvbuild.build(
        [CORPUS / f"{document.cv}.yaml"],
        templates=[document.template],
        out=folder / str(document),
        driver="direct",
        epoch=0,
        formats="pdf",
    )
    if outcome.path is None or outcome.record is None:
        return Extracted({}, problems=[str(item) for item in outcome.diagnostics])
    return Extracted(readers.read(outcome.path), outcome.record.left_out)


def facts(document: Document, left_out: Sequence[str]) -> tuple[tuple[Block, ...], Contact]:
    """Return what the document must show, and what must be found at its top."""
    profile = profile_of(document.cv)
    origins = templates.origins(Library.at().require(document.template), profile)
    options = {name: value for name, (value, _) in origins.items()}
    blocks = expected(profile, options, frozenset(path_of(name) for name in left_out))
    return blocks, contact(profile)


def measured(document: Document, found: Extracted) -> dict[str, Figures]:
    """Return the figures of each reader."""
    blocks, who = facts(document, found.left_out)
    figures = {}
    for reader, pages in found.texts.items():
        text, layout = joined(pages, who["name"][0].text), reader == "poppler layout"
        seen = None
        # Of these two a line is in the order in which it is seen, of others as it is read.
        if document.cv in RIGHT_TO_LEFT and "poppler" in reader:
            seen, text = text, joined(readers.logical(pages), who["name"][0].text)
        figures[reader] = figures_of(text, blocks, who, layout=layout, leftward=seen)
    return figures
