"""LinkedIn's "copy of your data": a ZIP archive or the folder of it.

Only the files of ``PARTS`` are ever opened: the archive also has what other people wrote, such as
messages and connections.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from typing import Any

from cvbuild.common.diagnostics import Span
from cvbuild.common.errors import CvbuildError
from cvbuild.importers import networks, parsers, values
from cvbuild.importers.draft import Draft
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.values import Value
from cvbuild.importers.words import dates, descriptions
from cvbuild.inputs.references import texts

#: Files that every archive has, also the one without a profile that comes first.
_OTHERS = ("connections.csv", "invitations.csv", "messages.csv", "registration.csv")
#: [PORTFOLIO:https://example.org],[BLOG:https://…]; or plain addresses.
_TYPED = re.compile(
    r"\[?(?:([A-Z][A-Z_ ]*):)?((?:[a-z]+:|www\.)[^\]\s,]+|[^\],\s:]+\.[^\],\s]+)\]?"
)
#: Characters of a cell with addresses; LinkedIn allows three of them.
_LONGEST = 2_000


class Format:
    """The data that LinkedIn has of its member."""

    name = "linkedin"
    title = "LinkedIn data"

    def recognises(self, given: Given) -> bool:
        """Return whether there is a file of the profile with its columns, or two of the others.

        Raises CvbuildError for an archive that can't be read.
        """
        if not given.has_parts:
            return False
        if names := _by_part(given):
            part = next(part for part in PARTS if part in names)
            head = (given.files.read(names[part]) or b"")[: 1 << 14]
            whole = head.rpartition(b"\n")[0] or head
            return parsers.parse_csv(whole, names[part], PARTS[part][0]) is not None
        return len({_base(name) for name in given.files.names()} & {*_OTHERS}) >= 2

    def read(self, given: Given) -> Imported:
        """Read the profile's files in the order of a CV."""
        names = _by_part(given)
        if not names:
            message = f"{given.name} has nothing of the profile"
            hint = (
                "ask LinkedIn for the larger archive: Settings > Data privacy > Get a copy of your "
                "data; the one that comes first has only messages and the like"
            )
            raise CvbuildError.because("import", message, hint)
        reader = Reader(Draft(given.name))
        for part, (columns, read) in PARTS.items():
            if part not in names:
                continue
            name = f"{given.name}/{names[part]}"
            rows = parsers.parse_csv(given.files.read(names[part]) or b"", name, columns)
            if rows is None:
                wanted = " and ".join(f'"{one}"' for one in columns[:2])
                what = f"{names[part]} has no columns {wanted}"
                reader.draft.lose(what, "nothing was read of it", Span(name))
            for row in rows or ():
                # The cells that nothing was made of are listed one by one.
                row.near, row.is_read = read(reader, row), True
            values.lose_unread(Value(rows, Span(name)), reader.draft)
        return reader.draft.done()


def _base(name: str) -> str:
    return name.rpartition("/")[2].casefold()


def _by_part(given: Given) -> dict[str, str]:
    """Return the name of each file of the profile, the one that is least deep in folders."""
    found: dict[str, str] = {}
    for name in sorted(given.files.names(), key=lambda one: (one.count("/"), one)):
        if (base := _base(name)) in PARTS:
            found.setdefault(base, name)
    return found


def _plain(row: Value, column: str) -> str:
    """Return a cell as a text without Markdown."""
    return texts.line(html.unescape(row.text(column)))


def _inline(row: Value, *columns: str) -> str:
    """Return the first cell that has a text as Markdown on one line."""
    return descriptions.inline(row.text(*columns))


class Reader:
    """Puts rows into a draft, and lists what has no key."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.summary = ""
        #: The employer of the row before: several rows may be its roles.
        self.employer: dict[str, Any] = {}

    def lose(self, row: Value, column: str, value: object, near: object = None) -> None:
        """List what has no place of a cell."""
        for one in value if isinstance(value, list) else [value]:
            self.draft.lose(f"{row.path} {column.title()}", one, row.place, near)

    def describe(self, item: dict[str, Any], kind: str, row: Value, column: str) -> None:
        """Put the text of a cell, with its paragraphs and bullets, into an item."""
        self.lose(row, column, descriptions.describe(item, kind, row.text(column)), item)

    def add(self, kind: str, item: Any, row: Value, title: str | None = None) -> object:
        """Add an item; return it if it is a dict."""
        made = self.draft.add(kind, item, row.place, title)
        return made if isinstance(made, dict) else None

    def profile(self, row: Value) -> None:
        """Put the name, the headline and how to reach the person."""
        put, place = self.draft.put, row.place
        name: dict[str, Any] = {
            "given": _plain(row, "first name"),
            "family": _plain(row, "last name"),
        }
        if maiden := _plain(row, "maiden name"):
            name["others"] = [{"label": "Name at birth", "name": maiden}]
        put("name", {key: value for key, value in name.items() if value}, place)
        put("headline", _inline(row, "headline"), place)
        self.about(row, "summary")
        town, code = _inline(row, "address", "geo location"), _inline(row, "zip code")
        put("contact.address", f"{town}, {code}" if town and code not in town else town, place)
        self.lose(row, "zip code", "" if town else code)
        put("contact.birth-date", dates.normal(row.text("birth date")), place)
        for handle in row.text("twitter handles").strip("[]").split(","):
            if re.fullmatch(r"\w{1,30}", user := handle.strip(" []@")):
                put("contact.profiles.x", [user], place)
            else:
                self.lose(row, "twitter handles", user)
        websites, rest = (cell := row.text("websites"))[:_LONGEST], cell[_LONGEST:]
        for found in _TYPED.finditer(websites):
            label, url = (found[1] or "").replace("_", " ").capitalize(), found[2]
            if not texts.address(url):
                self.lose(row, f"websites {label}", url)
            elif networks.account(url=url):
                networks.put(self.draft, url=url, place=place)
            elif label in ("", "Personal"):
                put("contact.website", [url], place)
            else:
                put("contact.links", [{label: url}], place)
        self.lose(row, "websites", [_TYPED.sub("", websites).strip("[], "), rest])

    def about(self, row: Value, column: str = "profile summary") -> None:
        """Put the summary; both files that may have it say the same."""
        text = row.text(column)
        if text and text != self.summary:
            found = descriptions.read(text)
            self.summary = self.summary or text
            self.draft.put("summary", found.paragraphs, row.place)
            self.lose(row, column, found.lost)

    def email(self, row: Value) -> None:
        """Put an address; the primary one comes first."""
        address = row.text("email address")
        is_first = row.text("primary").casefold() == "yes"
        known: list[Any] = self.draft.data.get("contact", {}).pop("email", [])
        emails = [address, *known] if is_first else [*known, address]
        self.draft.put("contact.email", [*filter(None, emails)], row.place)
        # These say nothing of the person.
        for column in ("confirmed", "updated on"):
            row.text(column)

    def phone(self, row: Value) -> None:
        """Put a phone number with its type."""
        if number := row.text("number"):
            label = _plain(row, "type").casefold()
            shown: Any = {"number": number, "label": label} if label else number
            self.draft.put("contact.phone", [shown], row.place)

    def position(self, row: Value) -> object:
        """A position; several at an employer one after the other become its roles."""
        company = _inline(row, "company name")
        role: dict[str, Any] = {
            "title": _inline(row, "title"),
            "date": _dates(row),
            "location": _inline(row, "location"),
        }
        is_titled = role["title"] and {"title", "roles"} & self.employer.keys()
        same = self.employer.get("employer") == company and company and is_titled
        made = role if same else {"employer": company, **role}
        self.describe(made, "role", row, "description")
        made = {key: value for key, value in made.items() if value}
        if not same:
            self.employer = made = self.draft.add("experience", made, row.place)
            return made
        first = self.employer
        if "roles" not in first:
            first["roles"] = [{key: first.pop(key) for key in list(first) if key != "employer"}]
        first["roles"].append(made)
        self.draft.mark(made, row.place)
        return made

    def recommendation(self, row: Value) -> object:
        """A recommendation that the member shows; others are listed as lost."""
        status = row.text("status").upper()
        name = f"{_plain(row, 'first name')} {_plain(row, 'last name')}".strip()
        if status not in ("", "VISIBLE"):
            what = f"{row.path}, {status.lower()} recommendation of {name}"
            self.draft.lose(what, _inline(row, "text"), row.place)
            row.read()
            return None
        keys = {"title": _inline(row, "job title"), "institution": _inline(row, "company")}
        item = {"name": name, **keys}
        self.describe(item, "reference", row, "text")
        return self.add("reference", item, row)


# -- what a row's columns are here ----------------------------------------------------------------

#: What reads a row, and returns the item that it became.
_Read = Callable[[Reader, Value], object]
#: What a key has of a row: a column as a text, or what a function makes of several.
_Keys = Mapping[str, str | Callable[[Value], Any]]


def _item(kind: str, keys: _Keys, text: str = "", title: str | None = None) -> _Read:
    """Return what adds an item for each row; ``text`` is the column with its description."""

    def read(reader: Reader, row: Value) -> object:
        made = {
            key: _inline(row, it) if isinstance(it, str) else it(row) for key, it in keys.items()
        }
        if text:
            reader.describe(made, kind, row, text)
        return reader.add(kind, made, row, title)

    return read


def _dates(
    row: Value, start: str = "started on", end: str = "finished on", *, goes_on: bool = True
) -> str:
    return dates.between(row.text(start), row.text(end), goes_on=goes_on)


def _day(*columns: str) -> Callable[[Value], str]:
    return lambda row: dates.normal(row.text(*columns))


def _url(row: Value) -> str:
    return row.text("url")


def _cause(row: Value) -> list[str]:
    cause = _inline(row, "cause")
    return [cause.replace("_", " ").capitalize() if cause.isupper() else cause]


def _patent_number(row: Value) -> str:
    number = _inline(row, "patent number", "application number")
    return f"{_inline(row, 'issuer')} {number}".strip()


def _course(reader: Reader, row: Value) -> object:
    name, number = _inline(row, "name"), _inline(row, "number")
    words = f"{name} ({number})" if name and number else name or number
    return reader.add("keywords", words, row, "Courses")


_VOLUNTEER = _item("volunteer", {
    "organization": "company name", "title": "role", "date": _dates, "keywords": _cause,
}, "description")  # fmt: skip
#: The columns by which each file is known, and what reads its rows, in the order of a CV.
PARTS: dict[str, tuple[tuple[str, ...], _Read]] = {
    "profile.csv": (("First Name", "Last Name", "Headline"), Reader.profile),
    "profile summary.csv": (("Profile Summary",), Reader.about),
    "email addresses.csv": (("Email Address",), Reader.email),
    "phonenumbers.csv": (("Number", "Extension"), Reader.phone),
    "positions.csv": (("Company Name", "Title"), Reader.position),
    "education.csv": (("School Name", "Degree Name"), _item("education", {
        "institution": "school name", "degree": "degree name", "area": "field of study",
        "grade": "grade", "date": lambda row: _dates(row, "start date", "end date"),
        "notes": lambda row: [_inline(row, "activities")],
    }, "notes")),
    "projects.csv": (("Title", "Started On"), _item("project", {
        "name": "title", "url": _url, "date": _dates,
    }, "description")),
    "publications.csv": (("Name", "Published On"), _item("publication", {
        "title": "name", "venue": "publisher", "date": _day("published on"), "url": _url,
    }, "description")),
    "patents.csv": (("Title", "Patent Number", "Issuer"), _item("patent", {
        "title": lambda row: _inline(row, "title", "name"), "number": _patent_number,
        "status": "status", "date": _day("issued on", "filed on"), "url": _url,
    })),
    "honors.csv": (("Title", "Issued On"), _item("award", {
        "title": "title", "awarder": "issuer", "date": _day("issued on"),
    }, "description")),
    "volunteering.csv": (("Company Name", "Role"), _VOLUNTEER),
    "volunteer experiences.csv": (("Company Name", "Role"), _VOLUNTEER),
    "organizations.csv": (("Name", "Position"), _item("service", {
        "role": lambda row: _inline(row, "position") or "Member", "organization": "name",
        "date": _dates,
    }, "description")),
    # The second date is the end of what is certified.
    "certifications.csv": (("Name", "Authority"), _item("certificate", {
        "name": "name", "issuer": "authority", "number": "license number",
        "date": lambda row: _dates(row, goes_on=False), "url": _url,
    })),
    "courses.csv": (("Name", "Number"), _course),
    "testscores.csv": (("Name", "Score"), _item("entry", {
        "title": "name", "date": _day("tested on"),
        "summary": lambda row: f"Score: {score}" if (score := _inline(row, "score")) else "",
    }, "description", "Test scores")),
    "skills.csv": (
        ("Name",), lambda reader, row: reader.add("skill", _inline(row, "name"), row)
    ),
    "languages.csv": (("Name", "Proficiency"), _item("language", {
        "language": "name", "level": "proficiency",
    })),
    "recommendations_received.csv": (("First Name", "Text"), Reader.recommendation),
}  # fmt: skip
