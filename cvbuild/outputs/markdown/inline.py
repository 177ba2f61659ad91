"""Rich text as inline Markdown that says the same in CommonMark, GitHub and site generators.

``escape`` is the only place where characters of a text become Markdown. Braces are escaped, too:
the template languages of site generators read a page before Markdown does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from cvbuild.model.text import rich_text
from cvbuild.view.lines import Piece, Words

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
    return _ACTIVE.sub(lambda found: f"\\{found[0]}", plain)


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
        if isinstance(node, rich_text.Span):
            # Two styles side by side would be read as one.
            apart = not (place and isinstance(nodes[place - 1], rich_text.Span))
            can_mark = apart and _is_marked(node, texts[place][-1:], texts[place + 2][:1])
            parts.append(_styled(node, can_mark=can_mark))
        else:
            parts.append(_node(node))
            if isinstance(node, rich_text.Link) and parts[-2:-1] and parts[-2].endswith("!"):
                # Together they would be a picture.
                parts[-2] = f"{parts[-2][:-1]}\\!"
    return "".join(parts)


def words(pieces: Words, style: str = "") -> str:
    """Return the words of a line in a style; the person's own name among authors is bold."""
    nodes: list[rich_text.Node] = []
    for word in pieces:
        if isinstance(word, str):
            nodes.append(rich_text.Text(word))
            continue
        own = "strong" if word.me else style
        content = word.content.nodes
        nodes += (rich_text.Span(own, content),) if own and content else content
    return of(nodes)


def linked(text: str, url: str) -> str:
    """Return inline Markdown as a link; the text must have none."""
    place = address(url)
    return f"[{text}](<{place}>)" if "(" in place or ")" in place else f"[{text}]({place})"


def address(url: str) -> str:
    """Return a URL as it may stand in a link."""
    safe = "".join(_UNSAFE.get(character, character) for character in url)
    return _ENTITY.sub("&amp;", safe)


def has_link(words: Words) -> bool:
    """Return whether words have a link inside."""
    pieces = (one for one in words if isinstance(one, Piece))
    return any(True for one in pieces for _ in rich_text.links(one.content.nodes))


def _node(node: rich_text.Text | rich_text.Code | rich_text.Break | rich_text.Link) -> str:
    match node:
        case rich_text.Text(text):
            return escape(text)
        case rich_text.Code(text):
            return _code(text)
        case rich_text.Break():
            return "  \n"
        case rich_text.Link(url, children):
            return linked(of(children), url)


def _styled(span: rich_text.Span, *, can_mark: bool) -> str:
    """Return a style in Markdown's marks or, where they would be read otherwise, in HTML's tags."""
    inner, mark = of(span.children), _MARKS.get(span.style)
    if mark and can_mark:
        return f"{mark}{inner}{mark}"
    tag = _TAGS[span.style]
    return f"<{tag}>{inner}</{tag}>"


def _is_marked(span: rich_text.Span, before: str, after: str) -> bool:
    """Return whether marks around the text are read as such between two characters."""
    if not all(isinstance(node, rich_text.Text) for node in span.children):
        return False
    text = rich_text.plain(span.children)
    return bool(text) and _flanks(before, text[0]) and _flanks(after, text[-1])


def _flanks(outside: str, inside: str) -> bool:
    """Return whether a mark between these characters belongs to the inner one."""
    kind = unicodedata.category(inside)[0]
    return kind in "LN" or (kind in "PS" and (not outside or not outside.isalnum()))


def _code(text: str) -> str:
    """Return code between backticks; where that would not do, as HTML around escaped text."""
    plain = _SPACE.sub(" ", text)
    if not plain.strip() or "{" in plain or "`" in plain or plain != plain.strip():
        return f"<code>{escape(plain)}</code>"
    return f"`{plain}`"
