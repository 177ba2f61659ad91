"""Europass CVs: the XML of its editor, by itself or attached to the PDF that it makes.

That is <Candidate> of HR-XML 3 with Europass's extensions; ``europass_parts`` reads the sections.
SkillsPassport, the format up to 2020, is refused: the editor reads it.
"""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.errors import CvbuildError
from cvbuild.importers import networks
from cvbuild.importers.draft import Draft
from cvbuild.importers.formats import attached
from cvbuild.importers.formats import europass_parts as parts
from cvbuild.importers.sources import located_xml
from cvbuild.importers.sources.located_xml import Element
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.words import dates, descriptions
from cvbuild.inputs.references import texts

_ROOT = re.compile(
    r"<(?:\w+:)?(?:SkillsPassport|learnerinfo|LearnerInfo|Candidate)\b[^>]*europass", re.IGNORECASE
)
#: Texts that have no key and are listed.
_MOST_LOST = 2_000
_EXPORT = "open it in the editor at europass.europa.eu and download it once more"


class Format:
    """The CV of Europass."""

    name = "europass"
    title = "Europass"

    def recognises(self, given: Given) -> bool:
        """Return whether the root is one of Europass's, or that of a PDF's attachment."""
        if given.data.startswith(b"%PDF-"):
            return _attached(given) is not None
        return given.data.lstrip()[:1] in (b"<", b"\xef", b"\xff", b"\xfe") and _is_europass(
            given.head
        )

    def read(self, given: Given) -> Imported:
        """Read the XML; raises CvbuildError for one that is broken or of another format."""
        data, name = given.data, given.name
        if data.startswith(b"%PDF-"):
            found = _attached(given)
            if found is None:
                message = f"{given.name} has no Europass CV attached"
                raise CvbuildError.because("import", message, _EXPORT)
            name, data = f"{given.name}/{found[0]}", found[1]
        root = located_xml.parse(data, name)
        if root.name != "Candidate":
            message = f"this is Europass's format from before 2020, <{root.name}>"
            raise CvbuildError.because("import-version", message, _EXPORT, root.place)
        draft = Draft(name)
        _candidate(root, draft)
        _lose_unread(root, draft)
        return draft.done()


def _is_europass(head: bytes) -> bool:
    return _ROOT.search(texts.decoded(head[: 1 << 14])) is not None


def _attached(given: Given) -> tuple[str, bytes] | None:
    """Return the name and the content of a PDF's attachment that is Europass's; None for none."""
    return next((one for one in attached.contents(given.data) if _is_europass(one[1])), None)


def _lose_unread(root: Element, draft: Draft) -> None:
    for count, (path, text, element, item) in enumerate(root.unread()):
        if count == _MOST_LOST:
            draft.lose("further texts", "there are too many to list", element.place)
            return
        draft.lose(path.partition("/")[2] or path, text, element.place, item)


# -- the person, posts, degrees and languages -----------------------------------------------------

#: What says who sent the document and how it looked; it has nothing more of the person.
_TECHNICAL = (
    "DocumentID", "DocumentIDGroup", "CandidateSupplier", "RenderingInformation",
    "ProcessingInformation", "ID", "ProfileName",
)  # fmt: skip
_DIMENSIONS = {
    "CEF-Understanding-Listening": "Listening", "CEF-Understanding-Reading": "Reading",
    "CEF-Speaking-Interaction": "SpokenInteraction",
    "CEF-Speaking-Production": "SpokenProduction", "CEF-Writing-Production": "Writing",
}  # fmt: skip


def _candidate(root: Element, draft: Draft) -> None:
    """Put all that the root has into the draft; what stays unread has no key.

    Of several profiles, one for each language, the first is read.
    """
    profile = root.first("CandidateProfile")
    for one in [*root.children, *(profile.children if profile else ())]:
        if one.name in _TECHNICAL:
            one.read()
    if profile:
        parts.put_language(draft, profile.attributes.get("languageCode", ""))
    if person := root.first("CandidatePerson"):
        _person(person, draft)
    if not profile:
        return
    summary = descriptions.read(profile.raw("ExecutiveSummary"))
    draft.put("summary", summary.paragraphs, profile.place)
    for address in summary.lost:
        draft.lose("ExecutiveSummary", address, profile.place)
    for preference in profile.all("CandidatePositionPreferences"):
        title = preference.first("PositionTitle") or preference.first("Description")
        draft.put("headline", descriptions.inline(title.raw()) if title else "", preference.place)
    for one in profile.all("EmploymentHistory", "EmployerHistory"):
        _employer(one, draft)
    for one in profile.all("EducationHistory", "EducationOrganizationAttendance"):
        _education(one, draft)
    _languages(person, profile, draft)
    parts.read(profile, draft)
    for one in profile.walk():
        if one.name == "Attachment" and (data := one.text("EmbeddedData")):
            kind = one.text("Instructions") or one.text("FileType") or one.text("FileName")
            draft.lose(
                "Attachment", f"{kind or 'a photo'}, about {len(data) * 9 // 16} bytes", one.place
            )


def _person(person: Element, draft: Draft) -> None:
    name = person.first("PersonName")
    if name:
        families = [one.text() for one in name.all("FamilyName")]
        given = " ".join(filter(None, (one.text() for one in name.all("GivenName"))))
        found = {"given": given, "family": " ".join(filter(None, families))}
        if not any(found.values()):
            found = {"full": name.text("FormattedName")}
        draft.put("name", {key: value for key, value in found.items() if value}, name.place)
    for channel in person.all("Communication"):
        _channel(channel, draft)
    if born := person.first("BirthDate"):
        draft.put("contact.birth-date", dates.normal(born.text()), born.place)
    for one in [*person.all("NationalityCode"), *person.all("NationalityCodes", "NationalityCode")]:
        draft.put("contact.nationality", [parts.country(one.text())], one.place)
    gender = person.text("GenderCode").replace("_", " ").lower()
    draft.put("contact.other.Gender", descriptions.inline(gender))


def _channel(channel: Element, draft: Draft) -> None:
    """Put one way to reach the person: an address, a number, a page."""
    kind = channel.text("ChannelCode").lower().replace(" ", "")
    use = channel.text("UseCode").replace("_", " ")
    value = channel.text("URI") or channel.text("URL") or channel.text("Text")
    label = channel.text("OtherTitle") or (use if use.lower() != "other" else "")
    if address := channel.first("Address"):
        draft.put("contact.address", _address(address), address.place)
    elif number := parts.number(channel):
        one: Any = {"number": number, "label": label.lower()} if label else number
        draft.put("contact.phone", [one], channel.place)
    elif kind == "email" or ("@" in value[1:] and "/" not in value and kind in ("", "text")):
        draft.put("contact.email", [value] if value else [], channel.place)
    elif kind == "web" and not networks.account(url=value):
        draft.put("contact.website", [value] if value else [], channel.place)
    elif value:
        known = networks.account(url=value) or not label
        name, url = ("", value) if known else (label.capitalize(), value)
        is_page = value.startswith(("http", "www."))
        networks.put(draft, name, "" if is_page else value, url if is_page else "", channel.place)
    elif label:
        draft.lose("contact without an address", label, channel.place)


def _address(address: Element) -> str:
    lines = [one.text() for one in address.all("AddressLine")]
    street = " ".join(address.text(name) for name in ("StreetName", "BuildingNumber", "Unit"))
    town = " ".join(filter(None, map(address.text, ("PostalCode", "CityName"))))
    lines += [street.strip(), town, parts.country(address.text("CountryCode"))]
    return descriptions.inline(", ".join(filter(None, lines)))


def _employer(employer: Element, draft: Draft) -> None:
    """Add an employer; several positions become its roles."""
    item: dict[str, Any] = {
        "employer": parts.inline(employer, "OrganizationName"),
        "location": _town(employer),
        "url": _page(employer),
    }
    sector, code = parts.words_or_code(employer.first("IndustryCode"))
    item["keywords"] = [sector]
    positions = employer.all("PositionHistory")
    if len(positions) == 1:
        _position(positions[0], item, "experience", draft)
    elif positions:
        item["roles"] = []
        for position in positions:
            role: dict[str, Any] = {}
            _position(position, role, "role", draft)
            item["roles"].append(role)
            draft.mark(role, position.place)
    if not item.get("date") and (period := employer.first("EmploymentPeriod")):
        item["date"] = parts.period_of(period)
    employer.item = draft.add("experience", item, employer.place)
    draft.lose("sector, a code", code, employer.place, employer.item)


def _position(position: Element, item: dict[str, Any], kind: str, draft: Draft) -> None:
    item["title"] = parts.inline(position, "PositionTitle")
    if period := position.first("EmploymentPeriod"):
        item["date"] = parts.period_of(period)
    town, country = position.text("City"), parts.country(position.text("Country"))
    if place := ", ".join(filter(None, (town, country))):
        known, item["location"] = item.get("location", ""), descriptions.inline(place)
        other = known if known not in item["location"] else ""
        draft.lose("town of the employer", other, position.place, item)
    parts.describe(draft, item, kind, position, "Description")
    position.item = item if kind == "role" else None


def _education(attendance: Element, draft: Draft) -> None:
    degree = attendance.first("EducationDegree")
    program, name = (
        parts.inline(attendance, "ProgramName"),
        parts.inline(degree, "DegreeName"),
    )
    period = attendance.first("AttendancePeriod")
    fields = degree.first("FieldOfStudy") if degree else None
    main = fields.first("MainFieldOfStudy") if fields else None
    area, code = parts.words_or_code(main or fields)
    item: dict[str, Any] = {
        "institution": parts.inline(attendance, "OrganizationName"),
        "degree": name or program,
        "area": area or (program if name and program != name else ""),
        "date": parts.period_of(period) if period else "",
        "location": _town(attendance),
        "url": attendance.text("Link") or _page(attendance),
        "grade": parts.inline(degree, "FinalGrade", "ScoreText")
        or parts.inline(degree, "FinalGrade", "ScoreNumeric"),
        "thesis": parts.inline(degree, "Thesis") or parts.inline(degree, "ThesisTitle"),
    }
    parts.describe(draft, item, "education", degree, "OccupationalSkillsCovered")
    parts.describe(draft, item, "education", attendance, "Description")
    level = attendance.first("EducationLevelCode")
    notes = [program] if area and name and program not in (name, "") else []
    if level and (told := level.text()):
        listed = level.attributes.get("listName", "") or "Level"
        notes.append(descriptions.inline(told if not told.isdigit() else f"{listed} {told}"))
    item["notes"] = notes
    attendance.item = draft.add("education", item, attendance.place)
    draft.lose("field of study, a code", code, attendance.place, attendance.item)


def _languages(person: Element | None, profile: Element, draft: Draft) -> None:
    for one in person.all("PrimaryLanguageCode") if person else ():
        if code := one.text():
            item = {
                "language": parts.language(code),
                "level": parts.native(draft),
            }
            one.item = draft.add("language", item, one.place)
    for one in profile.all("PersonQualifications", "PersonCompetency"):
        name = one.text("CompetencyName")
        code = one.text("CompetencyID")
        taxonomy = one.text("TaxonomyID").lower()
        if taxonomy != "language":
            title = "Digital skills" if taxonomy == "digital_skill" else "Job-related skills"
            draft.add("skill", descriptions.inline(name or code), one.place, title)
            continue
        levels: dict[str, str] = {}
        for part in one.all("CompetencyDimension"):
            kind = part.text("CompetencyDimensionTypeCode")
            key, score = _DIMENSIONS.get(kind, kind), part.text("Score", "ScoreText")
            levels[key] = ", ".join(filter(None, (levels.get(key), score)))
        overall = one.text("ProficiencyLevel", "ScoreText")
        item = {
            "language": name or parts.language(code),
            "level": parts.level(levels) or overall,
        }
        one.item = draft.add("language", item, one.place)
    for one in profile.all("PersonQualifications"):
        parts.add_skills(draft, one, "Job-related skills", one.raw("QualificationsSummary"))


def _town(holder: Element) -> str:
    for channel in holder.all("OrganizationContact", "Communication"):
        channel.text("UseCode")
        address = channel.first("Address")
        if address and (found := _address(address)):
            return found
    return ""


def _page(holder: Element) -> str:
    for channel in holder.all("OrganizationContact", "Communication"):
        value = channel.text("URI") if channel.first("URI") else ""
        if value.startswith(("http", "www.")):
            for name in ("ChannelCode", "UseCode"):
                channel.text(name)
            return value
    return ""
