"""``--format bib``: publications and patents as BibTeX, in UTF-8: what a document shows of them.

The inverse of ``importers.formats.records``, which reads the items back. Pure: the same input
gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from anyascii import anyascii

from cvbuild.common.diagnostics import FieldPath
from cvbuild.model import rich_text
from cvbuild.model.base import Prose
from cvbuild.model.dates import Date
from cvbuild.outputs import checks
from cvbuild.outputs.types import Made, Output, Shown
from cvbuild.selection.selected import Selected
from cvbuild.view.types import Content

#: Characters that mean something to TeX, or to BibTeX.
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\lbrace{}", "}": r"\rbrace{}", "%": r"\%",
    "&": r"\&", "#": r"\#", "_": r"\_", "$": r"\$", "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}", "`": r"\textasciigrave{}", "–": "--", "—": "---", "\u00a0": "~",
}  # fmt: skip
#: Between two characters that TeX would set as one: a dash, or quotation marks; and of HTML.
_LIGATURE = re.compile(
    r"(?<=&)(?=#?\w+;)|(?<=<)(?=/?[A-Za-z])|(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)|(?<=<)(?=<)|(?<=>)(?=>)"
)
_ADDRESS = {"{": "%7B", "}": "%7D", "\\": "%5C", " ": "%20"}
_STYLES = {
    "strong": "textbf", "emph": "emph", "sup": "textsuperscript", "sub": "textsubscript",
}  # fmt: skip
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
#: A word with capitals inside, which styles would make small: GPU, iPhone.
_CAPITALS = re.compile(r"(\b\w+[A-Z]\w*)")
#: Names that aren't those of a person, who would be abbreviated.
_GROUP = re.compile(
    r",| and |\b(?:collaboration|consortium|group|team|initiative|project|network|committee|"
    r"society|association|foundation|institute|university|developers|contributors)\b",
    re.IGNORECASE,
)
_MEETING = re.compile(
    r"\b(?:proceedings|conference|symposium|workshop|congress|meeting|konferenz|tagung)\b",
    re.IGNORECASE,
)
#: The type of a work by the beginning of its note, and the field of its venue there.
_BY_NOTE = (
    ("PhD thesis", "phdthesis"), ("Master's thesis", "mastersthesis"), ("Thesis", "thesis"),
    ("Bachelor's thesis", "bachelorsthesis"), ("Technical report", "techreport"),
    ("Software", "software"), ("Dataset", "dataset"), ("Unpublished", "unpublished"),
    ("Manual", "manual"),
)  # fmt: skip
_VENUES = {
    "article": "journal", "inproceedings": "booktitle", "phdthesis": "school", "thesis": "school",
    "mastersthesis": "school", "bachelorsthesis": "school", "techreport": "institution",
    "incollection": "journal",
}  # fmt: skip
_PLAIN = {
    "editors": "editor", "series": "series", "volume": "volume", "chapter": "chapter",
    "pages": "pages", "publisher": "publisher", "location": "address",
    "short_venue": "shortjournal", "summary": "annotation",
}  # fmt: skip
_LINKS = ("pdf", "code", "slides", "video", "poster", "website")


def text(shown: Selected) -> str:
    """Return the file: an entry for each work, in the order of the document."""
    works = list(shown.items("publication", "patent"))
    # By the place in the person's file: another selection has the same keys.
    keys = dict(_keys(sorted(works, key=lambda work: work[0])))
    entries = [_entry(keys[path], item) for path, item in works]
    # An @ would begin an entry, even here.
    head = f"% Publications of {shown.profile.name.display}\n".replace("@", "(at)")
    return "\n".join([head if entries else f"{head}% None is shown.\n", *entries])


def _keys(works: Iterable[tuple[FieldPath, Any]]) -> Iterator[tuple[FieldPath, str]]:
    """Yield a key for each work: family name, year and first long word; letters tell equal ones."""
    used: set[str] = set()
    for path, item in works:
        people = getattr(item, "authors", ()) or getattr(item, "inventors", ())
        family = people[0].name.partition(",")[0].split()[-1] if people else ""
        year = str(item.date.sort_key[0][0]) if item.date and item.date.sort_key else ""
        if item.date and item.date.present and item.date.start:
            year = str(item.date.start.year)
        words = re.findall(r"[a-z0-9]+", anyascii(str(item.title)).lower())
        word = next((word for word in words if len(word) > 3), "".join(words[:1]))
        base = re.sub(r"[^a-z0-9]", "", anyascii(family).lower()) + year + word
        key, number = base or "work", 1
        while key in used:
            number += 1
            key = f"{base}-{number}"
        used.add(key)
        yield path, key


def _entry(key: str, item: Any) -> str:
    fields = {name: value for name, value in _fields(item) if value}
    kind = fields.pop("ENTRYTYPE")
    width = max(map(len, fields))
    lines = [
        # BibTeX has strings for months, which each style writes in its own way.
        f"  {name:{width}} = " + (f"{value}," if name == "month" else f"{{{value}}},")
        for name, value in fields.items()
    ]
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])


def _fields(item: Any) -> Iterator[tuple[str, str]]:
    """Yield the fields of an entry; its type is called ENTRYTYPE."""
    if not hasattr(item, "authors"):
        yield from _patent(item)
        return
    kind, rest = _type(item)
    yield "ENTRYTYPE", kind
    yield "title", _title(item.title)
    yield "author", " and ".join(_name(author.name + author.marks) for author in item.authors)
    yield _VENUES.get(kind, "howpublished"), _latex(item.venue)
    yield "booktitle" if kind != "inproceedings" else "maintitle", _latex(item.book)
    for field, name in _PLAIN.items():
        value = getattr(item, field)
        if field == "editors":
            yield name, " and ".join(_name(str(editor)) for editor in value)
        else:
            yield name, _latex(value)
    yield "number" if kind == "article" else "issue", _latex(item.issue)
    if kind == "techreport":
        number = re.match(r" ([^\s.]+)", rest)
        yield "number", _latex(number[1] if number else "")
        rest = rest[number.end() :] if number else rest
    yield from _dated(item.date)
    yield "doi", item.doi or ""
    if item.arxiv:
        yield from (("eprint", item.arxiv), ("archiveprefix", "arXiv"))
    yield "url", _address(item.url)
    yield "note", rest.strip(". ") if rest != _latex(item.note) else rest
    yield from _links(item)
    yield "keywords", ", ".join(map(_latex, item.keywords))


def _type(item: Any) -> tuple[str, str]:
    """Return the entry's type, and what else its note says."""
    note = _latex(item.note)
    if kind := told_by_type(note):
        return kind[1], note.removeprefix(kind[0])
    if item.book:
        return "incollection", note
    venue = str(item.venue or "")
    if venue and not item.volume and (_MEETING.search(venue) or item.editors or item.series):
        return "inproceedings", note
    if venue:
        return "article", note
    return "book" if item.publisher or item.series or item.editors else "misc", note


def told_by_type(note: str) -> tuple[str, str] | None:
    """Return the words that a note begins with and the type that says them, if there is one."""
    for word, kind in _BY_NOTE:
        if note == word or note.startswith((f"{word}.", f"{word} ")):
            return word, kind
    return None


def _patent(item: Any) -> Iterator[tuple[str, str]]:
    yield "ENTRYTYPE", "patent"
    yield "title", _title(item.title)
    yield "author", " and ".join(_name(author.name + author.marks) for author in item.inventors)
    yield "number", _latex(item.number)
    yield from _dated(item.date)
    yield "url", _address(item.url)
    yield "note", _latex(item.status)
    yield from _links(item)


def _dated(date: Date | None) -> Iterator[tuple[str, str]]:
    """Yield year and month, or BibLaTeX's date for a range or a day."""
    if date is None:
        return
    start = date.start
    if start is None or start.season or date.several or date.expected:
        yield "year", _latex(date.text or str(date))
    elif date.end or date.present:
        yield "date", f"{start}/{date.end or ''}"
    else:
        yield "year", str(start.year)
        yield "month", _MONTHS[start.month - 1] if start.month else ""
        yield "day", str(start.day or "")


def _links(item: Any) -> Iterator[tuple[str, str]]:
    """Yield links by their label, others as words."""
    words = []
    for link in item.links:
        label = str(link.label)
        if link.url and label.lower() in _LINKS:
            yield label.lower(), _address(link.url)
        elif link.url:
            words.append(f"\\href{{{_address(link.url)}}}{{{_latex(label)}}}")
        else:
            words.append(_latex(label))
    words += [f"{mark} {_latex(meaning)}" for mark, meaning in getattr(item, "marks", {}).items()]
    yield "addendum", ". ".join(words)


def _name(name: str) -> str:
    """Return a name as BibTeX reads it: a group, or one with a comma, is held together."""
    if name.casefold() in ("et al.", "et al", "others"):
        return "others"
    return f"{{{_latex(name)}}}" if _GROUP.search(name) else _latex(name)


def _address(url: str | None) -> str:
    return "".join(_ADDRESS.get(char, char) for char in url or "")


def _latex(value: Any) -> str:
    """Return a text as LaTeX."""
    if isinstance(value, Prose):
        return " ".join("".join(map(_node, text.nodes)) for text in value.every if text.nodes)
    parts = _LIGATURE.split(str(value or ""))
    return "{}".join("".join(_SPECIAL.get(char, char) for char in part) for part in parts)


def _title(value: Prose) -> str:
    """Return a title in which no style makes capitals small that a word has inside."""
    return "".join(
        _kept(node.text) if isinstance(node, rich_text.Text) else _node(node)
        for node in value.nodes
    )


def _kept(text: str) -> str:
    """Return a text as LaTeX, with braces around words with capitals inside."""
    parts = _CAPITALS.split(text)
    return "".join(f"{{{text}}}" if at % 2 else text for at, text in enumerate(map(_latex, parts)))


def _node(node: rich_text.Node) -> str:
    match node:
        case rich_text.Text():
            return _latex(node.text)
        case rich_text.Code():
            return f"\\texttt{{{_latex(node.text)}}}"
        case rich_text.Break():
            return " "
        case rich_text.Link():
            return f"\\href{{{_address(node.url)}}}{{{''.join(map(_node, node.children))}}}"
        case rich_text.Span():
            inner = "".join(map(_node, node.children))
            return f"\\{_STYLES[node.style]}{{{inner}}}"


# -- the format ----------------------------------------------------------------------------------


#: Fields that have a form of their own there.
_OTHERWISE = ("date", "doi", "arxiv", "pages")
#: What isn't printed as it is: styles and links, commands for signs, signs after a backslash,
#: ligatures, ties, groups. A group between two signs keeps them from being a ligature.
_TOKEN = re.compile(
    r"\\(?:textbf|emph|texttt|textsuperscript|textsubscript|href\{[^{}]*\})(?=\{)"
    r"|\\(text[a-z]+|[lr]brace)\{\}|\\([%&#_$])|---?|``|''|,,|<<|>>|~|[{}]"
)
_SIGNS = {
    "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textasciigrave": "`",
    "lbrace": "{", "rbrace": "}", "---": "—", "--": "–", "``": "“", "''": "”",
    ",,": "„", "<<": "«", ">>": "»", "~": "\u00a0",
}  # fmt: skip


class Format(Output):
    """BibTeX in UTF-8."""

    name = "bib"
    suffix = ".bib"

    def make(self, shown: Shown) -> Made:
        """Return the entries; raise DocumentError if a text of an item is missing from them."""
        written = text(shown.selected)
        items = tuple(shown.view.items("publication", "patent"))
        expected = [text for text in checks.walk(items) if not _otherwise(text)]
        read = _TOKEN.sub(lambda token: token[2] or _SIGNS.get(token[1] or token[0], ""), written)
        return Made(written.encode(), checks.require(read, expected, shown.task.source))


def _otherwise(content: Content) -> bool:
    """Return whether a text is written in another form, or is the number of an item."""
    is_others = "authors" in content.path and str(content).startswith("et al")
    is_type = content.path[-1] == "note" and told_by_type(str(content)) is not None
    is_others |= content.path[-1] == "authors"
    return is_others or is_type or not checks.is_as_written(content, _OTHERWISE)
