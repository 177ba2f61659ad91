"""``--format md``: a document as Markdown, with the same texts in the same order as the PDF.

Everything is made of blocks: a paragraph, a heading, a list. An item's blocks stand one below the
other; in a list they are indented.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from html import unescape

from cvbuild.model.text import rich_text
from cvbuild.outputs import checks
from cvbuild.outputs.types import Made, Output, Shown
from cvbuild.view import lines
from cvbuild.view.lines import Words
from cvbuild.view.types import Content, Document, Group, Labels, Section

#: Markdown without blank lines inside; its lines may be indented together.
Block = str


def text(document: Document) -> str:
    """Return a CV as Markdown."""
    head, labels = document.header, document.words
    blocks = [heading(1, *([head.name, head.native] if head.native else [head.name]))]
    blocks += [opened(inline_of(head.headline))] if head.headline else []
    for other in head.others:
        blocks.append(opened(_labelled(other.label, inline_of(other.name), labels)))
    ways = []
    for line in head.contacts:
        words, label = inline_of(line.text), line.label or line.network
        shown = linked(words, line.url.url) if line.url else words
        ways.append(listed(_labelled(label, shown, labels) if label else shown))
    blocks += ["\n".join(ways)] if ways else []
    for section in document.sections:
        blocks += [heading(2, section.title), *item_blocks(lines.of_text(section.note, labels))]
        for group in section.groups:
            blocks += [heading(3, group.title)] if group.title else []
            blocks += item_blocks(lines.of_text(group.note, labels))
            blocks += _group(section, group, labels)
    if closing := document.closing:
        signed = labels.writing.join(map(inline_of, closing.texts))
        blocks += map(opened, filter(None, [signed, inline_of(head.name)]))
    return "\n\n".join(blocks) + "\n"


def _labelled(label: Content, shown: str, labels: Labels) -> str:
    return f"{inline_of(label)}{labels.writing.mark(': ', str(label))}{shown}"


def heading(level: int, *texts: Content) -> Block:
    """Return a heading of one line."""
    words = " ".join(inline_of(text) for text in texts).replace("  \n", " ")
    return f"{'#' * level} {words}"


def inline_of(content: Content) -> str:
    """Return a text as inline Markdown."""
    return of(content.nodes)


def listed(*blocks: Block) -> Block:
    """Return a line, and the items of lists below it, as an item of a list of bullets."""
    inner = "\n".join(blocks).replace("\n", "\n  ")
    return f"- {inner}"


def _group(section: Section, group: Group, labels: Labels) -> Iterator[Block]:
    if run := lines.run_of(section, group, labels):
        yield opened(of_words(run))
        return
    items = [lines.of_item(section, item, labels) for item in group.items]
    blocks = [[*item_blocks(item)] for item in items]
    if lines.is_list(section):
        yield "\n".join(block for part in blocks for block in part)
    elif max(map(len, blocks)) > 1 or any(
        isinstance(item[0], lines.BulletList)
        # A list would be numbered anew by whoever shows it.
        or getattr(item[0], "number", None)
        for item in items
    ):
        yield from (block for part in blocks for block in part)
    else:
        yield "\n".join(listed(*part) for part in blocks)


def item_blocks(item_lines: Iterable[lines.Line]) -> Iterator[Block]:
    """Yield the blocks of an item; the links of a reference follow it."""
    blocks: list[Block] = []
    last: lines.Line | None = None
    for line in item_lines:
        new = [*_line(line, "strong")]
        if isinstance(last, lines.CitedLine) and isinstance(line, lines.LinkRow):
            blocks[-1] += f"\n{new.pop()}"
        blocks, last = blocks + new, line
    yield from blocks


def _line(line: lines.Line, style: str) -> Iterator[Block]:
    match line:
        case lines.HeadLine(number):
            first, *others = (*line.what, *line.who) or ((),)
            title = of_words(first, style)
            if line.url and (lines.has_link(first) or not title):
                title = f"{title} <{_address(line.url.url)}>".lstrip()
            elif line.url:
                title = linked(title, line.url.url)
            what = [title, *map(of_words, others)]
            what += [inline_of(line.location)] if line.location else []
            head, date = line.writing.join(what), inline_of(line.date) if line.date else ""
            head = f"{head} ({date})" if date and head else date or head
            yield opened(f"{inline_of(number)} {head}" if number else head)
        case lines.CitedLine(number, sentences, url):
            parts = [inline_of(number)] if number else []
            for words in sentences:
                parts.append(of_words(words))
                fields = {getattr(word, "field", "") for word in words}
                # The title leads to the page of a reference.
                if url and "title" in fields and not lines.has_link(words):
                    parts[-1], url = linked(parts[-1], url.url), None
            parts += [f"<{_address(url.url)}>"] if url else []
            yield opened(" ".join(parts))
        case lines.Row(words, label, colon):
            shown = of_words(words)
            yield opened(f"{inline_of(label)}{colon}{shown}" if label else shown)
        case lines.BulletList(bullets):
            points = []
            for bullet in bullets:
                start, *below = (opened(inline_of(each)) for each in (bullet.text, *bullet.below))
                inner = [start, *map(listed, below)]
                mark = "- " if bullet.number is None else f"{bullet.number}. "
                points.append(mark + "\n".join(inner).replace("\n", f"\n{' ' * len(mark)}"))
            yield "\n".join(points)
        case lines.LinkRow(links):
            yield opened(", ".join(linked(inline_of(label), url.url) for label, url in links))
        case lines.Part(_, below):
            for part in below:
                yield from _line(part, "emph")


class Format(Output):
    """CommonMark in UTF-8."""

    name = "md"
    suffix = ".md"

    def make(self, shown: Shown) -> Made:
        """Return the view as Markdown; raise DocumentError if a reader would miss a text."""
        written = text(shown.view)
        expected = tuple(checks.contents(shown.view))
        return Made(written.encode(), checks.require(as_read(written), expected, shown.source))

    def text_of(self, content: bytes) -> str:
        """Return the text that a reader sees, with the addresses of links."""
        return as_read(content.decode())


def as_read(markdown: str) -> str:
    """Return the text that a page shows: a line for each block, addresses after their links."""
    # HTML stays as it is, except the tags that ``inline`` writes.
    from markdown_it import MarkdownIt  # few commands need it

    texts: list[str] = []
    for block in MarkdownIt("commonmark").parse(markdown):
        # What a block begins with, or the text in it: the number of an item, a paragraph.
        text = block.info if block.type == "list_item_open" else ""
        targets: list[str] = []
        for token in block.children or ():
            match token.type:
                case "link_open":
                    targets.append(str(token.attrs.get("href", "")))
                case "link_close":
                    text += f" {unescape(targets.pop())} "
                case "softbreak" | "hardbreak":
                    text += " "
                case "html_inline" if token.content.strip("</>") in _READ_TAGS:
                    continue
                case _:
                    text += token.content
        texts.append(text)
    return "\n".join(filter(None, texts))


_READ_TAGS = ("strong", "em", "sup", "sub", "code")


# -- rich text as inline Markdown ------------------------------------------------------------------
# It says the same in CommonMark, GitHub and site generators. ``escape`` is the only place where
# characters of a text become Markdown. Braces are escaped, too: the template languages of site
# generators read a page before Markdown does.


_ACTIVE = re.compile(r"[\\`*_\[\]<~|{}$]|:(?=[a-z][\w+-]*:)|(?<!\S)#")
#: What begins a command in the template languages of site generators, even after a backslash.
_TEMPLATE = re.compile(r"\{(?=[{%:#<])")
_OPENING = re.compile(r"([+=>:-])|(\d{1,9})(?=[.)])")
_SPACE = re.compile(r"[ \t\r\n\f\v]+")
#: Characters that must not be in an address as Markdown writes it.
_UNSAFE = {character: f"%{ord(character):02X}" for character in ' <>\\{}|^`"'}
_ENTITY = re.compile(r"&(?=#?\w+;)")
#: How CommonMark writes each style, where it has a way.
_MARKS = {"strong": "**", "emph": "*"}
_TAGS = {"strong": "strong", "emph": "em", "sup": "sup", "sub": "sub"}


def escape(text: str) -> str:
    """Return a text so that Markdown shows its characters; white space is single spaces."""
    plain = _ENTITY.sub("&amp;", _SPACE.sub(" ", text))
    plain = _TEMPLATE.sub("&#123;", plain)
    return _ACTIVE.sub(lambda match: f"\\{match[0]}", plain)


def opened(text: str) -> str:
    """Return inline Markdown that may begin a line: as text, not as a list or heading."""
    plain = text.lstrip()
    match = _OPENING.match(plain)
    if match is None:
        return plain
    at = match.start() if match[1] else match.end()
    return f"{plain[:at]}\\{plain[at:]}"


def of(nodes: Sequence[rich_text.Node]) -> str:
    """Return the nodes as Markdown; a line break is two spaces and a line feed."""
    texts = ["", *(rich_text.plain((node,)) for node in nodes), ""]
    parts: list[str] = []
    for place, node in enumerate(nodes):
        match node:
            case rich_text.Text(text):
                parts.append(escape(text))
            case rich_text.Code(text):
                plain = _SPACE.sub(" ", text)
                # Backticks would be read otherwise.
                is_odd = not plain.strip() or "{" in plain or "`" in plain
                is_odd = is_odd or plain != plain.strip()
                parts.append(f"<code>{escape(plain)}</code>" if is_odd else f"`{plain}`")
            case rich_text.Break():
                parts.append("  \n")
            case rich_text.Span(style, children):
                # In Markdown's marks or, where they would be read otherwise, in HTML's tags: two
                # styles side by side would be read as one.
                inner, mark, plain = of(children), _MARKS.get(style), rich_text.plain(children)
                is_apart = not (place and isinstance(nodes[place - 1], rich_text.Span))
                is_plain = all(isinstance(child, rich_text.Text) for child in children)
                if (
                    mark and plain and is_apart and is_plain
                    and _flanks(texts[place][-1:], plain[0])
                    and _flanks(texts[place + 2][:1], plain[-1])
                ):  # fmt: skip
                    parts.append(f"{mark}{inner}{mark}")
                else:
                    parts.append(f"<{_TAGS[style]}>{inner}</{_TAGS[style]}>")
            case rich_text.Link(url, children):
                if parts and parts[-1].endswith("!"):
                    # Together they would be a picture.
                    parts[-1] = f"{parts[-1][:-1]}\\!"
                parts.append(linked(of(children), url))
    return "".join(parts)


def of_words(pieces: Words, style: str = "") -> str:
    """Return the words of a line in a style; the person's own name among authors is bold."""
    nodes: list[rich_text.Node] = []
    for word in pieces:
        if isinstance(word, str):
            nodes.append(rich_text.Text(word))
            continue
        kind = "strong" if word.me else style
        content = word.content.nodes
        nodes += (rich_text.Span(kind, content),) if kind and content else content
    return of(nodes)


def linked(text: str, url: str) -> str:
    """Return inline Markdown as a link; the text must have none."""
    place = _address(url)
    return f"[{text}](<{place}>)" if "(" in place or ")" in place else f"[{text}]({place})"


def _address(url: str) -> str:
    safe = "".join(_UNSAFE.get(character, character) for character in url)
    return _ENTITY.sub("&amp;", safe)


def _flanks(outside: str, inside: str) -> bool:
    """Return whether a mark between these characters belongs to the inner one."""
    kind = unicodedata.category(inside)[0]
    return kind in "LN" or (kind in "PS" and (not outside or not outside.isalnum()))
