"""The pages of a site's source: Markdown files with data at their top, in YAML, TOML or JSON.

Nothing in them is run: templates and shortcodes are left out of the texts.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urljoin

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers import networks
from cvbuild.importers.draft import Draft
from cvbuild.importers.resumes import wordings
from cvbuild.importers.sites import markup
from cvbuild.importers.sources import located_json, located_yaml
from cvbuild.importers.sources.located import MAX_DEPTH, MAX_VALUES, Value, lose_unread
from cvbuild.importers.types import Given
from cvbuild.importers.words import descriptions, foreign_dates
from cvbuild.importers.words.html_texts import Blocks
from cvbuild.inputs.references import texts

_LINK = re.compile(r"\[([^\[\]*_`\\]+)\]\((https?://[^()\s]+)\)")
#: Kinds that have links.
_LINKED = ("publication", "talk", "project", "volunteer", "grant", "entry")
#: Characters of a summary in a CV; what is longer is an abstract.
_LONG = 400
#: Letters of a name that is written in capitals: CV.
_ACRONYM = 3
#: The most words of the name of a sign or a file: fab fa-github.
_NAME = 3
_Read = TypeVar("_Read")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_TOML_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)")


@dataclass(slots=True)
class Page:
    """A page: its data, its text and the line in which this begins."""

    name: str
    data: Value
    body: str
    line: int

    @property
    def place(self) -> Span:
        """Return the place of the whole page."""
        return Span(self.data.place.file)

    @property
    def text_place(self) -> Span:
        """Return the place where its text begins."""
        return Span(self.data.place.file, self.line, 1, self.line, 2)


#: The address of a site as its theme has it.
_THEME = re.compile(
    r"https?://(?:www\.)?(?:localhost|127\.|0\.0\.0\.0|example\.(?:com|org)"
    r"|academicpages\.github\.io|hugoblox\.com|wowchemy\.com)"
)


class Site:
    """The files of a site below the folder that has its configuration."""

    def __init__(self, given: Given, root: str, draft: Draft) -> None:
        self.given = given
        self.root = root
        self.draft = draft
        #: The address of the site, which others may be relative to.
        self.address = ""
        self.address_place: Span | None = None
        #: The language of its main pages, if the configuration says so.
        self.language = ""
        self.opened: set[str] = set()

    def put_website(self) -> None:
        """Say that the site is the person's, if no page is; its address may be the theme's yet."""
        said = self.draft.data.get("contact", {}).get("website")
        if not said and re.match("https?://", self.address) and not _THEME.match(self.address):
            self.draft.put("contact.website", [self.address], self.address_place)

    def names(self, pattern: str) -> list[str]:
        """Return the names of files, below the root, of a form."""
        inside = (one[len(self.root) :] for one in names(self.given) if one.startswith(self.root))
        return [one for one in inside if re.fullmatch(pattern, one)]

    def data(self, name: str) -> Value | None:
        """Return the data of a YAML, TOML or JSON file; None if absent, or lost with its fault."""
        return self._read(name, self._parsed)

    def page(self, name: str) -> Page | None:
        """Return a page; None if absent, or lost with its fault."""
        return self._read(name, self._page)

    def _read(self, name: str, parse: Callable[[bytes, str, str], _Read]) -> _Read | None:
        content = self.given.files.read(self.root + name)
        if content is None:
            return None
        self.opened.add(self.root + name)
        place = Span(f"{self.given.name}/{self.root}{name}")
        try:
            return parse(content, name, place.file)
        except CvbuildError as error:
            for one in error.diagnostics:
                self.draft.lose(f"{name} was not read", one.message, one.span or place)
            return None

    def _parsed(self, content: bytes, name: str, file: str) -> Value:
        if name.endswith(".toml"):
            return _toml(texts.decoded(content), file)
        if name.endswith(".json"):
            return located_json.parse(content, file)
        return located_yaml.parse(content, file)

    def _page(self, content: bytes, name: str, file: str) -> Page:
        lines = texts.decoded(content).split("\n")
        mark = lines[0].rstrip()
        if mark not in ("---", "+++"):
            return Page(name, Value({}, Span(file)), "\n".join(lines), 1)
        ends = (at for at, line in enumerate(lines[1:], 1) if line.rstrip() in (mark, "..."))
        end = next(ends, len(lines))
        head, body = lines[1:end], lines[end + 1 :]
        if mark == "+++":
            data = _toml("\n".join(["", *head]), file)
        elif any(line.strip() and not line.lstrip().startswith("#") for line in head):
            # An empty line for the first one: places are those in the file.
            data = located_yaml.parse("\n".join(["", *head]).encode("utf-8", "replace"), file)
        else:
            data = Value({}, Span(file))
        return Page(name, data, "\n".join(body), end + 2)

    def absolute(self, address: str) -> str:
        """Return an address; one of the site's own pages with the site's before it."""
        address = address.strip()
        is_inner = not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//|www\.", address)
        if not address or not is_inner:
            return address
        return (
            urljoin(self.address.rstrip("/") + "/", address.lstrip("/"))
            if self.address
            else address
        )

    def link(self, value: Value | None, near: object = None) -> str:
        """Return the address of a value; empty, and lost with its place, if it can't be one."""
        address = self.absolute(value.own_text()) if value else ""
        if address and value and not texts.address(address):
            self.draft.lose(value.path, address, value.place, near)
            return ""
        return address

    def blocks(self, text: str) -> Blocks:
        """Return the paragraphs and points of a page's text."""
        return markup.blocks(text, self.absolute)

    def describe(self, item: dict[str, Any], kind: str, page: Page) -> None:
        """Put the text below a page's data into an item."""
        self.put(item, kind, self.blocks(page.body), page.name, page.text_place)

    def put(self, item: dict[str, Any], kind: str, blocks: Blocks, what: str, place: Span) -> None:
        """Put blocks into an item, and list what has no place there; a lone link is a link."""
        for block in [*blocks.blocks] if kind in _LINKED else ():
            if found := _LINK.fullmatch(block.text):
                blocks.blocks.remove(block)
                item["links"] = [*item.get("links", ()), {found[1]: found[2]}]
        for lost in descriptions.put(item, kind, blocks):
            self.draft.lose(what, lost, place, item)

    def summarise(self, item: dict[str, Any], kind: str, page: Page, *keys: str) -> None:
        """Put the first short one of a page's summaries into an item; others are listed.

        The text below the data is the last of them.
        """
        values = [one for key in keys if (one := page.data.get(key))]
        told = [(one.path, one.own_text(), one.place) for one in values]
        for what, text, place in [*told, ("text of the page", page.body, page.text_place)]:
            found = self.blocks(text)
            has_points = kind == "project" and any(one.level is not None for one in found.blocks)
            is_more = "summary" in item and not has_points
            if found.blocks and (is_more or len(found.inline) > _LONG * (1 + has_points)):
                self.draft.lose(what, found.inline, place, item)
                found.blocks.clear()
            self.put(item, kind, found, what, place)

    def account(self, network: str, value: Value) -> None:
        """Put an account: a user name or an address under the name of a network."""
        text = value.own_text().strip()
        if network.islower():
            network = network.upper() if len(network) <= _ACRONYM else network.capitalize()
        if text.startswith("mailto:"):
            self.draft.put("contact.email", [text.removeprefix("mailto:")], value.place)
        elif "/" not in text and not _SCHEME.match(text):
            networks.put(self.draft, network, text, "", value.place)
        elif not texts.address(self.absolute(text)):
            self.draft.lose(value.path, text, value.place)
        elif networks.account(url=text):
            networks.put(self.draft, url=text, place=value.place)
        else:
            networks.put(self.draft, network, "", self.absolute(text), value.place)

    def add(self, kind: str, item: Any, page: Page, group: str | None = None) -> Any:
        """Add what a page says, and list the rest of its data."""
        made = self.draft.add(kind, item, page.place, group=group)
        page.data.near = made if isinstance(made, dict) else None
        self.finish(page.data)
        return made

    def finish(self, value: Value) -> None:
        """List what was not read of a value, once."""
        lose_unread(value, self.draft)
        value.read()

    def list_unopened(self) -> None:
        """Say which files were not read, by folder."""
        folders: dict[str, int] = {}
        for name in names(self.given):
            is_text = name.endswith((".md", ".markdown", ".bib", ".json", ".yaml", ".yml", ".toml"))
            if name not in self.opened and is_text and name.startswith(self.root):
                folder = name[len(self.root) :].rpartition("/")[0] or "."
                folders[folder] = folders.get(folder, 0) + 1
        told = ", ".join(
            f"{folder}/ ({count})" for folder, count in sorted(folders.items())[:_FOLDERS]
        )
        self.draft.lose("files that were not read, by folder", told, Span(self.given.name))


#: Folders that are listed as not read.
_FOLDERS = 40


def names(given: Given) -> tuple[str, ...]:
    """Return the names of a folder's or an archive's files."""
    return given.files.names() if given.has_parts else ()


def inline(value: Value, *keys: str) -> str:
    """Return the first text under one of the keys as Markdown on one line."""
    return wordings.inline(value.text(*keys))


def dates(value: Value, start: tuple[str, ...], end: tuple[str, ...]) -> str:
    """Return a range of dates from the first keys that there are; without an end it goes on."""
    last = value.text(*end)
    present = last.strip().lower() in ("present", "now")
    return foreign_dates.between(value.text(*start), "" if present else last)


def skip(value: Value, *keys: str) -> None:
    """Mark what says nothing of the person as read; a sentence is no name of a sign or a file."""
    for key in keys:
        one = value.get(key)
        if one and not (isinstance(one.data, str) and len(one.data.split()) > _NAME):
            one.read()


def _toml(text: str, file: str) -> Value:
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        reason = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "nested too deep"
        found = _TOML_PLACE.search(reason)
        line, column = (int(found[1]), int(found[2])) if found else (0, 0)
        place = Span(file, line, column, line, column + bool(line))
        message = f"this is no TOML: {_TOML_PLACE.sub('', reason)}"
        raise CvbuildError.because("toml-syntax", message, "mend it", place) from None
    count = iter(range(MAX_VALUES))
    return _located(data, Span(file), "", count, 0)


def _located(data: Any, place: Span, path: str, count: Iterator[int], depth: int) -> Value:
    """Return plain data as values; TOML's reader doesn't tell their lines."""
    if next(count, None) is None or depth > MAX_DEPTH:
        raise CvbuildError.because("toml-limit", "it is too large", "is this the right file?")
    if isinstance(data, dict):
        inner = {
            key: _located(one, place, f"{path}.{key}" if path else key, count, depth + 1)
            for key, one in data.items()
        }
        return Value(inner, place, path)
    if isinstance(data, list):
        listed = [
            _located(one, place, f"{path}[{at}]", count, depth + 1) for at, one in enumerate(data)
        ]
        return Value(listed, place, path)
    return Value(str(data).lower() if isinstance(data, bool) else str(data), place, path)
