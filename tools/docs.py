"""Write the parts of the documentation that come from the code: ``make docs``.

``python -m tools.docs pages``; or ``gallery``, which draws the pictures below docs/gallery/ and
writes docs/gallery.md (``make docs-gallery``).
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from cvbuild.cli.commands import manual
from cvbuild.model.base import FrozenMap
from cvbuild.model.kinds import KINDS, OWN, Kind, Listed, Outlined, UnderHeading
from cvbuild.outputs.styles.manifests import Manifest, Option
from cvbuild.outputs.styles.templates import Library
from tools import cli_page, schema_page
from tools.generated import filled, table

DOCS = Path(__file__).resolve().parent.parent / "docs"
#: How kinds whose items are texts go to a list.
_NAMES: dict[type[UnderHeading], str] = {
    UnderHeading: "a heading: `name`, what is under it: `keywords`",
}


def pages() -> dict[Path, str]:
    """Return every page that is made from the code, and its text."""
    reference, why = DOCS / "reference", DOCS / "explanation"
    return {
        **{DOCS.parent / name: text for name, text in manual.schemas(Library.at()).items()},
        cli_page.PAGE: cli_page.markdown(),
        schema_page.PAGE: schema_page.markdown(),
        (page := reference / "templates.md"): filled(page, options=options()),
        (page := reference / "template-files.md"): filled(page, names=names()),
        (page := reference / "pdf.md"): filled(page, lists=lists()),
        (page := why / "one-page.md"): filled(page, weights=weights()),
        DOCS / "llms.txt": llms(),
    }


def llms() -> str:
    """Return the list of pages for language models (llmstxt.org): each with what it begins with.

    Sections and their order are those of the site.
    """
    nav = tomllib.loads((DOCS.parent / "zensical.toml").read_text("utf-8"))["project"]["nav"]
    start = [page for one in nav for page in one.values() if isinstance(page, str)]
    sections = {name: part for one in nav for name, part in one.items() if isinstance(part, list)}
    lines = ["# cvbuild", "", f"> {_begins(DOCS / 'index.md')[1]}"]
    for name, part in {"Start": start, **sections}.items():
        lines += ["", f"## {name}", ""]
        for page in _flat(part):
            if (path := DOCS / page).is_file():
                lines.append(f"- [{(about := _begins(path))[0]}]({page}): {about[1]}")
    return "\n".join(lines) + "\n"


def _flat(part: Iterable[str | Mapping[str, list[str]]]) -> Iterator[str]:
    for one in part:
        yield from (
            [one] if isinstance(one, str) else (page for each in one.values() for page in each)
        )


def _begins(page: Path) -> tuple[str, str]:
    """Return the title of a page, and the sentence that it begins with, without links and marks."""
    text = re.sub(
        r"^(```.*?^```|<.*?>|    .*?)$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    title, *rest = [one.strip() for one in text.split("\n\n") if one.strip()]
    prose = next(one for one in rest if re.match(r"[\w`*\[]", one))
    plain = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", " ".join(prose.split()))
    return title.removeprefix("# "), re.split(r"(?<=[.:])\s+(?=[A-Z`])", plain)[0].rstrip(":")


def options() -> str:
    """Return a table of all options of the built-in templates, and one of defaults that differ."""
    library = Library.at()
    found = [library.find(name).manifest for name in library.names()]
    names = dict.fromkeys(name for manifest in found for name in manifest.options)
    having = {name: [m.options[name] for m in found if name in m.options] for name in names}
    usual = {name: _usual(map(_default, options)) for name, options in having.items()}
    rows = [
        (f"`{name}`", options[0].doc, _takes(options[0]), usual[name] or "none")
        for name, options in having.items()
    ]
    own = [
        (f"`{name}`", ", ".join(_differences(library.find(name).manifest, usual)) or "–")
        for name in library.names()
    ]
    tables = (("option", "for", "takes", "default"), rows), (("template", "differs in"), own)
    return "\n".join(table(head, lines) for head, lines in tables)


def names() -> str:
    """Return a table of what a style can set by each command, as the core's packages have it."""
    core = DOCS.parent / "templates" / "_core"
    text = "\n".join(path.read_text("utf-8") for path in sorted(core.glob("*.sty")))
    measures = (core / "cvb-core-style.sty").read_text(encoding="utf-8")
    roles = re.search(r"Roles: ([^.]+)\.", text)
    assert roles is not None
    found = {
        "\\CvbStyle": re.findall(r"^%   ([a-z-]+(?:/<block>)?) += ", measures, re.MULTILINE),
        "\\CvbColour": [
            "cvb-accent",
            *re.findall(r"^\\CvbColour \{ (cvb-[a-z]+)", text, re.MULTILINE),
        ],
        "\\CvbFont": [
            *roles[1].replace("%", "").split(),
            *re.findall(r"^\\CvbFont \{ ([a-z/]+) \}", text, re.MULTILINE),
        ],
        "\\CvbLayout": re.findall(
            r"^\\(?:CvbLayout|__cvb_new_block:nnnn \\\w+(?::n)?) \{ ([a-z-]+) \}",
            text,
            re.MULTILINE,
        ),
    }
    rows = [
        (f"`{command}`", ", ".join(f"`{name}`" for name in dict.fromkeys(given)))
        for command, given in found.items()
    ]
    return table(("command", "names"), rows)


def _usual(words: Iterable[str]) -> str:
    """Return the most frequent of some words, the first of several."""
    return Counter(words).most_common(1)[0][0]


def _differences(manifest: Manifest, usual: Mapping[str, str]) -> Iterator[str]:
    """Yield what a template has else than most, and what it hasn't."""
    for name, common in usual.items():
        if name not in manifest.options:
            yield f"no `{name}`"
        elif (own := _default(manifest.options[name])) != common:
            yield f"`{name}` {own or 'none'}"


def _takes(option: Option) -> str:
    """Return which values an option takes."""
    if option.type == "choice":
        return ", ".join(option.choices)
    bounds = f"{option.min:g} to {option.max:g}" if option.max is not None else ""
    return bounds if option.type == "number" else f"{option.type} {bounds}".strip()


def _default(option: Option) -> str:
    """Return the default of an option as people write it; a long one is cut."""
    given = option.default
    if isinstance(given, dict | FrozenMap):
        return ", ".join(f"{side} {length}" for side, length in given.items())
    words = ", ".join(map(str, given)) if isinstance(given, list | tuple) else str(given or "")
    return words if len(words) <= 60 else words[:45].rpartition(",")[0] + ", …"


def lists() -> str:
    """Return a table of the lists of JSON Resume that the kinds go to."""
    kinds = [*KINDS.values(), OWN["interests"]]
    forms = [(kind, kind.json) for kind in kinds]
    rows = [_listed(kind, form) for kind, form in forms if isinstance(form, Listed)]
    for form_of, words in _NAMES.items():
        rows += [(f"`{k.name}`", f"`{f.list}`", words) for k, f in forms if isinstance(f, form_of)]
    prose = ", ".join(f"`{kind.name}`" for kind, form in forms if isinstance(form, Outlined))
    rows.append((prose, "none", "in `meta.cvbuild` alone"))
    return table(("here", "list in JSON Resume", "renamed keys"), rows)


def weights() -> str:
    """Return a table of what each kind counts for one page, the heaviest first."""
    every = [*OWN.values(), *KINDS.values()]
    every.sort(key=lambda kind: -kind.weight)
    rows = [(f"`{kind.name}`", f"{kind.weight}", f"{kind.least or ''}") for kind in every]
    return table(("kind", "weight", "least number"), rows, ("---", "---:", "---:"))


def _listed(kind: Kind, form: Listed) -> tuple[str, ...]:
    """Return a kind, its list with the keys fixed for all items, and the renamed keys."""
    fixed = f", type {form.type}" if form.type else ""
    keys = dict(form.keys)
    if form.date not in ("", "date"):
        keys["date"] = form.date
    others = ", ".join(f"{key}: `{name}`" for key, name in keys.items())
    return f"`{kind.name}`", f"`{form.list}`{fixed}", others


def main(arguments: list[str]) -> int:
    """Run one of the two commands."""
    match arguments:
        case ["pages"]:
            for path, text in pages().items():
                path.write_text(text, encoding="utf-8")
        case ["gallery"]:
            from tools import gallery  # needs Pillow

            gallery.draw()
        case _:
            sys.stderr.write(f"{__doc__}\n")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
