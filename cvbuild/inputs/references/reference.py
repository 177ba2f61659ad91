"""A reference of any format as an item of a person's file: a publication or a patent.

What formats write in several ways is cleaned: identifiers, addresses, pages, the kind of work.
"""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from msgspec import Struct, field
from pydantic_core import PydanticCustomError

from cvbuild.common.diagnostics import Diagnostic, Span
from cvbuild.inputs.references import latex_text
from cvbuild.inputs.references.latex_text import Unread
from cvbuild.model.locales.dates import MONTHS, point
from cvbuild.model.sections import ARXIV
from cvbuild.model.text import texts

#: Words of types of entries and of their fields.
TABLES = tomllib.loads(Path(__file__).with_name("bibtex.toml").read_text("utf-8"))
#: What a reader must be told of a work, where nothing else shows it.
NOTES: dict[str, str] = TABLES["notes"]
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)
_ARXIV_PAGE = re.compile(
    r"https?://(?:www\.)?arxiv\.org/(?:abs|pdf)/(.+?)(?:\.pdf)?/?", re.IGNORECASE
)
_ARXIV_WORDS = re.compile(r"(?:arXiv|CoRR)\b.*?\b(?:arXiv:|abs/)(\S+?)[\]),.]?", re.IGNORECASE)
_DOI_PAGE = re.compile(r"https?://(?:dx\.)?doi\.org/(10\..+)", re.IGNORECASE)
_EXTRA = re.compile(r"\s*\[[\w.-]+\]")


class Reference(Struct):
    """A work: ``item`` has the keys of a publication, the texts ready for a person's file.

    ``type`` is a word of ``NOTES``, ``patent``, or another word for a work that needs no note.
    ``places`` are those of the keys in the source, ``notes`` the parts of its note, ``lost`` what
    has no key: its name in the source, its value, its place. ``unread`` are commands of LaTeX that
    aren't known, each with what is printed, ``warnings`` say what else isn't understood.
    """

    place: Span
    type: str = ""
    item: dict[str, Any] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    lost: list[tuple[str, object, Span]] = field(default_factory=list)
    unread: list[tuple[str, str, Span]] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)

    def put(self, key: str, value: Any, place: Span | None = None, what: str = "") -> None:
        """Set a key; a second value of it is lost, under the name ``what`` of its source."""
        if not value or self.item.get(key) == value:
            return
        if key in self.item:
            self.lost.append((what or key, value, place or self.place))
            return
        self.item[key] = value
        if place:
            self.places[key] = place

    def publication(self) -> dict[str, Any]:
        """Return the work as an item of a section of publications."""
        item = dict(self.item)
        for key in ("number", "status"):
            # Those of a patent, among publications.
            if value := item.pop(key, None):
                self.notes.append(value)
        _identify(item)
        word = NOTES.get(self.type)
        told = " ".join([*self.notes, item.get("venue", "")]).casefold()
        if word and word.split()[-1].casefold() not in told:
            self.notes.insert(0, word)
        if self.notes:
            item["note"] = ". ".join(note.rstrip(". ") for note in dict.fromkeys(self.notes))
        return item

    def patent(self) -> dict[str, Any]:
        """Return the work as an item of a section of patents; what has no key there is lost."""
        item = dict(self.item)
        if "doi" in item:
            item.setdefault("url", f"https://doi.org/{item.pop('doi')}")
        known = ("title", "number", "status", "date", "url", "links")
        fields = {key: item.pop(key) for key in known if key in item}
        fields["inventors"] = item.pop("authors", None)
        if self.notes and "status" not in fields:
            fields["status"] = ". ".join(self.notes)
        else:
            item["note"] = self.notes
        self.lost += [(key, item[key], self.places.get(key, self.place)) for key in item]
        return fields


def date(year: str, month: str = "", day: str = "") -> Any:
    """Return a date as a person's file has it: ``2020-05``; words as {text: …}; None for none."""
    year, month, day = (part.strip(" .") for part in (year, month, day))
    month, day = ("" if not part.strip("0") else part for part in (month, day if month else ""))
    words = " ".join(part for part in (day, month, year) if part)
    # MONTHS has no names of other languages, many of which begin as the English ones.
    number = MONTHS.get(month[:3].casefold()) if re.fullmatch(r"[A-Za-z]{3,9}", month) else None
    figures = "-".join(part for part in (year, str(number or month), day) if part)
    for text in (figures, words):
        with suppress(PydanticCustomError):
            return str(point(text))
    return {"text": words} if words else None


def edition(word: str) -> str:
    """Return the words for an edition: 2nd edition."""
    number = word.removesuffix(".")
    if number.isdecimal():
        tens = len(number) > 1 and number[-2] == "1"
        ending = "th" if tens else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")
        return f"{number}{ending} edition"
    is_word = re.fullmatch(r"[\w-]+", word) and "edition" not in word.casefold()
    return f"{word} edition" if is_word else word


def _identify(item: dict[str, Any]) -> None:
    """Bring DOI, arXiv id and address into their own keys, each once."""
    url, doi = item.get("url", ""), item.get("doi", "")
    if doi:
        item["doi"] = doi = re.sub(
            r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", doi, flags=re.IGNORECASE
        )
    if match := _DOI_PAGE.fullmatch(url):
        item["doi"] = doi = doi or unquote(match[1])
        if doi.casefold() == unquote(match[1]).casefold():
            del item["url"]
    words = f"{item.get('venue', '')} {item.get('volume', '')}"
    for text, form in ((doi, _ARXIV_DOI), (url, _ARXIV_PAGE), (words, _ARXIV_WORDS)):
        match = form.fullmatch(text.strip())
        if not (match and ARXIV.fullmatch(match[1])):
            continue
        item.setdefault("arxiv", match[1])
        own, other = item["arxiv"].removeprefix("arXiv:"), match[1]
        if own.split("v")[0] != other.split("v", maxsplit=1)[0]:
            continue
        # What says nothing but the arXiv id goes.
        if form is _ARXIV_DOI:
            del item["doi"]
        elif form is _ARXIV_PAGE:
            del item["url"]
        else:
            item["venue"] = "CoRR" if item["venue"].startswith("CoRR") else "arXiv"
            if item.get("volume", "").startswith("abs/"):
                del item["volume"]
    if "arxiv" in item:
        item["arxiv"] = _EXTRA.sub("", item["arxiv"])
    # The number of an article that is one of these again, or the record in the venue.
    number = item.get("pages", "")
    is_repeated = ":" in number and number in item.get("venue", "")
    if is_repeated or (number and number.removeprefix("arXiv:") in (doi, item.get("arxiv"))):
        del item["pages"]


#: What stands for the rest of a long list.
_OTHERS = re.compile(r"(?:and )?(?:others|et\.? al\.?|u\. ?a\.)", re.IGNORECASE)
_JUNIOR = re.compile(r"(?:jr|sr|[IVX]+)\.?", re.IGNORECASE)
ET_AL = "et al."
#: A name that somebody made bold, underlined and the like.
_STYLE = re.compile(
    r"\\(?:textbf|textit|textsc|emph|uline|underline|ul|mbox|textcolor\{[^{}]*\})\s*\{(.*)\}|"
    r"\{\s*\\(?:bf|bfseries|em|it|itshape|sl|sc|scshape|textbf|emph|underline)\b\s*(.*)\}"
)
_MARK = re.compile("[*†‡§¶]")
#: What stands after a comma in the name of a body, which isn't the given name of a person.
_BODY = re.compile(
    r"(?:(?i:jr|sr|i+v?|inc|ltd|llc|gmbh|corp|co|ag|sa|bv|plc|usa?|uk|eu)\.?|[A-Z]{3,}.*|.*\d.*)"
)


def of_bibtex(value: str, unread: Unread, guesses: list[tuple[str, str]]) -> list[str]:
    """Return the names of a field; what was guessed goes into ``guesses``: a fact and a remedy."""
    listed = _parted(value)
    if len(listed) == 1 and "{" not in value.replace("{\\", ""):
        several = re.split(r",? and |; |, ", value)
        initials = [re.fullmatch(r"(?:[A-Z][.\s-]*){1,4}", part) for part in several[1::2]]
        sign = "; " if "; " in value else ", "
        if sign == ", " and len(several) > 3 and all(initials):
            pairs = zip(several[::2], several[1::2], strict=False)
            several = [f"{family}, {given}" for family, given in pairs]
        elif all(re.fullmatch(r"\S+ (?!II)[A-Z]{1,3}", part) for part in several):
            # PubMed's order.
            several = [part.replace(" ", ", ") for part in several]
        elif sign == ", " and (len(several) < 3 or not all(" " in part for part in several)):
            several = listed
        if several is not listed and len(several) > 1:
            fact = f'the names are parted by "{sign.strip()}"'
            guesses.append((fact, "write Ada Example and Sam Specimen"))
            listed = several if sign == ", " else value.split("; ")
    names = (_name(name, unread, guesses) for name in listed)
    return [name.strip(" ,") for name in names if name.strip(" ,")]


def _parted(value: str) -> list[str]:
    """Return the parts of a text between words "and" that are in no braces.

    Why not by bibtexparser: of a name that begins with an accent, it loses that.
    """
    depth, start, parts = 0, 0, []
    for match in re.finditer(r"\\.|[{}]|\s+and(?=\s)", value, re.IGNORECASE | re.DOTALL):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if not depth and len(match[0]) > 3:
            parts.append(value[start : match.start()])
            start = match.end()
    return [part.strip() for part in (*parts, value[start:]) if part.strip()]


def _name(name: str, unread: Unread, guesses: list[tuple[str, str]]) -> str:
    from bibtexparser.middlewares.names import InvalidNameError, parse_single_name_into_parts

    # Before the LaTeX is read: the braces say what belongs together.
    while style := _STYLE.fullmatch(name):
        name = (style[1] or style[2] or "").strip()
    if whole := re.fullmatch(r"\{([^{}]*)\}", name):
        family, comma, given = whole[1].partition(", ")
        is_body = not comma or "," in given or family.count(" ") > 1 or given.count(" ") > 2
        if is_body or not given.istitle() or _BODY.fullmatch(given):
            return latex_text.plain(whole[1], unread)
        guesses.append((f'"{whole[0][:60]}" is read as a person', "write it without the braces"))
        name = whole[1]
    if _OTHERS.fullmatch(name):
        return ET_AL
    if "family=" in name:
        fields = dict(re.findall(r"(\w+)=([^,]*)", latex_text.plain(name, unread)))
        names = (fields.get(key, "") for key in ("given", "prefix", "family"))
        printed, suffix = texts.line(" ".join(filter(None, names))), fields.get("suffix", "")
        return f"{printed}, {texts.line(suffix)}" if suffix and printed else printed
    # A tilde is a blank, but not that of an accent.
    name = name.replace("\\~", "\\tilde ").replace("\\tilde {", "\\tilde{")
    try:
        parts = parse_single_name_into_parts(name, strict=False)
    except InvalidNameError:
        return latex_text.plain(name, unread)
    words = [*parts.first, *parts.von, *parts.last]
    printed = latex_text.plain(" ".join(words), unread) or latex_text.plain(name, unread)
    # DBLP's number of one of several persons of that name.
    printed = re.sub(r" 0\d{3}$", "", printed)
    junior = latex_text.plain(" ".join(parts.jr))
    printed = f"{printed}, {junior}" if junior else printed
    # Example, Ada*: the mark stands after the whole name.
    return _MARK.sub("", printed) + "".join(_MARK.findall(printed))


def of_inverted(value: str) -> str:
    """Return a name that may be written Last, First, Junior as it is printed."""
    name = texts.line(value).strip(" ,")
    if _OTHERS.fullmatch(name):
        return ET_AL
    last, *rest = (part.strip() for part in name.split(","))
    rest = [part for part in rest if part]
    if not rest:
        return last
    # Sources differ in where they put it.
    junior = next((part for part in rest if _JUNIOR.fullmatch(part)), None)
    given = [part for part in rest if part is not junior]
    printed = " ".join([*given, last])
    return f"{printed}, {junior}" if junior else printed
