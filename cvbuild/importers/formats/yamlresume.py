"""YAMLResume: JSON Resume's lists in YAML, with Markdown lists in summaries, and layouts."""

from __future__ import annotations

import re

from cvbuild.common.errors import CvbuildError
from cvbuild.importers import parsers, values
from cvbuild.importers.formats.jsonresume import Reader
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.values import Value
from cvbuild.inputs.references import texts

_CONTENT = re.compile(rb'^content:|"content"\s*:\s*\{', re.MULTILINE)
_PARTS = re.compile(
    rb"""(?:^\s+|[{,]\s*)["']?(basics|education|work|skills|projects)["']?\s*:|^layouts:|^locale:""",
    re.MULTILINE,
)
#: The order in which it shows the lists, unless a layout says otherwise.
_ORDER = (
    "basics", "education", "work", "languages", "skills", "awards", "certificates", "publications",
    "references", "projects", "interests", "volunteer",
)  # fmt: skip


class Format:
    """A CV as YAMLResume."""

    name = "yamlresume"
    title = "YAMLResume"

    def recognises(self, given: Given) -> bool:
        """Return whether it has the keys of such a CV."""
        head = given.head
        return bool(_CONTENT.search(head) and _PARTS.search(head))

    def read(self, given: Given) -> Imported:
        """Read it; raise CvbuildError for what is no YAML, or has no name."""
        root = parsers.parse_yaml(given.data, given.name)
        content = root.get("content")
        if content is None or not isinstance(content.data, dict):
            place = content.place if content else root.place
            message, hint = '"content" is no mapping', "write basics, education, … below it"
            raise CvbuildError.because("yamlresume", message, hint, place)
        _as_json_resume(content)
        reader = Reader(content, given.name)
        order = _layouts(root, reader)
        reader.basics(content.mapping("basics"))
        locale = root.mapping("locale")
        reader.draft.put("locale", texts.line(locale.text("language")), locale.where("language"))
        for key in sorted(content.data, key=lambda one: order.index(one) if one in order else 99):
            reader.list(key)
        values.lose_unread(root, reader.draft)
        reader.draft.keep_order()
        return reader.draft.done()


def _as_json_resume(content: Value) -> None:
    """Move what YAMLResume has beside ``basics`` into it."""
    basics = content.get("basics")
    if isinstance(content.data, dict) and basics and isinstance(basics.data, dict):
        for key in ("location", "profiles"):
            if key in content.data:
                basics.data.setdefault(key, content.data.pop(key))


def _layouts(root: Value, reader: Reader) -> list[str]:
    """Return the order of the sections, and note their titles: those of the first layout."""
    order = list(_ORDER)
    for layout in root.mappings("layouts")[:1]:
        sections = layout.mapping("sections")
        first = sections.texts("order")
        order = [*first, *(one for one in order if one not in first)]
        aliases = sections.mapping("aliases")
        for key in aliases.data or ():
            # What heads the person's own texts has no heading of its own here.
            if isinstance(key, str) and key not in ("basics", "interests"):
                reader.titles[key] = texts.plain(aliases.text(key))
        paper = layout.mapping("page").text("paperSize")
        if paper == "letter":
            reader.draft.put("options", {"paper": paper})
        elif paper not in ("", "a4"):
            reader.draft.lose("layouts[0].page.paperSize", paper, layout.place)
    return order
