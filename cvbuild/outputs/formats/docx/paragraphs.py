"""The paragraphs of a document, each with its style: all that a Word file shows, before any XML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cvbuild.model.text import rich_text
from cvbuild.model.text.lines import short_url, url_beside
from cvbuild.outputs.styles.manifests import Paper
from cvbuild.view import lines, texts
from cvbuild.view.types import Address, Content, Document, Group, Header, Letter, Section

TAB, BREAK, NO_BREAK = "\t", "\n", "\u00a0"
#: What is between contacts: a mark would end a line where it has no room for the next one.
BETWEEN = " " * 5
#: Letters of the longest date that has room in a column; East Asian ones count twice.
_LONGEST = 21
#: Fields of an item that say for whom.
_EMPLOYERS = ("department", "employer", "organization", "institution")
_AUTHORS = ("authors", "inventors")
#: Fields of a reference that are set in italics.
_TITLES = ("venue", "short_venue", "book")


class Run(Struct, frozen=True):
    """Characters in one style; ``marks`` are strong, emph, sup, sub and code.

    ``style`` is a character style; ``tip`` is shown when the pointer is on a link.
    """

    text: str
    marks: frozenset[str] = frozenset()
    style: str = ""
    url: str = ""
    tip: str = ""
    language: str | None = None


class Paragraph(Struct, frozen=True):
    """Runs in a paragraph style.

    ``number`` begins a numbered list; ``is_picture`` says that the signature's stands here.
    """

    style: str
    runs: tuple[Run, ...] = ()
    number: int | None = None
    is_picture: bool = False
    may_part: bool = False
    """Whether the next one may be on another page, whatever its style says."""

    @property
    def text(self) -> str:
        """The characters of all runs."""
        return "".join(run.text for run in self.runs)


def of(document: Document, options: Mapping[str, Any], paper: Paper) -> list[Paragraph]:
    """Return the paragraphs of a document, as a style has them on paper."""
    writer = _Writer(document, options, paper)
    written = [*writer.head(document.header)]
    for at, section in enumerate(document.sections, 1):
        written += writer.section(section, at)
    if document.closing:
        written += writer.signed(writer.listed(map(writer.text, document.closing.texts)))
    if document.letter:
        written += writer.letter(document.letter)
    return written


class _Writer(Struct, frozen=True):
    document: Document
    options: Mapping[str, Any]
    paper: Paper

    def head(self, header: Header) -> Iterator[Paragraph]:
        native = [Run("  "), *self.text(header.native, "Label")] if header.native else []
        yield Paragraph("Title", (*self.text(header.name), *native))
        if header.headline:
            yield Paragraph("Subtitle", self.text(header.headline))
        ways = [(*self.label(other.label), *self.text(other.name)) for other in header.others]
        for line in header.contacts:
            style, label = "Quiet Link" if line.url else "", line.label
            shown = self.text(line.text, style, line.url, between=NO_BREAK)
            if line.network and (line.unclear or self.options.get("contacts", "plain") != "plain"):
                label = label or line.network
            elif line.network:
                # A network that is not written is its link's tip.
                shown = tuple(replace(run, tip=str(line.network)) for run in shown)
            ways.append((*self.label(label), *shown) if label else shown)
        if ways:
            yield Paragraph("Contact", self.listed(ways, BETWEEN))

    def label(self, label: Content) -> tuple[Run, ...]:
        return (*self.text(label, "Label"), Run(self.document.words.writing.mark(": ", str(label))))

    def section(self, section: Section, at: int) -> Iterator[Paragraph]:
        number = (Run(f"{at}  "),) if self.options.get("section-numbers") else ()
        yield Paragraph("Heading 1", (*number, *self.text(section.title)))
        yield from self.note(section.note)
        for group in section.groups:
            if group.title:
                yield self.headed("Heading 2", self.text(group.title))
            yield from self.note(group.note)
            yield from self.group(section, group)

    def note(self, note: Content | None) -> Iterator[Paragraph]:
        for line in lines.of_text(note, self.document.words):
            if isinstance(line, lines.Row):
                yield Paragraph("Note", self.words(line.words))
            else:
                yield from self.line(line, 0)

    def group(self, section: Section, group: Group) -> Iterator[Paragraph]:
        words = self.document.words
        if run := lines.run_of(section, group, words):
            yield Paragraph("Body Text", self.words(run))
            return
        items = [lines.of_item(section, item, words) for item in group.items]
        # A head with text below it is a heading; one that stands alone is a line.
        has_more = any(len(item) > 1 for item in items)
        level = (3 if group.title else 2) if has_more else 0
        for item in items:
            paragraphs = [each for line in item for each in self.line(line, level)]
            if isinstance(item[0], lines.CitedLine):
                # With its links, and what follows it indented as the reference is.
                first, *rest = paragraphs
                if len(item) > 1 and isinstance(item[1], lines.LinkRow):
                    first = replace(first, runs=(*first.runs, Run(" "), *rest.pop(0).runs))
                paragraphs = [first] + [
                    replace(each, style="Reference Detail") if each.style == "Body Text" else each
                    for each in rest
                ]
            yield from paragraphs[:-1]
            yield replace(paragraphs[-1], may_part=True)

    def line(self, line: lines.Line, level: int) -> Iterator[Paragraph]:
        match line:
            case lines.HeadLine():
                yield from self.item_head(line, level)
            case lines.CitedLine(number, sentences, url):
                runs = self.listed([self.words(each, url=url) for each in sentences], " ")
                place = (*self.text(number), Run(TAB)) if number else ()
                yield Paragraph("Reference", (*place, *runs))
            case lines.Row(words, label):
                before = self.label(label) if label else ()
                yield Paragraph("Body Text", (*before, *self.words(words, strong="name")))
            case lines.BulletList(bullets):
                for at, bullet in enumerate(bullets):
                    runs = self.text(bullet.text)
                    if bullet.number:
                        start = int(str(bullet.number)) if at == 0 else None
                        yield Paragraph("List Number", runs, number=start)
                    else:
                        yield Paragraph("List Bullet", runs)
                    for point in bullet.below:
                        yield Paragraph("List Bullet 2", self.text(point))
            case lines.LinkRow(links):
                shown = [self.text(label, url=url) for label, url in links]
                yield Paragraph("Body Text", self.listed(shown, "   "))
            case lines.Part(_, below):
                for each in below:
                    yield from self.line(each, min(level + 1, 3) if level else 0)

    def item_head(self, head: lines.HeadLine, level: int) -> Iterator[Paragraph]:
        """Yield the head of an item: on one line, or what it is above where and for whom."""
        number = (*self.text(head.number), Run(". ")) if head.number else ()
        what, who = (self.listed(map(self.words, parts)) for parts in (head.what, head.who))
        place = self.text(head.location, "Place")
        url = head.url.url if head.url else ""
        date = self.text(head.date, "Entry Date", between=NO_BREAK)
        wide = sum(1 + (letter > "\u2e80") for run in date for letter in run.text)
        side = self.options.get("dates")
        is_under = side == "under" or (side == "left" and wide > _LONGEST)
        link = tuple[Run, ...]()
        fields = {getattr(word, "field", "") for words in head.who for word in words}
        is_employer = not fields.isdisjoint(_EMPLOYERS)
        # The address of a post is that of where it was; that of a project is there to be read.
        if is_employer or not level:
            what, who = (what, _linked(who, url)) if is_employer else (_linked(what, url), who)
        elif url:
            link = (Run(short_url(url), style="Address", url=url),)
        below = [who, place, link]
        if is_under and any(below):
            below, date = [*below, date], ()
        style = f"Heading {level}" if level else "Entry"
        if any(below) and level and self.paper.entries != "one-line":
            yield self.headed(style, (*number, *what), date)
            yield Paragraph("Entry Detail", self.listed(below))
            return
        if not level:
            what = tuple(replace(run, marks=run.marks | {"strong"}) for run in what)
        beside = self.listed([what, *below])[len(what) :]
        light = (
            replace(run, style="Beside Title") if run.style in ("", "Quiet Link") else run
            for run in beside
        )
        yield self.headed(style, (*number, *what, *light), date)

    def headed(self, style: str, runs: Iterable[Run], date: tuple[Run, ...] = ()) -> Paragraph:
        """Return a title with its date: on the right, or in the column on the left."""
        if self.options.get("dates") == "left":
            return Paragraph(style, (*date, Run(TAB), *runs))
        return Paragraph(style, (*runs, *((Run(TAB), *date) if date else ())))

    def letter(self, letter: Letter) -> Iterator[Paragraph]:
        if letter.recipient:
            address = self.listed(map(self.text, letter.recipient), BREAK)
            yield Paragraph("Recipient", address)
        yield Paragraph("Date", self.text(letter.date))
        if letter.subject:
            yield Paragraph("Heading 1", self.text(letter.subject))
        yield Paragraph("Salutation", self.text(letter.opening))
        styles = {"bullets": "List Bullet", "numbers": "List Number"}
        for block in letter.body:
            for at, text in enumerate(block.texts):
                number = int(str(text.number)) if at == 0 and text.number else None
                style = styles.get(block.kind, "Letter Text")
                yield Paragraph(style, self.text(text.text), number=number)
        yield from self.signed(self.text(letter.closing))
        if letter.enclosures:
            listed = [self.text(enclosure) for enclosure in letter.enclosures]
            label = self.label(letter.label)
            yield Paragraph("Enclosures", (*label, *self.listed(listed)))

    def signed(self, runs: tuple[Run, ...]) -> Iterator[Paragraph]:
        """Yield what stands above the signature, if anything does, its picture and the name."""
        if runs:
            yield Paragraph("Closing", runs)
        alt = self.text(self.document.signature)
        yield Paragraph("Signature", alt, is_picture=True)
        yield Paragraph("Signature", self.text(self.document.header.name))

    def listed(self, texts: Iterable[tuple[Run, ...]], between: str = "") -> tuple[Run, ...]:
        """Return texts as one, with the mark of lists between them or what is given."""
        runs: list[Run] = []
        for text in filter(None, texts):
            if runs:
                sides = ("".join(run.text for run in part) for part in (runs, text))
                runs.append(Run(between or self.document.words.writing.mark(", ", *sides)))
            runs += text
        return tuple(runs)

    def words(
        self, words: lines.Words, url: Address | None = None, strong: str = ""
    ) -> tuple[Run, ...]:
        """Return the runs of a line; ``url`` is where its title leads, ``strong`` a bold field."""
        runs: list[Run] = []
        for word in words:
            if isinstance(word, str):
                runs.append(Run(word))
                continue
            marks = frozenset({"emph"} if word.field in _TITLES else ())
            if strong and word.field == strong:
                marks = frozenset({"strong"})
            target = url if word.field == "title" else None
            style = "Own Name" if word.me else "Author" if word.field in _AUTHORS else ""
            style = "Quiet Link" if target else style
            runs += self.text(word.content, style, target, marks)
        return tuple(runs)

    def text(
        self,
        content: Content | None,
        style: str = "",
        url: Address | None = None,
        marks: frozenset[str] = frozenset(),
        between: str = " ",
    ) -> tuple[Run, ...]:
        if content is None:
            return ()
        base = Run("", marks, style, url.url if url else "", language=content.language)
        runs = self.runs(texts.tied(content), base)
        return tuple(replace(run, text=run.text.replace(" ", between)) for run in runs)

    def runs(self, nodes: Iterable[rich_text.Node], base: Run) -> Iterator[Run]:
        for node in nodes:
            match node:
                case rich_text.Text(text):
                    yield replace(base, text=text)
                case rich_text.Code(text):
                    yield replace(base, text=text, marks=base.marks | {"code"})
                case rich_text.Break():
                    yield replace(base, text=BREAK)
                case rich_text.Span(style, children):
                    yield from self.runs(children, replace(base, marks=base.marks | {style}))
                case rich_text.Link(url, children):
                    yield from self.runs(children, replace(base, url=url))
                    address = url_beside(rich_text.plain(children), url)
                    if address and self.options.get("links") == "address":
                        yield replace(base, text=f" ({address})")


def _linked(runs: Iterable[Run], url: str) -> tuple[Run, ...]:
    """Return runs that lead to an address, but for those with one of their own."""
    return tuple(
        replace(run, url=run.url or url, style=run.style or "Quiet Link") if url else run
        for run in runs
    )
