"""The sections of a Europass Candidate that are lists of activities, and its skills.

They have a title, dates, a description and a link; the editor's names of them are the elements'.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from cvbuild.importers.documents import citations
from cvbuild.importers.draft import Draft
from cvbuild.importers.sources.located_xml import Element
from cvbuild.importers.words import dates, descriptions
from cvbuild.inputs.references import texts
from cvbuild.model import language_tags
from cvbuild.model.locales import words

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
            own, others = inline(section, "Title"), section.all("Other")
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


def period_of(period: Element) -> str:
    """Return a period: its start, its end, and whether it goes on."""
    start, end = _date(period, "StartDate"), _date(period, "EndDate")
    flags = [period.text(name).lower() for name in ("CurrentIndicator", "Ongoing")]
    goes_on = "true" in flags
    if not (start or end):
        return dates.normal(period.text("FormattedDateTime") or period.text("Year"))
    return dates.between(start, "" if goes_on else end, goes_on=goes_on)


def _date(period: Element, name: str) -> str:
    """Return a date, which may be inside of another element."""
    found = period.first(name)
    return dates.normal(found.text()) if found else ""


def _activity(element: Element, kind: str, key: str, section: str | None, draft: Draft) -> None:
    if inner := element.first("Activity"):
        # One element around what is told, with the place beside it: SocialAndNetworkingActivity.
        element.parts = [*inner.parts, *(part for part in element.parts if part is not inner)]
    title = next((one for name in _TITLES if (one := element.first(name)) and one.markup()), None)
    item: dict[str, Any] = {key: descriptions.inline(title.raw()) if title else ""}
    if title:
        first, last = (title.attributes.get(one, "") for one in ("validFrom", "validTo"))
        item["date"] = dates.between(first, last)
    for period in [found for name in _DATES for found in element.all(name)]:
        found = period_of(period) if period.children else dates.normal(period.text())
        item["date"] = item.get("date") or found
    for name, sources in _KEYS.get(kind, {}).items():
        told = (inline(element, source) for source in sources)
        item[name] = next(filter(None, told), "")
    if section == "Hobbies and interests" and not any(
        one.markup() for one in element.children if one is not title
    ):
        draft.put("interests", [item[key]], element.place)
        return
    if kind == "publication":
        names = [texts.line(one.text()) for one in element.all("Authors")]
        item["authors"] = [name for one in names for name in citations.authors(one) or [one]]
        item["doi"] = _DOI.sub("", element.text("DOI"))
    links = [one.text("URI") or one.text() for one in element.all("Link")]
    over = _put_links(item, kind, [link for link in links if link])
    for name in ("FormattedPublicationDescription", "Description"):
        if title is None or title.name != name:
            describe(draft, item, kind, element, name)
    if not item[key] and item.get("summary"):
        item[key] = item.pop("summary")
    element.item = made = draft.add(kind, item, element.place, section)
    for extra in over:
        draft.lose("Link", extra, element.place, made)


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
        title, text = inline(one, "Title"), one.raw("Description")
        if text:
            add_skills(draft, one, title or name, text)
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
        name = inline(group, "Title")
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
        "relation": inline(element, "Role"),
        "title": inline(element, "PositionTitle"),
        "institution": inline(element, "OrganizationName"),
    }
    over: list[str] = []
    for channel in element.all("Communication"):
        value, called = channel.text("URI"), number(channel)
        channel.text("ChannelCode")
        key = "email" if "@" in value else "url" if value else "phone"
        if item.setdefault(key, value or called) != (value or called):
            over.append(value or called)
    describe(draft, item, "reference", element, "Description")
    element.item = draft.add("reference", item, element.place)
    draft.lose("further contact", over, element.place, element.item)


# -- descriptions, places, names of countries and languages ---------------------------------------

#: Characters of what is a skill and no sentence.
_SHORT = 60
#: A code of NACE or ISCED, by itself or at the end of an address.
_CODE = re.compile(r"(?:\S+[/:])?(?:[A-U]|[A-U]?\d{2,4}|[A-U]?\d{1,2}(?:\.\d{1,2}){1,2})")
#: How a language of one's own is called.
_NATIVE = {
    "bg": "майчин език", "cs": "mateřský jazyk", "da": "modersmål", "de": "Muttersprache",
    "el": "μητρική γλώσσα", "es": "lengua materna", "et": "emakeel", "fi": "äidinkieli",
    "fr": "langue maternelle", "hu": "anyanyelv", "it": "madrelingua", "lt": "gimtoji kalba",
    "lv": "dzimtā valoda", "nl": "moedertaal", "pl": "język ojczysty", "pt": "língua materna",
    "ro": "limba maternă", "sk": "materinský jazyk", "sv": "modersmål",
}  # fmt: skip
#: The parts of knowing a language, by their names in both formats.
_DIMENSIONS = {
    "Listening": "listening", "Reading": "reading", "SpokenInteraction": "spoken interaction",
    "SpokenProduction": "spoken production", "Writing": "writing",
}  # fmt: skip


def put_language(draft: Draft, tag: str) -> None:
    """Set the person's locale, if cvbuild knows that language and it isn't English."""
    found = language_tags.locale_in_cldr(tag.strip().replace("_", "-"))
    if found and found.language != "en" and words.language_of(found.language):
        draft.put("locale", found.id.replace("_", "-"))


def native(draft: Draft) -> str:
    """Return the level of a language of one's own, in the language of the CV."""
    return _NATIVE.get(str(draft.data.get("locale", "en")).partition("-")[0], "mother tongue")


def level(levels: dict[str, str]) -> str:
    """Return how well a language is known: one level if all parts have the same."""
    told = {name: found.upper() for name, found in levels.items() if found}
    if len(set(told.values())) == 1 and len(told) > 1:
        return next(iter(told.values()))
    return ", ".join(f"{_DIMENSIONS.get(name, name.lower())} {one}" for name, one in told.items())


def describe(
    draft: Draft, item: dict[str, Any], kind: str, element: Element | None, *path: str
) -> None:
    """Put the text at a path, with its paragraphs and points, into an item."""
    found = element.first(*path) if element else None
    if element and found:
        for value in descriptions.describe(item, kind, element.raw(*path)):
            draft.lose(found.name, value, found.place, item)


def inline(element: Element | None, *path: str) -> str:
    """Return the text at a path as Markdown on one line; empty if absent."""
    return descriptions.inline(element.raw(*path)) if element else ""


def words_or_code(element: Element | None) -> tuple[str, str]:
    """Return what an element says as words, or as a code of a classification: ``M``, ``0311``."""
    text = element.text() if element else ""
    if _CODE.fullmatch(text):
        return "", text
    has_parts = element is not None and any(one.name[:1].isupper() for one in element.children)
    return (texts.plain(text) if has_parts else inline(element)), ""


def add_skills(draft: Draft, element: Element, name: str, text: str) -> None:
    """Add skills under a name: a list of words as keywords, sentences as an entry."""
    found = descriptions.read(text)
    if not found.blocks:
        return
    if all(len(one) <= _SHORT and not one.endswith(".") for one in found.paragraphs):
        made = draft.add("skill", {"name": name, "keywords": found.paragraphs}, element.place)
    else:
        item: dict[str, Any] = {"title": name}
        descriptions.put(item, "entry", found)
        made = draft.add("entry", item, element.place, "Personal skills")
    element.item = made
    for value in found.lost:
        draft.lose(element.name, value, element.place, made)


def number(channel: Element) -> str:
    """Return a phone number with the code of its country."""
    dialling = channel.text("CountryDialing").lstrip("+0")
    own = " ".join(filter(None, (channel.text("AreaDialing"), channel.text("DialNumber"))))
    if dialling:
        channel.text("CountryCode")
    return f"+{dialling} {own}" if dialling and own else own


def country(code: str) -> str:
    """Return the English name of a country by its code of two or three letters, else the code."""
    key = code.strip().rpartition("/")[2].upper()
    key = {"EL": "GR"}.get(key, language_tags.cldr_data()["aliases"]["territory"].get(key, key))
    return _countries().get(key, code.strip())


def language(code: str) -> str:
    """Return the English name of a language by its code, else what is given."""
    found = language_tags.locale_in_cldr(code.strip().rpartition("/")[2].lower())
    return found.name.partition(" (")[0] if found and found.name else code.strip()


@cache
def _countries() -> dict[str, str]:
    """Return the names of countries, which are in those of locales: Romanian (Romania)."""
    found: dict[str, str] = {}
    for key, (name, _, _) in language_tags.cldr_data()["locales"].items():
        inside = name.partition(" (")[2].rpartition(")")[0]
        territory = key.rpartition("_")[2]
        if inside and len(territory) == 2 and territory.isupper():
            found.setdefault(territory, inside.rpartition(", ")[2] or inside)
    return found
