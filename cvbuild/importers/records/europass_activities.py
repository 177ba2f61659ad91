"""The sections of a Europass Candidate that are lists of activities, and its skills.

They have a title, dates, a description and a link; the editor's names of them are the elements'.
"""

from __future__ import annotations

import re
from typing import Any

from cvbuild.importers.documents import citations
from cvbuild.importers.draft import Draft
from cvbuild.importers.records import europass_parts as parts
from cvbuild.importers.sources.located_xml import Element
from cvbuild.importers.words import descriptions, foreign_dates
from cvbuild.inputs.references import texts

#: For each section the kind, the key of an item's title, and the title if the kind has another.
_SECTIONS: dict[str, tuple[str, str, str | None]] = {
    "Projects": ("project", "name", None),
    "PublicationHistory": ("publication", "title", None),
    "Publications": ("publication", "title", None),
    "PatentHistory": ("patent", "title", None),
    "HonorsAndAwards": ("award", "title", None),
    "HonoursAndAwards": ("award", "title", None),
    "SpeakingHistory": ("talk", "title", None),
    "VoluntaryWorks": ("volunteer", "organization", None),
    "Certifications": ("certificate", "name", None),
    "CourseCertifications": ("certificate", "name", None),
    "Licenses": ("certificate", "name", "Licences"),
    "OrganizationAffiliations": ("entry", "title", "Memberships"),
    "NetworksAndMemberships": ("entry", "title", "Networks and memberships"),
    "ConferencesAndSeminars": ("entry", "title", "Conferences and seminars"),
    "CreativeWorks": ("entry", "title", "Creative works"),
    "SocialAndPoliticalActivities": ("entry", "title", "Social and political activities"),
    "HobbiesAndInterests": ("entry", "title", "Hobbies and interests"),
}
_TITLES = (
    "Title", "Name", "EventName", "CertificationName", "LicenseName", "OrganizationName",
    "LicenseTypeCode", "CertificationTypeCode", "FormattedPublicationDescription",
)  # fmt: skip
_DOI = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
_DATES = ("Date", "Period", "Year", "FirstIssuedDate")
#: The elements that say what a key has, by kind; the first that is there.
_KEYS: dict[str, dict[str, tuple[str, ...]]] = {
    "award": {"awarder": ("AwardingInstitution", "Organization", "IssuingAuthority", "Issuer")},
    "certificate": {
        "issuer": ("IssuingAuthority", "IssuingOrganization", "Organization"),
        "number": ("LicenseNumber", "CertificationID"),
    },
    "entry": {"organization": ("Organization",), "location": ("Location", "Place")},
    "publication": {
        "venue": ("Journal", "PublicationName"),
        "publisher": ("Publisher",),
        "volume": ("Volume",),
    },
    "project": {"role": ("Role",), "organization": ("Organization",), "location": ("Location",)},
    "patent": {"number": ("PatentNumber",), "status": ("PatentStatus",)},
    "talk": {"event": ("EventType", "Event"), "location": ("Location",)},
    "volunteer": {"title": ("Role", "Position"), "location": ("Location", "City")},
}
_SKILLS = {
    "CommunicationAndInterpersonalSkills": "Communication skills",
    "OrganisationalSkills": "Organisational skills",
    "ManagementAndLeadershipSkills": "Management and leadership skills",
    "JobRelatedSkills": "Job-related skills",
    "ArtisticSkills": "Artistic skills",
    "OtherSkills": "Other skills",
}


def read(profile: Element, draft: Draft) -> None:
    """Add all activities, skills and references of a profile, in its order."""
    for section in profile.children:
        if section.name in _SECTIONS:
            kind, key, title = _SECTIONS[section.name]
            for one in section.children:
                _activity(one, kind, key, title, draft)
        elif section.name == "Others":
            own, others = parts.inline(section, "Title"), section.all("Other")
            draft.lose("Others", "" if others else own, section.place)
            for one in others:
                _activity(one, "entry", "title", own or "Other", draft)
        elif section.name in _SKILLS:
            _skills(section, _SKILLS[section.name], draft)
        elif section.name in ("DigitalSkills", "Skills"):
            _digital(section, draft)
        elif section.name in ("EmploymentReferences", "Recommendations"):
            for one in section.children:
                _reference(one, draft)


def dates(period: Element) -> str:
    """Return a period: its start, its end, and whether it goes on."""
    start, end = _date(period, "StartDate"), _date(period, "EndDate")
    flags = [period.text(name).lower() for name in ("CurrentIndicator", "Ongoing")]
    goes_on = "true" in flags
    if not (start or end):
        return foreign_dates.read(period.text("FormattedDateTime") or period.text("Year"))
    return foreign_dates.between(start, "" if goes_on else end, goes_on=goes_on)


def _date(period: Element, name: str) -> str:
    """Return a date, which may be inside of another element."""
    found = period.first(name)
    return foreign_dates.read(found.text()) if found else ""


def _activity(element: Element, kind: str, key: str, section: str | None, draft: Draft) -> None:
    if inner := element.first("Activity"):
        # One element around what is told, with the place beside it: SocialAndNetworkingActivity.
        element.parts = [*inner.parts, *(part for part in element.parts if part is not inner)]
    title = next((one for name in _TITLES if (one := element.first(name)) and one.markup()), None)
    item: dict[str, Any] = {key: descriptions.inline(title.raw()) if title else ""}
    if title:
        first, last = (title.attributes.get(one, "") for one in ("validFrom", "validTo"))
        item["date"] = foreign_dates.between(first, last)
    for period in [found for name in _DATES for found in element.all(name)]:
        found = dates(period) if period.children else foreign_dates.read(period.text())
        item["date"] = item.get("date") or found
    for name, sources in _KEYS.get(kind, {}).items():
        told = (parts.inline(element, source) for source in sources)
        item[name] = next(filter(None, told), "")
    if section == "Hobbies and interests" and not any(
        one.markup() for one in element.children if one is not title
    ):
        draft.put("interests", [item[key]], element.place)
        return
    if kind == "publication":
        item["authors"] = _authors(element)
        item["doi"] = _DOI.sub("", element.text("DOI"))
    links = [one.text("URI") or one.text() for one in element.all("Link")]
    over = _put_links(item, kind, [link for link in links if link])
    for name in ("FormattedPublicationDescription", "Description"):
        if title is None or title.name != name:
            parts.describe(draft, item, kind, element, name)
    if not item[key] and item.get("summary"):
        item[key] = item.pop("summary")
    element.item = made = draft.add(kind, item, element.place, section)
    for extra in over:
        draft.lose("Link", extra, element.place, made)


def _authors(element: Element) -> list[str]:
    told = [texts.line(one.text()) for one in element.all("Authors")]
    return [name for one in told for name in (citations.authors(one) or [one])]


def _put_links(item: dict[str, Any], kind: str, links: list[str]) -> list[str]:
    """Put the links of an activity; return those that have no place."""
    if links:
        item["url"] = links[0]
    if kind in ("award", "certificate"):
        return links[1:]
    item["links"] = [{re.sub("^https?://", "", link): link} for link in links[1:]]
    return []


def _skills(section: Element, name: str, draft: Draft) -> None:
    """Add skills with a title and perhaps a description each."""
    listed: list[str] = []
    for one in section.children:
        title, text = parts.inline(one, "Title"), one.raw("Description")
        if text:
            parts.add_skills(draft, one, title or name, text)
        elif title:
            listed.append(title)
    if listed:
        draft.add("skill", {"name": name, "keywords": listed}, section.place)


def _digital(section: Element, draft: Draft) -> None:
    """Add digital skills, in groups or alone."""
    for group in (section, *section.children):
        skills = [
            descriptions.inline(part)
            for one in [*group.all("DigitalSkill"), *group.all("PersonCompetency")]
            if one.text("TaxonomyID").lower() in ("", "digital_skill")
            for part in re.split(
                r"\s[/|]\s|\n", one.text("CompetencyName") or one.text("Title") or one.text()
            )
            if part.strip()
        ]
        name = parts.inline(group, "Title")
        if skills or name:
            item = {"name": name or "Digital skills", "keywords": skills}
            group.item = draft.add("skill", item, group.place)


def _reference(element: Element, draft: Draft) -> None:
    """Add a person who recommends the CV's."""
    name = element.first("PersonName")
    told = ["FormattedName", "GivenName", "FamilyName"]
    names = [name.text(one) for one in told] if name else []
    item: dict[str, Any] = {
        "name": (names[0] or " ".join(names).strip()) if names else element.text("Title"),
        "relation": parts.inline(element, "Role"),
        "title": parts.inline(element, "PositionTitle"),
        "institution": parts.inline(element, "OrganizationName"),
    }
    over: list[str] = []
    for channel in element.all("Communication"):
        value, number = channel.text("URI"), parts.number(channel)
        channel.text("ChannelCode")
        key = "email" if "@" in value else "url" if value else "phone"
        if item.setdefault(key, value or number) != (value or number):
            over.append(value or number)
    parts.describe(draft, item, "reference", element, "Description")
    element.item = draft.add("reference", item, element.place)
    draft.lose("further contact", over, element.place, element.item)
