"""What each file of LinkedIn's data becomes in a person's file."""

from __future__ import annotations

from collections.abc import Callable
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
        same = self.employer.get("employer") == company and company and role["title"]
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
        if "title" in first:
            role = {key: first.pop(key) for key in list(first) if key != "employer"}
            first["roles"] = [role]

    def education(self, row: Row) -> None:
        """Add a school."""
        item: dict[str, Any] = {
            "institution": line(row, "School Name"),
            "degree": line(row, "Degree Name"),
            "area": line(row, "Field Of Study"),
            "grade": line(row, "Grade"),
            "date": _dates(row, "Start Date", "End Date"),
        }
        self.describe(item, "education", row, "Notes")
        if activities := line(row, "Activities"):
            item["notes"] = [activities]
        self.add("education", item, row)

    def skill(self, row: Row) -> None:
        """Add a skill."""
        self.add("skill", line(row, "Name"), row)

    def language(self, row: Row) -> None:
        """Add a language."""
        item = {"language": line(row, "Name"), "level": line(row, "Proficiency")}
        self.add("language", item, row)

    def certificate(self, row: Row) -> None:
        """Add a certificate; the second date is its end."""
        item = {
            "name": line(row, "Name"),
            "issuer": line(row, "Authority"),
            "number": line(row, "License Number"),
            "date": _dates(row, goes_on=False),
            "url": row.take("Url"),
        }
        self.add("certificate", item, row)

    def publication(self, row: Row) -> None:
        """Add a publication."""
        item = {
            "title": line(row, "Name"),
            "venue": line(row, "Publisher"),
            "date": foreign_dates.read(row.take("Published On")),
            "url": row.take("Url"),
        }
        self.describe(item, "publication", row, "Description")
        self.add("publication", item, row)

    def project(self, row: Row) -> None:
        """Add a project."""
        item = {"name": line(row, "Title"), "url": row.take("Url"), "date": _dates(row)}
        self.describe(item, "project", row, "Description")
        self.add("project", item, row)

    def honor(self, row: Row) -> None:
        """Add an award."""
        item = {
            "title": line(row, "Title"),
            "awarder": line(row, "Issuer"),
            "date": foreign_dates.read(row.take("Issued On")),
        }
        self.describe(item, "award", row, "Description")
        self.add("award", item, row)

    def volunteer(self, row: Row) -> None:
        """Add unpaid work; its cause is a keyword."""
        item: dict[str, Any] = {
            "organization": line(row, "Company Name"),
            "title": line(row, "Role"),
            "date": _dates(row),
        }
        if cause := line(row, "Cause"):
            cause = cause.replace("_", " ").capitalize() if cause.isupper() else cause
            item["keywords"] = [cause]
        self.describe(item, "volunteer", row, "Description")
        self.add("volunteer", item, row)

    def organization(self, row: Row) -> None:
        """Add an office or a membership."""
        item = {
            "role": line(row, "Position") or "Member",
            "organization": line(row, "Name"),
            "date": _dates(row),
        }
        self.describe(item, "service", row, "Description")
        self.add("service", item, row)

    def course(self, row: Row) -> None:
        """Add a course to a list of them."""
        name, number = line(row, "Name"), line(row, "Number")
        words = f"{name} ({number})" if name and number else name or number
        self.add("keywords", words, row, "Courses")

    def patent(self, row: Row) -> None:
        """Add a patent."""
        number = line(row, "Patent Number") or line(row, "Application Number")
        item = {
            "title": line(row, "Title") or line(row, "Name"),
            "number": " ".join(filter(None, (line(row, "Issuer"), number))),
            "status": line(row, "Status"),
            "date": foreign_dates.read(row.take("Issued On") or row.take("Filed On")),
            "url": row.take("Url"),
        }
        self.add("patent", item, row)

    def test_score(self, row: Row) -> None:
        """Add the score of a test."""
        item: dict[str, Any] = {
            "title": line(row, "Name"),
            "date": foreign_dates.read(row.take("Tested On")),
        }
        if score := line(row, "Score"):
            item["summary"] = f"Score: {score}"
        self.describe(item, "entry", row, "Description")
        self.add("entry", item, row, "Test scores")

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


def _dates(
    row: Row, start: str = "Started On", end: str = "Finished On", *, goes_on: bool = True
) -> str:
    return foreign_dates.between(row.take(start), row.take(end), goes_on=goes_on)


Part = tuple[tuple[str, ...], Callable[[Reader, Row], None]]
#: The columns by which each file is known, and what reads its rows, in the order of a CV.
PARTS: dict[str, Part] = {
    "profile.csv": (("First Name", "Last Name", "Headline"), Reader.profile),
    "profile summary.csv": (("Profile Summary",), Reader.profile_summary),
    "email addresses.csv": (("Email Address",), Reader.email),
    "phonenumbers.csv": (("Number", "Extension"), Reader.phone),
    "positions.csv": (("Company Name", "Title"), Reader.position),
    "education.csv": (("School Name", "Degree Name"), Reader.education),
    "projects.csv": (("Title", "Started On"), Reader.project),
    "publications.csv": (("Name", "Published On"), Reader.publication),
    "patents.csv": (("Title", "Patent Number", "Issuer"), Reader.patent),
    "honors.csv": (("Title", "Issued On"), Reader.honor),
    "volunteering.csv": (("Company Name", "Role"), Reader.volunteer),
    "volunteer experiences.csv": (("Company Name", "Role"), Reader.volunteer),
    "organizations.csv": (("Name", "Position"), Reader.organization),
    "certifications.csv": (("Name", "Authority"), Reader.certificate),
    "courses.csv": (("Name", "Number"), Reader.course),
    "testscores.csv": (("Name", "Score"), Reader.test_score),
    "skills.csv": (("Name",), Reader.skill),
    "languages.csv": (("Name", "Proficiency"), Reader.language),
    "recommendations_received.csv": (("First Name", "Text"), Reader.recommendation),
}
