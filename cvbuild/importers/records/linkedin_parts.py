"""What each file of LinkedIn's data becomes in a person's file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cvbuild.importers.draft import Draft
from cvbuild.importers.records.linkedin_person import PersonRows, line, words
from cvbuild.importers.records.linkedin_tables import Row
from cvbuild.importers.words import foreign_dates


class Reader(PersonRows):
    """Puts the rows of all files into a draft."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft)
        #: The employer of the row before: several rows may be its roles.
        self.employer: dict[str, Any] = {}

    def position(self, row: Row) -> None:
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
        self.rest(row, made)

    def _part_roles(self) -> None:
        """Make the position of the employer the first of its roles."""
        first = self.employer
        first["roles"] = [{key: first.pop(key) for key in list(first) if key != "employer"}]

    def education(self, row: Row) -> None:
        """Add a school; activities come after what is told of it."""
        item: dict[str, Any] = {
            "institution": line(row, "School Name"),
            "degree": line(row, "Degree Name"),
            "area": line(row, "Field Of Study"),
            "grade": line(row, "Grade"),
            "date": _dates(row, "Start Date", "End Date"),
        }
        self.describe(item, "education", row, "Notes")
        self.add("education", item | {"notes": [line(row, "Activities")]}, row)

    def skill(self, row: Row) -> None:
        """Add a skill."""
        self.add("skill", line(row, "Name"), row)

    def course(self, row: Row) -> None:
        """Add a course to a list of them."""
        name, number = line(row, "Name"), line(row, "Number")
        words = f"{name} ({number})" if name and number else name or number
        self.add("keywords", words, row, "Courses")

    def recommendation(self, row: Row) -> None:
        """A recommendation that the member shows; others are listed as lost."""
        status = row.take("Status").upper()
        name = " ".join(filter(None, (words(row, "First Name"), words(row, "Last Name"))))
        if status not in ("", "VISIBLE"):
            what = f"{row.name}, {status.lower()} recommendation of {name}"
            self.draft.lose(what, line(row, "Text"), row.place)
            return
        item = {
            "name": name,
            "title": line(row, "Job Title"),
            "institution": line(row, "Company"),
        }
        self.describe(item, "reference", row, "Text")
        self.add("reference", item, row)

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


_Read = Callable[[Reader, Row], None]
#: What a key has of a row: a column as a text, or what a function makes of several.
_Keys = Mapping[str, str | Callable[[Row], Any]]


def _item(kind: str, keys: _Keys, text: str = "", title: str | None = None) -> _Read:
    """Return what adds an item for each row; ``text`` is the column with its description."""

    def read(reader: Reader, row: Row) -> None:
        made = {key: line(row, it) if isinstance(it, str) else it(row) for key, it in keys.items()}
        if text:
            reader.describe(made, kind, row, text)
        reader.add(kind, made, row, title)

    return read


def _dates(
    row: Row, start: str = "Started On", end: str = "Finished On", *, goes_on: bool = True
) -> str:
    return foreign_dates.between(row.take(start), row.take(end), goes_on=goes_on)


def _day(*columns: str) -> Callable[[Row], str]:
    return lambda row: foreign_dates.read(next(filter(None, map(row.take, columns)), ""))


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
