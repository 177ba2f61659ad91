"""Write the parts of the documentation that come from the code: ``make docs``, ``make gallery``.

``python -m tools.docs pages``; or ``gallery [PERSON]``, which draws docs/gallery/*.png from that
person's out/*.pdf; or ``attacks REPORT``, which writes the table of docs/security.md from what
``make attack`` counted.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from cvbuild.cli.commands.templates import values
from cvbuild.inputs.schema import json_schema, reference_page
from cvbuild.model.kinds import KINDS, OWN
from cvbuild.model.kinds.describe import Kind, Listed, Named, Outlined, UnderHeading
from cvbuild.outputs.styles.options import Option
from cvbuild.outputs.styles.templates import Library, Template

DOCS = Path(__file__).resolve().parent.parent / "docs"
#: The person whose CV the gallery shows unless another is named.
PERSON = "gyeong-in-yu"
#: Pictures are drawn at twice the resolution and made smaller, which keeps thin lines even.
DPI = 72
COLOURS = 256
_OPTIONS = re.compile(r"(?<=<!-- options -->\n).*?(?=<!-- end of options -->)", re.DOTALL)
_ATTACKS = re.compile(r"(?<=<!-- attacks -->\n).*?(?=<!-- end of attacks -->)", re.DOTALL)
#: How kinds whose items are texts go to a list.
_NAMES: dict[type[UnderHeading | Named], str] = {
    UnderHeading: "a heading: `name`, what is under it: `keywords`",
    Named: "each a `name`",
}
_LISTS = re.compile(r"(?<=<!-- lists -->\n).*?(?=<!-- end of lists -->)", re.DOTALL)


def pages() -> dict[Path, str]:
    """Return every page that is made from the code, and its text."""
    templates, embed = DOCS / "templates.md", DOCS / "embed.md"
    text = templates.read_text(encoding="utf-8")
    return {
        DOCS / "profile.schema.json": json.dumps(json_schema.json_schema(), indent=2) + "\n",
        DOCS / "schema.md": reference_page.markdown(),
        templates: _OPTIONS.sub(lambda _: options(), text),
        embed: _LISTS.sub(lambda _: lists(), embed.read_text(encoding="utf-8")),
    }


def options() -> str:
    """Return a table of all options of the built-in templates and their values in each template."""
    library = Library.at()
    found = [library.find(name) for name in library.names()]
    names = dict.fromkeys(name for template in found for name in template.manifest.options)
    head = ("option", "for", *(template.name for template in found))
    rows = [head, ("---",) * len(head), *(_row(name, found) for name in names)]
    return "\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows) + "\n"


def lists() -> str:
    """Return a table of the lists of JSON Resume that the kinds go to."""
    kinds = [*KINDS.values(), OWN["interests"]]
    forms = [(kind, kind.require("json")) for kind in kinds]
    rows: list[tuple[str, ...]] = [("here", "list in JSON Resume", "renamed keys")]
    rows.append(("---",) * 3)
    rows += [_listed(kind, form) for kind, form in forms if isinstance(form, Listed)]
    for form_of, words in _NAMES.items():
        rows += [(f"`{k.name}`", f"`{f.list}`", words) for k, f in forms if isinstance(f, form_of)]
    prose = ", ".join(f"`{kind.name}`" for kind, form in forms if isinstance(form, Outlined))
    rows.append((prose, "none", "`text` of the section in `meta.sections`"))
    return "\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows).replace("|  |", "| |") + "\n"


def _listed(kind: Kind, form: Listed) -> tuple[str, ...]:
    """Return a kind, its list with the keys fixed for all items, and the renamed keys."""
    fixed = "".join(f", {key} {value}" for key, value in form.fixed.items())
    keys = dict(form.keys)
    if form.date not in ("", "date"):
        keys["date"] = form.date
    others = ", ".join(f"{key}: `{name}`" for key, name in keys.items())
    return f"`{kind.name}`", f"`{form.list}`{fixed}", others


def _row(name: str, templates: Iterable[Template]) -> tuple[str, ...]:
    having = [template.manifest.options.get(name) for template in templates]
    doc = next(option.doc for option in having if option)
    return (f"`{name}`", doc, *(_cell(option) if option else "–" for option in having))


def _cell(option: Option) -> str:
    """Return the values that an option takes, for a table; a long default is cut."""
    words = values(option)
    if option.type == "number" and option.min is not None and option.max is not None:
        words = words.replace("number,", f"{option.min:g} to {option.max:g},")
    return words if len(words) <= 80 else words[:60].rpartition(",")[0] + ", …"


def gallery(person: str) -> None:
    """Write the first page of each style as a PNG."""
    from PIL import Image, ImageOps
    from pypdfium2 import PdfDocument

    for style in Library.at().names():
        pdf = DOCS.parent / "out" / person / f"{style}.pdf"
        with PdfDocument(pdf) as document:
            large = document[0].render(scale=2 * DPI / 72).to_pil().convert("RGB")
        small = large.resize((large.width // 2, large.height // 2), Image.Resampling.LANCZOS)
        # A thin frame, for the white page on a white page.
        framed = ImageOps.expand(small, border=1, fill="#c8c8c8")
        picture = framed.quantize(COLOURS, dither=Image.Dither.NONE)
        picture.save(DOCS / "gallery" / f"{style}.png", optimize=True)


def attacks(report: Path) -> None:
    """Write how many attacks of each class were tried, and how many tests of it failed."""
    counts: dict[str, tuple[int, int]] = json.loads(report.read_text(encoding="utf-8"))
    rows = [
        f"| {name} | {tried:,} | {failed} |" for name, (tried, failed) in sorted(counts.items())
    ]
    total = sum(tried for tried, _ in counts.values())
    head = ["| class | tried | tests that failed |", "| --- | ---: | ---: |"]
    table = "\n".join([*head, *rows, f"| in all | {total:,} | |"])
    page = DOCS / "security.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(_ATTACKS.sub(lambda _: f"\n{table}\n\n", text), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Run one of the three commands."""
    match arguments:
        case ["pages"]:
            for path, text in pages().items():
                path.write_text(text, encoding="utf-8")
        case ["gallery", *people] if len(people) <= 1:
            gallery(people[0] if people else PERSON)
        case ["attacks", report]:
            attacks(Path(report))
        case _:
            sys.stderr.write(f"{__doc__}\n")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
