"""A CV as plain text, to paste into the forms of portals.

Made from the same view as the PDF, so it shows the same in the same order. What one page had no
room for has to be in ``Selected.left_out`` when ``viewer.build`` makes the view. A paragraph is one
line, for a form wraps by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from cvbuild.model import rich_text, urls
from cvbuild.view.types import Address, ContactLine, Content, Document, Group, Header, Section

Words = Mapping[str, Content]
Lines = list[str]
#: Languages with an i that keeps its dot in capitals.
_DOTTED = ("tr", "az")


def text(document: Document) -> str:
    """The document as text: UTF-8, a line feed at the end of each line, nothing but its words."""
    blocks = [_head(document.header)]
    blocks += [_section(section, document) for section in document.sections]
    return "\n\n\n".join("\n".join(block) for block in blocks) + "\n"


# -- texts ---------------------------------------------------------------------------------------


def _plain(content: Content | None) -> str:
    """A text on one line; the address of a link after its words."""
    return _squeezed(_nodes(content.nodes)) if content else ""


def _squeezed(words: str) -> str:
    return " ".join(words.split())


def _nodes(nodes: Iterable[rich_text.Node]) -> str:
    return "".join(_node(node) for node in nodes)


def _node(node: rich_text.Node) -> str:
    match node:
        case rich_text.Link(url, children):
            return _linked(_nodes(children), url)
        case rich_text.Span(_, children):
            return _nodes(children)
    return rich_text.plain((node,))


def _linked(words: str, url: str) -> str:
    """Words and where they lead; only the address, if the words are one."""
    if url in words:
        return words
    if urls.display(url) == words.removesuffix("/"):
        return url if url.startswith("http") else words
    return f"{words} ({url})"


def _listed(parts: Iterable[Any], between: str = ", ") -> str:
    """What is there of some texts, joined."""
    texts = [part if isinstance(part, str) else _plain(part) for part in parts if part]
    return between.join(one for one in texts if one)


def _run(texts: Sequence[str]) -> str:
    """Keywords on a line, apart even where they have commas."""
    return ("; " if any("," in one for one in texts) else ", ").join(texts)


def _labelled(label: Content, *values: Any) -> Lines:
    found = _listed(values)
    return [f"{_plain(label)}: {found}"] if found else []


def _capitals(words: str, language: str) -> str:
    if language.partition("-")[0] in _DOTTED:
        words = words.replace("i", "İ")
    return words.upper()


# -- the document --------------------------------------------------------------------------------


def _head(header: Header) -> Lines:
    names = [f"{_plain(other.label)}: {_plain(other.name)}" for other in header.others]
    top = [_plain(header.name), _plain(header.native), *names, _plain(header.headline)]
    contacts = [_contact(line) for line in header.contacts]
    return [*filter(None, top), *([""] if contacts else []), *contacts]


def _contact(line: ContactLine) -> str:
    shown = _plain(line.text)
    if line.url and line.url.url.startswith("http"):
        shown = line.url.url if shown in line.url.url else f"{shown} ({line.url.url})"
    return f"{_plain(line.label)}: {shown}" if line.label else shown


def _section(section: Section, document: Document) -> Lines:
    lines = [_capitals(_plain(section.title), section.title.language or document.language)]
    if section.note:
        lines.append(_plain(section.note))
    for group in section.groups:
        lines.append("")
        lines += [_plain(one) for one in (group.title, group.note) if one]
        lines += _group(section.kind, group, document.words)
    return lines


def _group(kind: str, group: Group, words: Words) -> Lines:
    if group.run:
        return [_run([_word(kind, item) for item in group.items])]
    items = [KINDS[kind](item, words) for item in group.items]
    apart = any(len(lines) > 1 for lines in items)
    found: Lines = []
    for number, lines in enumerate(items):
        found += [""] if apart and number else []
        found += lines
    return found


def _word(kind: str, item: Any) -> str:
    """An item of a run of words."""
    if kind == "interests":
        return _plain(item)
    if kind == "language":
        level = _plain(item.level)
        return _plain(item.language) + (f" ({level})" if level else "")
    return _plain(item.name if kind == "skill" else item.text)


# -- items ---------------------------------------------------------------------------------------


def _entry(item: Any, *parts: Any) -> Lines:
    """What, where, when on one line; its address on the next."""
    head = _listed([*parts, getattr(item, "location", None)])
    date = _plain(getattr(item, "date", None))
    url = getattr(item, "url", None)
    return [f"{head} ({date})" if date else head, *_address(url)]


def _address(url: Address | None) -> Lines:
    return [url.url] if url else []


def _own(item: Any, *names: str) -> Lines:
    """Fields that are lines of their own."""
    return [_plain(getattr(item, name)) for name in names if getattr(item, name)]


def _bullets(bullets: Iterable[Any]) -> Lines:
    return [f"- {_plain(bullet.text)}" for bullet in bullets]


def _links(item: Any) -> Lines:
    found = [
        f"[{_plain(link.label)}]" + (f" {link.url.url}" if link.url else "") for link in item.links
    ]
    return [", ".join(found)] if found else []


def _work(item: Any, words: Words) -> Lines:
    return [
        *_labelled(words["advisor"], *item.advisor),
        *_labelled(words["mentor"], *item.mentor),
        *_own(item, "summary"),
        *_bullets(item.bullets),
    ]


def _education(item: Any, words: Words) -> Lines:
    return [
        *_entry(item, item.degree, item.area, item.institution),
        *_labelled(words["thesis"], item.thesis),
        *_labelled(words["advisor"], *item.advisor),
        *_own(item, "grade"),
        *_bullets(item.notes),
    ]


def _experience(item: Any, words: Words) -> Lines:
    lines = [*_entry(item, item.title, item.department, item.employer), *_work(item, words)]
    for role in item.roles:
        lines += [*_entry(role, role.title), *_work(role, words)]
    return lines


def _project(item: Any, words: Words) -> Lines:
    return [
        *_entry(item, item.name, item.role, item.organization),
        *_own(item, "summary"),
        *_labelled(words["keywords"], *item.keywords),
        *_bullets(item.bullets),
        *_links(item),
    ]


def _publication(item: Any, _: Words) -> Lines:
    venue = _listed([item.venue or item.short_venue])
    if item.venue and item.short_venue:
        venue += f" ({_plain(item.short_venue)})"
    marks = _listed(f"{_plain(mark)}{_plain(meaning)}" for mark, meaning in item.marks or ())
    parts = [_authors(item.authors), item.title, _listed([venue, item.date]), item.note, marks]
    return [_cited(item, parts), *_address(item.url), *_links(item)]


def _patent(item: Any, _: Words) -> Lines:
    parts = [_authors(item.inventors), item.title, _listed([item.number, item.date]), item.status]
    return [_cited(item, parts), *_address(item.url), *_links(item)]


def _authors(people: Iterable[Any]) -> str:
    return ", ".join(_plain(one.name) + _plain(one.marks) for one in people)


def _cited(item: Any, parts: Iterable[Any]) -> str:
    """Parts as sentences, after the item's number."""
    number = f"{_plain(item.place)}. " if item.place else ""
    texts = filter(None, (part if isinstance(part, str) else _plain(part) for part in parts))
    return number + " ".join(one if one[-1] in ".?!。" else f"{one}." for one in texts)


def _fact(*names: str) -> Callable[[Any, Words], Lines]:
    """An item of one line and a note."""

    def lines(item: Any, _: Words) -> Lines:
        note = _own(item, "summary") if hasattr(item, "summary") else []
        return [*_entry(item, *(getattr(item, name) for name in names)), *note]

    return lines


def _talk(item: Any, words: Words) -> Lines:
    return [*_fact("title", "type", "event")(item, words), *_links(item)]


def _teaching(item: Any, _: Words) -> Lines:
    parts = [item.course, item.role, *item.instructor, item.institution]
    return [*_entry(item, *parts), *_own(item, "summary")]


def _skill(item: Any, _: Words) -> Lines:
    level = _plain(item.level)
    keywords = _run([_plain(one) for one in item.keywords])
    return [_listed([item.name, _listed([level, keywords], ": ")], ": ")]


def _reference(item: Any, _: Words) -> Lines:
    reach = _listed([item.email, item.phone])
    return [
        *_entry(item, item.name, item.title, item.institution),
        *_own(item, "relation"),
        *([reach] if reach else []),
        *_own(item, "quote"),
    ]


def _further(item: Any, _: Words) -> Lines:
    return [
        *_entry(item, item.title, item.organization),
        *_own(item, "summary"),
        *_bullets(item.bullets),
        *_links(item),
    ]


#: How an item of each kind is written; those that are always a run of words need none.
KINDS: Mapping[str, Callable[[Any, Words], Lines]] = MappingProxyType(
    {
        "summary": lambda item, _: [_plain(item)],
        "text": lambda item, _: [_plain(item.text)],
        "bullets": lambda item, _: _bullets([item]),
        "education": _education,
        "experience": _experience,
        "project": _project,
        "publication": _publication,
        "patent": _patent,
        "award": _fact("title", "awarder"),
        "talk": _talk,
        "teaching": _teaching,
        "service": _fact("role", "organization"),
        "skill": _skill,
        "certificate": _fact("name", "issuer", "number"),
        "reference": _reference,
        "entry": _further,
    }
)
