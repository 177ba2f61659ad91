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
from cvbuild.importers import networks
from cvbuild.importers.draft import Draft
from cvbuild.importers.formats import linkedin_tables
from cvbuild.importers.formats.linkedin_tables import Row
from cvbuild.importers.types import Given, Imported
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
        names = _by_part(given)
        others = {_base(name) for name in given.files.names()} & {*_OTHERS}
        if names:
            return any(_has_columns(given, names[part], part) for part in PARTS if part in names)
        return len(others) >= 2

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
            rows = linkedin_tables.read(given.files.read(names[part]) or b"", name, columns)
            if rows is None:
                wanted = " and ".join(f'"{one}"' for one in columns[:2])
                what = f"{names[part]} has no columns {wanted}"
                reader.draft.lose(what, "nothing was read of it", Span(name))
                continue
            for row in rows:
                near = read(reader, row)
                # The cells that nothing was made of.
                for column, value in row.rest.items():
                    reader.draft.lose(f"{row.name} {column.title()}", value, row.place, near)
        reader.finish()
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


def _has_columns(given: Given, name: str, part: str) -> bool:
    columns, _ = PARTS[part]
    head = (given.files.read(name) or b"")[: 1 << 14]
    return linkedin_tables.read(head.rpartition(b"\n")[0] or head, name, columns) is not None


class Reader:
    """Puts rows into a draft, and lists the cells that have no key."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.summary = ""
        #: The employer of the row before: several rows may be its roles.
        self.employer: dict[str, Any] = {}

    def describe(self, item: dict[str, Any], kind: str, row: Row, column: str) -> None:
        """Put the text of a column, with its paragraphs and bullets, into an item."""
        self.lost(row, column, descriptions.describe(item, kind, row.take(column)), item)

    def lost(self, row: Row, column: str, values: list[str], near: object) -> None:
        """List what has no place of a column."""
        for value in values:
            self.draft.lose(f"{row.name} {column}", value, row.place, near)

    def add(self, kind: str, item: Any, row: Row, title: str | None = None) -> object:
        """Add an item; return it if it is a dict."""
        made = self.draft.add(kind, item, row.place, title)
        return made if isinstance(made, dict) else None

    def profile(self, row: Row) -> None:
        """Put the name, the headline and how to reach the person."""
        put, place = self.draft.put, row.place
        name: dict[str, Any] = {
            "given": words(row, "First Name"),
            "family": words(row, "Last Name"),
        }
        if maiden := words(row, "Maiden Name"):
            name["others"] = [{"label": "Name at birth", "name": maiden}]
        put("name", {key: value for key, value in name.items() if value}, place)
        put("headline", line(row, "Headline"), place)
        self.about(row, "Summary")
        town, code = line(row, "Address") or line(row, "Geo Location"), line(row, "Zip Code")
        put("contact.address", f"{town}, {code}" if town and code not in town else town, place)
        if code and not town:
            self.draft.lose(f"{row.name} Zip Code", code, place)
        put("contact.birth-date", dates.normal(row.take("Birth Date")), place)
        for handle in re.split(r"[,\s]+", row.take("Twitter Handles").strip("[]")):
            user = handle.strip("[]@")
            if re.fullmatch(r"\w{1,30}", user):
                put("contact.profiles.x", [user], place)
            else:
                self.draft.lose(f"{row.name} Twitter Handles", user, place)
        self.websites(row)
        for messenger in re.split(r"[,\s]+", row.take("Instant Messengers")):
            kind, _, user = messenger.strip("[]").rpartition(":")
            if user:
                networks.put(self.draft, kind.capitalize() or "Messenger", user, "", place)

    def websites(self, row: Row) -> None:
        """Put addresses: accounts, own pages, and others with the label that LinkedIn has."""
        cell, rest = (whole := row.take("Websites"))[:_LONGEST], whole[_LONGEST:]
        self.draft.lose(f"{row.name} Websites", rest, row.place)
        for found in _TYPED.finditer(cell):
            label, url = (found[1] or "").replace("_", " ").capitalize(), found[2]
            if not texts.address(url):
                self.draft.lose(f"{row.name} Websites {label}", url, row.place)
            elif networks.account(url=url):
                networks.put(self.draft, url=url, place=row.place)
            elif label in ("", "Personal"):
                self.draft.put("contact.website", [url], row.place)
            else:
                self.draft.put("contact.links", [{label: url}], row.place)
        left = _TYPED.sub("", cell).strip("[], ")
        self.draft.lose(f"{row.name} Websites", left, row.place)

    def about(self, row: Row, column: str) -> None:
        """Put the summary; both files that may have it say the same."""
        text = row.take(column)
        if text and text != self.summary:
            found = descriptions.read(text)
            self.summary = self.summary or text
            self.draft.put("summary", found.paragraphs, row.place)
            self.lost(row, column, found.lost, None)

    def profile_summary(self, row: Row) -> None:
        """Put the summary from its own file."""
        self.about(row, "Profile Summary")

    def email(self, row: Row) -> None:
        """Put an address; the primary one comes first."""
        address = row.take("Email Address")
        is_first = row.take("Primary").casefold() == "yes"
        self.draft.put("contact.email", [address] if address else [], row.place)
        listed: list[Any] = self.draft.data.get("contact", {}).get("email", [])
        if is_first and address in listed:
            listed.insert(0, listed.pop(listed.index(address)))
        # These say nothing of the person.
        for column in ("Confirmed", "Updated On"):
            row.take(column)

    def phone(self, row: Row) -> None:
        """Put a phone number with its type."""
        number, extension = row.take("Number"), row.take("Extension")
        whole = f"{number} ext. {extension}" if extension else number
        if number:
            label = words(row, "Type").casefold()
            one: Any = {"number": whole, "label": label} if label else whole
            self.draft.put("contact.phone", [one], row.place)

    def position(self, row: Row) -> object:
        """A position; several at an employer one after the other become its roles."""
        company = line(row, "Company Name")
        role: dict[str, Any] = {
            "title": line(row, "Title"),
            "date": _dates(row),
            "location": line(row, "Location"),
        }
        is_titled = role["title"] and {"title", "roles"} & self.employer.keys()
        same = self.employer.get("employer") == company and company and is_titled
        if same and "roles" not in self.employer:
            self._part_roles()
        made = role if same else {"employer": company, **role}
        self.describe(made, "role", row, "Description")
        made = {key: value for key, value in made.items() if value}
        if same and "roles" in self.employer:
            self.employer["roles"].append(made)
            self.draft.mark(made, row.place)
        else:
            self.employer = made = self.draft.add("experience", made, row.place)
        return made

    def _part_roles(self) -> None:
        """Make the position of the employer the first of its roles."""
        first = self.employer
        first["roles"] = [{key: first.pop(key) for key in list(first) if key != "employer"}]

    def education(self, row: Row) -> object:
        """Add a school; activities come after what is told of it."""
        item: dict[str, Any] = {
            "institution": line(row, "School Name"),
            "degree": line(row, "Degree Name"),
            "area": line(row, "Field Of Study"),
            "grade": line(row, "Grade"),
            "date": _dates(row, "Start Date", "End Date"),
        }
        self.describe(item, "education", row, "Notes")
        return self.add("education", item | {"notes": [line(row, "Activities")]}, row)

    def skill(self, row: Row) -> object:
        """Add a skill."""
        return self.add("skill", line(row, "Name"), row)

    def course(self, row: Row) -> object:
        """Add a course to a list of them."""
        name, number = line(row, "Name"), line(row, "Number")
        words = f"{name} ({number})" if name and number else name or number
        return self.add("keywords", words, row, "Courses")

    def recommendation(self, row: Row) -> object:
        """A recommendation that the member shows; others are listed as lost."""
        status = row.take("Status").upper()
        name = " ".join(filter(None, (words(row, "First Name"), words(row, "Last Name"))))
        if status not in ("", "VISIBLE"):
            what = f"{row.name}, {status.lower()} recommendation of {name}"
            self.draft.lose(what, line(row, "Text"), row.place)
            row.rest.clear()
            return None
        item = {
            "name": name,
            "title": line(row, "Job Title"),
            "institution": line(row, "Company"),
        }
        self.describe(item, "reference", row, "Text")
        return self.add("reference", item, row)

    def finish(self) -> None:
        """Put what is the same for all roles of an employer where it is the employer's."""
        for section in self.draft.data.get("sections", ()):
            for item in section["items"]:
                roles = item.get("roles", ()) if isinstance(item, dict) else ()
                places = {role.get("location") for role in roles}
                if len(places) == 1 and places != {None}:
                    item["location"] = places.pop()
                    for role in roles:
                        del role["location"]


def words(row: Row, column: str) -> str:
    """Return a cell as a text without Markdown."""
    return texts.line(html.unescape(row.take(column)))


def line(row: Row, column: str) -> str:
    """Return a cell as Markdown on one line."""
    return descriptions.inline(row.take(column))


#: What reads a row, and returns the item that it became.
_Read = Callable[[Reader, Row], object]
#: What a key has of a row: a column as a text, or what a function makes of several.
_Keys = Mapping[str, str | Callable[[Row], Any]]


def _item(kind: str, keys: _Keys, text: str = "", title: str | None = None) -> _Read:
    """Return what adds an item for each row; ``text`` is the column with its description."""

    def read(reader: Reader, row: Row) -> object:
        made = {key: line(row, it) if isinstance(it, str) else it(row) for key, it in keys.items()}
        if text:
            reader.describe(made, kind, row, text)
        return reader.add(kind, made, row, title)

    return read


def _dates(
    row: Row, start: str = "Started On", end: str = "Finished On", *, goes_on: bool = True
) -> str:
    return dates.between(row.take(start), row.take(end), goes_on=goes_on)


def _day(*columns: str) -> Callable[[Row], str]:
    return lambda row: dates.normal(next(filter(None, map(row.take, columns)), ""))


def _url(row: Row) -> str:
    return row.take("Url")


def _cause(row: Row) -> list[str]:
    cause = line(row, "Cause")
    return [cause.replace("_", " ").capitalize() if cause.isupper() else cause]


def _patent_number(row: Row) -> str:
    number = line(row, "Patent Number") or line(row, "Application Number")
    return " ".join(filter(None, (line(row, "Issuer"), number)))


def _score(row: Row) -> str:
    return f"Score: {score}" if (score := line(row, "Score")) else ""


_PROJECT = _item("project", {"name": "Title", "url": _url, "date": _dates}, "Description")
_PUBLICATION = _item("publication", {
    "title": "Name", "venue": "Publisher", "date": _day("Published On"), "url": _url,
}, "Description")  # fmt: skip
_PATENT = _item("patent", {
    "title": lambda row: line(row, "Title") or line(row, "Name"), "number": _patent_number,
    "status": "Status", "date": _day("Issued On", "Filed On"), "url": _url,
})  # fmt: skip
_HONOR = _item(
    "award", {"title": "Title", "awarder": "Issuer", "date": _day("Issued On")}, "Description"
)
#: Unpaid work; its cause is a keyword.
_VOLUNTEER = _item("volunteer", {
    "organization": "Company Name", "title": "Role", "date": _dates, "keywords": _cause,
}, "Description")  # fmt: skip
#: An office or a membership.
_ORGANIZATION = _item("service", {
    "role": lambda row: line(row, "Position") or "Member", "organization": "Name", "date": _dates,
}, "Description")  # fmt: skip
#: The second date is the end of what is certified.
_CERTIFICATE = _item("certificate", {
    "name": "Name", "issuer": "Authority", "number": "License Number",
    "date": lambda row: _dates(row, goes_on=False), "url": _url,
})  # fmt: skip
_SCORE = _item(
    "entry", {"title": "Name", "date": _day("Tested On"), "summary": _score}, "Description",
    "Test scores",
)  # fmt: skip
_LANGUAGE = _item("language", {"language": "Name", "level": "Proficiency"})
#: The columns by which each file is known, and what reads its rows, in the order of a CV.
PARTS: dict[str, tuple[tuple[str, ...], _Read]] = {
    "profile.csv": (("First Name", "Last Name", "Headline"), Reader.profile),
    "profile summary.csv": (("Profile Summary",), Reader.profile_summary),
    "email addresses.csv": (("Email Address",), Reader.email),
    "phonenumbers.csv": (("Number", "Extension"), Reader.phone),
    "positions.csv": (("Company Name", "Title"), Reader.position),
    "education.csv": (("School Name", "Degree Name"), Reader.education),
    "projects.csv": (("Title", "Started On"), _PROJECT),
    "publications.csv": (("Name", "Published On"), _PUBLICATION),
    "patents.csv": (("Title", "Patent Number", "Issuer"), _PATENT),
    "honors.csv": (("Title", "Issued On"), _HONOR),
    "volunteering.csv": (("Company Name", "Role"), _VOLUNTEER),
    "volunteer experiences.csv": (("Company Name", "Role"), _VOLUNTEER),
    "organizations.csv": (("Name", "Position"), _ORGANIZATION),
    "certifications.csv": (("Name", "Authority"), _CERTIFICATE),
    "courses.csv": (("Name", "Number"), Reader.course),
    "testscores.csv": (("Name", "Score"), _SCORE),
    "skills.csv": (("Name",), Reader.skill),
    "languages.csv": (("Name", "Proficiency"), _LANGUAGE),
    "recommendations_received.csv": (("First Name", "Text"), Reader.recommendation),
}
