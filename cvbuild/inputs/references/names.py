"""Names of authors in the forms that databases write them: as they are printed."""

from __future__ import annotations

import re

from cvbuild.inputs.references import latex_text, texts

#: What stands for the rest of a long list.
_OTHERS = re.compile(r"(?:and )?(?:others|et\.? al\.?|u\. ?a\.)", re.IGNORECASE)
_JUNIOR = re.compile(r"(?:jr|sr|[IVX]+)\.?", re.IGNORECASE)
ET_AL = "et al."


def of_bibtex(value: str) -> list[str]:
    """Return the names of a field with names in BibTeX; braces hold one together."""
    from bibtexparser.middlewares.names import (
        InvalidNameError,
        parse_single_name_into_parts,
        split_multiple_persons_names,
    )

    found: list[str] = []
    for name in split_multiple_persons_names(value):
        # Before the LaTeX is read: the braces say what belongs together.
        whole = re.fullmatch(r"\{([^{}]*)\}", name)
        if whole:
            found.append(latex_text.plain(whole[1]))
            continue
        if _OTHERS.fullmatch(name):
            found.append(ET_AL)
            continue
        try:
            parts = parse_single_name_into_parts(name, strict=False)
        except InvalidNameError:
            found.append(latex_text.plain(name))
            continue
        words = [*parts.first, *parts.von, *parts.last]
        junior = " ".join(parts.jr)
        printed = latex_text.plain(" ".join(words)) or latex_text.plain(name)
        found.append(f"{printed}, {latex_text.plain(junior)}" if junior else printed)
    return [name.strip(" ,") for name in found if name.strip(" ,")]


def of_inverted(value: str) -> str:
    """Return a name that may be written Last, First, Junior as it is printed."""
    name = texts.line(value).strip(" ,")
    if _OTHERS.fullmatch(name):
        return ET_AL
    last, *rest = (part.strip() for part in name.split(","))
    rest = [part for part in rest if part]
    if not rest:
        return last
    # RIS and BibTeX differ in where they put it.
    junior = next((part for part in rest if _JUNIOR.fullmatch(part)), None)
    given = [part for part in rest if part is not junior]
    printed = " ".join([*given, last])
    return f"{printed}, {junior}" if junior else printed


def of_parts(given: str = "", family: str = "", particle: str = "", suffix: str = "") -> str:
    """Return a name of its parts as it is printed."""
    printed = texts.line(" ".join(part for part in (given, particle, family) if part))
    return f"{printed}, {texts.line(suffix)}" if suffix and printed else printed
