"""A CV as plain text, to paste into the forms of portals.

Made from the same view as the PDF, so it shows the same in the same order. What one page had no
room for must be in ``Selected.left_out`` when ``view.builder.build`` makes the view. A paragraph is
one line, because forms wrap lines. The kinds describe how their items are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cvbuild.model import kinds, rich_text, urls
from cvbuild.model.kinds import describe
from cvbuild.view.types import ContactLine, Content, Document, Group, Header, Item, Section

Words = Mapping[str, Content]
Lines = list[str]
#: Languages with an i that keeps its dot in capitals.
_DOTTED = ("tr", "az")


def text(document: Document) -> str:
    """Return the document as text: UTF-8, a line feed after each line, nothing but its words."""
    blocks = [_head(document.header)]
    blocks += [_section(section, document) for section in document.sections]
    return "\n\n\n".join("\n".join(block) for block in blocks) + "\n"


# -- texts ---------------------------------------------------------------------------------------


def _plain(content: Content | None) -> str:
    """Return a text on one line; the address of a link after its words."""
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
    """Return words and their address; only the address, if the words are the same."""
    if url in words:
        return words
    if urls.display(url) == words.removesuffix("/"):
        return url if url.startswith("http") else words
    return f"{words} ({url})"


def _run(texts: Sequence[str]) -> str:
    """Return keywords on one line, separated clearly even where they have commas."""
    return ("; " if any("," in one for one in texts) else ", ").join(texts)


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
    label = line.label or line.network
    return f"{_plain(label)}: {shown}" if label else shown


def _section(section: Section, document: Document) -> Lines:
    lines = [_capitals(_plain(section.title), section.title.language or document.language)]
    if section.note:
        lines.append(_plain(section.note))
    for group in section.groups:
        lines.append("")
        lines += [_plain(one) for one in (group.title, group.note) if one]
        lines += _group(section.kind, group, document.words)
    return lines


def _group(name: str, group: Group, words: Words) -> Lines:
    kind = kinds.of(name)
    if group.run and kind.run:
        return [_run([_words(item, kind.run.word, words) for item in group.items])]
    described: tuple[describe.Line, ...] = kind.require("text")
    items = [_lines(item, described, words) for item in group.items]
    listed = any(isinstance(part, describe.Bullets) for part in described[:1])
    apart = not listed and any(len(lines) > 1 for lines in items)
    found: Lines = []
    for number, lines in enumerate(items):
        found += [""] if apart and number else []
        found += lines
    return found


# -- items ---------------------------------------------------------------------------------------


def _lines(item: Any, described: Iterable[describe.Line], words: Words) -> Lines:
    """Return the lines of an item as its kind describes them."""
    return [one for part in described for one in _line(item, part, words)]


def _line(item: Any, part: describe.Line, words: Words) -> Lines:
    match part:
        case describe.Head(parts):
            return _head_line(item, parts, words)
        case describe.Cited(sentences):
            return [_cited(item, sentences, words), *_address(item)]
        case describe.Row(one):
            return [row] if (row := _words(item, one, words)) else []
        case describe.Labelled(label, one, several):
            found = _words(item, one, words)
            if several and isinstance(one, str) and len(getattr(item, one)) > 1:
                label = several
            return [f"{_plain(words[label])}: {found}"] if found else []
        case describe.Bullets(name):
            bullets = (item,) if name == describe.SELF else getattr(item, name)
            return [line for bullet in bullets for line in _bullet(bullet)]
        case describe.Links():
            return _links(item)
        case describe.Each(name, below):
            return [one for inner in getattr(item, name) for one in _lines(inner, below, words)]


def _bullet(bullet: Item) -> Lines:
    """Return a line for a bullet, and one for each bullet under it."""
    below = bullet.fields.get("bullets", ())
    return [f"- {_plain(bullet.text)}", *(f"  - {_plain(one.text)}" for one in below)]


def _words(item: Any, words: describe.Words, labels: Words) -> str:
    """Return the words of a line; empty if the item has none of them."""
    match words:
        case describe.Apart(name):
            return _run([_plain(one) for one in getattr(item, name)])
        case describe.Meanings(name):
            pairs = getattr(item, name) or ()
            return ", ".join(_plain(mark) + _plain(meaning) for mark, meaning in pairs)
        case describe.Pair(name, aside, between):
            found, more = _value(getattr(item, name)), _value(getattr(item, aside))
            return f"{found}{between}({more})" if found and more else found or more
        case describe.Worded(label, name):
            found = _value(getattr(item, name))
            return f"{_plain(labels[label])} {found}" if found else ""
        case describe.Joined(parts, between):
            return between.join(filter(None, (_words(item, part, labels) for part in parts)))
        case describe.SELF:
            return _plain(item)
    return _value(getattr(item, words))


def _value(value: Any) -> str:
    """Return the text of a field; lists are joined by commas, a name precedes its marks."""
    match value:
        case tuple():
            return ", ".join(filter(None, map(_value, value)))
        case Item():
            return _plain(value.name) + _plain(value.marks)
    return _plain(value)


def _head_line(item: Any, parts: Iterable[describe.Words], labels: Words) -> Lines:
    """Return number, what, where and when on one line; the address on the next."""
    found = [_words(item, part, labels) for part in parts]
    head = ", ".join(filter(None, (*found, _plain(getattr(item, "location", None)))))
    date = _plain(getattr(item, "date", None))
    return [_number(item) + (f"{head} ({date})" if date else head), *_address(item)]


def _number(item: Any) -> str:
    place = getattr(item, "place", None)
    return f"{_plain(place)}. " if place else ""


def _address(item: Any) -> Lines:
    url = getattr(item, "url", None)
    return [url.url] if url else []


def _links(item: Any) -> Lines:
    found = [
        f"[{_plain(link.label)}]" + (f" {link.url.url}" if link.url else "") for link in item.links
    ]
    return [", ".join(found)] if found else []


def _cited(item: Any, sentences: Iterable[describe.Words], labels: Words) -> str:
    """Return words as sentences, after the item's number."""
    texts = filter(None, (_words(item, part, labels) for part in sentences))
    return _number(item) + " ".join(one if one[-1] in ".?!。" else f"{one}." for one in texts)
