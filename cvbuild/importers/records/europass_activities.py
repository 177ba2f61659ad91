"""The sections of a Europass Candidate that are lists of activities, and its skills.

They have a title, dates, a description and a link; the editor's names of them are the elements'.
"""

from __future__ import annotations

import re
from typing import Any

from cvbuild.importers.draft import Draft
from cvbuild.importers.records import europass_parts as parts
from cvbuild.importers.sources.located_xml import Element
from cvbuild.importers.words import foreign_dates, html_texts

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
#: The elements that say what a key has, by kind; the first that is there.
_KEYS: dict[str, dict[str, tuple[str, ...]]] = {
    "award": {"awarder": ("AwardingInstitution", "Organization", "IssuingAuthority", "Issuer")},
    "certificate": {
        "issuer": ("IssuingAuthority", "IssuingOrganization", "Organization"),
        "number": ("LicenseNumber", "CertificationID"),
    },
    "entry": {"organization": ("Organization",), "location": ("Location", "Place")},
    "publication": {"venue": ("Journal", "PublicationName"), "publisher": ("Publisher",)},
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
    for section in [one for part in profile.children for one in (part, *part.all(*_WRAPPED))]:
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
        elif section.name == "DigitalSkills":
            _digital(section, draft)
        elif section.name in ("EmploymentReferences", "Recommendations"):
            for one in section.children:
                _reference(one, draft)


#: Some exports put all skills into one element.
_WRAPPED = ("Skills",)


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
    title = next((one for name in _TITLES if (one := element.first(name)) and one.markup()), None)
    if title is None and len(element.children) == 1 and element.children[0].name != "Description":
        # One element around the activity: SocialAndNetworkingActivity.
        _activity(element.children[0], kind, key, section, draft)
        return
    item: dict[str, Any] = {key: html_texts.inline(title.raw()) if title else ""}
    if title:
        first, last = (title.attributes.get(one, "") for one in ("validFrom", "validTo"))
        item["date"] = foreign_dates.between(first, last)
    for period in [*element.all("Date"), *element.all("Period"), *element.all("Year")]:
        found = dates(period) if period.children else foreign_dates.read(period.text())
        item["date"] = item.get("date") or found
    for name, sources in _KEYS.get(kind, {}).items():
        told = (parts.inline(element, source) for source in sources)
        item[name] = next(filter(None, told), "")
    if section == "Hobbies and interests" and not element.first("Description"):
        draft.put("interests", [item[key]], element.place)
        return
    links = [one.text("URI") or one.text() for one in element.all("Link")]
    _put_links(item, kind, [link for link in links if link])
    parts.describe(draft, item, kind, element, "Description")
    if not item[key] and item.get("summary"):
        item[key] = item.pop("summary")
    element.item = made = draft.add(kind, item, element.place, section)
    if kind == "certificate" and isinstance(made, dict):
        for extra in links[1:]:
            draft.lose("Link", extra, element.place, made)


def _put_links(item: dict[str, Any], kind: str, links: list[str]) -> None:
    if links:
        item["url"] = links[0]
    linked = ("project", "publication", "talk", "entry", "volunteer", "patent")
    if len(links) > 1 and kind in linked:
        item["links"] = [{re.sub("^https?://", "", link): link} for link in links[1:]]


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
    for group in section.children:
        skills = [
            html_texts.inline(part)
            for one in group.all("DigitalSkill")
            for part in re.split(r"\s[/|]\s|\n", one.text("Title") or one.text())
            if part.strip()
        ]
        name = parts.inline(group, "Title") or "Digital skills"
        group.item = draft.add("skill", {"name": name, "keywords": skills}, group.place)


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
    for channel in element.all("Communication"):
        value = channel.text("URI")
        channel.text("ChannelCode")
        if "@" in value:
            item.setdefault("email", value)
        elif value:
            item.setdefault("url", value)
        elif number := channel.text("DialNumber"):
            dialling = channel.text("CountryDialing").lstrip("+0")
            item.setdefault("phone", f"+{dialling} {number}" if dialling else number)
    parts.describe(draft, item, "reference", element, "Description")
    element.item = draft.add("reference", item, element.place)
