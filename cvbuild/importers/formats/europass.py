"""Europass CVs: the XML of its editor, <Candidate>, by itself or attached to its PDF.

SkillsPassport, the format up to 2020, is refused: the editor reads it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from cvbuild.common.diagnostics import CvbuildError
from cvbuild.importers import dates, descriptions, networks, parsers, values
from cvbuild.importers.documents import citations, people
from cvbuild.importers.formats.reader import Reader
from cvbuild.importers.types import Given, Imported, Importer
from cvbuild.importers.values import Value
from cvbuild.model.text import texts

_ROOT = re.compile(
    r"\s*<(?s:.*<)?(?:\w+:)?(?:SkillsPassport|learnerinfo|LearnerInfo|Candidate)\b[^>]*europass",
    re.IGNORECASE,
)
_EXPORT = "open it in the editor at europass.europa.eu and download it once more"
#: Attributes that say something of the person.
_ATTRIBUTES = ("languageCode", "validFrom", "validTo", "listName")
#: ``europass.toml`` says what elements are here.
_TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
#: A code of NACE or ISCED, by itself or at the end of an address.
_CODE = re.compile(r"(?:\S+[/:])?(?:[A-U]|[A-U]?\d{2,4}|[A-U]?\d{1,2}(?:\.\d{1,2}){1,2})")
#: What may be such a code.
_CODED = (
    "IndustryCode",
    "EducationDegree.FieldOfStudy.MainFieldOfStudy",
    "EducationDegree.FieldOfStudy",
)
_DOI = re.compile(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", re.IGNORECASE)
#: The elements that say what a key has, by kind.
_KEYS: dict[str, dict[str, list[str]]] = _TABLES["keys"]


class Format(Importer):
    """The CV of Europass."""

    def recognises(self, given: Given) -> bool:
        """Return whether the root is one of Europass's, or that of a PDF's attachment."""
        return _source(given) is not None

    def read(self, given: Given) -> Imported:
        """Read the XML; raises CvbuildError for one that is broken or of another format."""
        name, data = _source(given) or (given.name, given.data)
        if data.startswith(b"%PDF-"):
            message = f"{given.name} has no Europass CV attached"
            raise CvbuildError.because("import", message, _EXPORT)
        element = parsers.parse_xml(data, name)
        if element.name != "Candidate":
            message = f"this is Europass's format from before 2020, <{element.name}>"
            raise CvbuildError.because("import-version", message, _EXPORT, element.place)
        root = parsers.as_value(element, _ATTRIBUTES, _Part)
        # Of several profiles, one for each language, the first is read.
        profile = next(iter(root.mappings("CandidateProfile")), Value({}, root.place))
        for key in _TABLES["technical"].split():
            for value in (*root.items(key), *profile.items(key)):
                value.read()
        reader = _Reader(name)
        language = profile.text("languageCode").replace("_", "-")
        reader.draft.put("locale", language if language != "en" else "", profile.place)
        for person in root.mappings("CandidatePerson")[:1]:
            reader.person(person)
        reader.profile(profile)
        reader.languages(root, profile)
        for key in profile.fields:
            for section in profile.items(key):
                reader.section(key, section)
        values.lose_unread(root, reader.draft)
        return reader.draft.done()


def _source(given: Given) -> tuple[str, bytes] | None:
    """Return name and content of what has the root: the file itself, or an attachment."""
    is_pdf = given.data.startswith(b"%PDF-")
    for attached in given.files.names if is_pdf else ("",):
        with suppress(CvbuildError):
            data = given.files.read(attached) or b"" if is_pdf else given.data
            if _ROOT.match(texts.decoded(data[: 1 << 14])):
                return f"{given.name}/{attached}" if is_pdf else given.name, data
    return None


# -- texts -----------------------------------------------------------------------------------------


def _number(channel: Value) -> str:
    """Return a phone number with the code of its country."""
    dialling = channel.words("CountryDialing").lstrip("+0")
    own = f"{channel.words('AreaDialing')} {channel.words('DialNumber')}".strip()
    if dialling:
        channel.words("CountryCode")
    return f"+{dialling} {own}" if dialling and own else own


def _address(address: Value) -> str:
    lines = [*map(Value.whole, address.items("AddressLine"))]
    for names in (("StreetName", "BuildingNumber", "Unit"), ("PostalCode", "CityName")):
        lines += [" ".join(filter(None, map(address.words, names)))]
    lines += [networks.country(address.words("CountryCode"))]
    return descriptions.inline(", ".join(filter(None, lines)))


class _Part(Value):
    """A value whose texts are all that is at a path; a code stays unread: M, 0311."""

    __slots__ = ()

    def text(self, *keys: str) -> str:
        for path in keys:
            for found in self.all(path)[:1]:
                bare = "".join(part.data for part in found.walk() if isinstance(part.data, str))
                if bare.strip() and not (path in _CODED and _CODE.fullmatch(bare.strip())):
                    return found.whole()
        return ""

    def texts(self, *keys: str) -> list[str]:
        return [*filter(None, [self.text(*keys)])]


class _Reader(Reader):
    """Puts what a file says into a draft."""

    is_markdown = False

    def date(self, item: Value, _kind: str) -> str:
        """Return when: a date, or a period with its start, its end, and whether it goes on."""
        for value in (part for name in _TABLES["dates"].split() for part in item.items(name)):
            start, end = (dates.normal(value.words(name)) for name in ("StartDate", "EndDate"))
            goes_on = "true" in [
                value.words(one).lower() for one in ("CurrentIndicator", "Ongoing")
            ]
            single = value.words("FormattedDateTime", "Year") or value.text("value")
            period = dates.between(start, "" if goes_on else end, goes_on=goes_on)
            if date := period or dates.normal(single):
                return date
        return ""

    # -- who it is ---------------------------------------------------------------------------

    def person(self, person: Value) -> None:
        draft = self.draft
        for name in person.items("PersonName")[:1]:
            given, family = (
                texts.line(" ".join(map(Value.whole, name.items(path))))
                for path in ("GivenName", "FamilyName")
            )
            full = "" if given or family else name.words("FormattedName")
            draft.put("name", {"given": given, "family": family, "full": full}, name.place)
        for channel in person.mappings("Communication"):
            self.channel(channel)
        born = dates.normal(person.words("BirthDate"))
        draft.put("contact.birth-date", born, person.where("BirthDate"))
        nations = person.all("NationalityCode") + person.all("NationalityCodes.NationalityCode")
        for one in nations:
            draft.put("contact.nationality", [networks.country(one.whole())], one.place)
        gender = person.words("GenderCode").replace("_", " ").lower()
        draft.put("contact.other.Gender", self.inline(gender))

    def channel(self, channel: Value) -> None:
        """Put one way to reach the person: an address, a number, a page."""
        draft, place = self.draft, channel.place
        kind = channel.words("ChannelCode").lower().replace(" ", "")
        use = channel.words("UseCode").replace("_", " ")
        value = channel.words("URI", "URL", "Text")
        label = channel.words("OtherTitle") or (use if use.lower() != "other" else "")
        if addresses := channel.items("Address"):
            draft.put("contact.address", _address(addresses[0]), addresses[0].place)
        elif number := _number(channel):
            shown: Any = {"number": number, "label": label.lower()} if label else number
            draft.put("contact.phone", [shown], place)
        elif kind in ("email", "text", "") and "@" in value[1:]:
            draft.put("contact.email", [value], place)
        elif value.startswith(("http", "www.")):
            people.page(draft, label.capitalize() if kind != "web" else "", value, place)
        elif value:
            networks.put(draft, label.capitalize(), value, place=place)
        elif label:
            draft.lose("contact without an address", label, place)

    def profile(self, profile: Value) -> None:
        draft, place = self.draft, profile.place
        summary = self.blocks(profile.text("ExecutiveSummary"))
        draft.put("summary", summary.paragraphs, place)
        draft.lose("ExecutiveSummary", summary.lost, place)
        for preference in profile.items("CandidatePositionPreferences"):
            title = self.prose(preference, "PositionTitle", "Description")
            draft.put("headline", title, preference.place)
        for employer in profile.all("EmploymentHistory.EmployerHistory"):
            roles = []
            for position in employer.mappings("PositionHistory"):
                role = self.item("experience", position, _KEYS["role"])
                parts = (position.words("City"), networks.country(position.words("Country")))
                role["location"] = self.inline(", ".join(filter(None, parts)))
                draft.mark(role, position.place)
                roles.append(role)
            self.activity(employer, "experience", roles[0] if len(roles) == 1 else {"roles": roles})
        for degree in profile.all("EducationHistory.EducationOrganizationAttendance"):
            levels = [
                self.inline(f"{level.text('listName') or 'Level'} {level.text('value')}")
                for level in degree.items("EducationLevelCode")[:1]
            ]
            self.activity(degree, "education", {"notes": levels})
        for part in profile.walk():
            if data := part.words("EmbeddedData"):
                kind = part.words("Instructions", "FileType", "FileName") or "a photo"
                draft.lose("Attachment", f"{kind}, about {len(data) * 9 // 16} bytes", part.place)

    def languages(self, root: Value, profile: Value) -> None:
        locale = str(self.draft.data.get("locale", "en")).partition("-")[0]
        for one in root.all("CandidatePerson.PrimaryLanguageCode"):
            level = _TABLES["native"].get(locale, "mother tongue")
            self.add("language", {"language": networks.language(one.whole()), "level": level}, one)
        for one in profile.all("PersonQualifications.PersonCompetency"):
            name, code = one.words("CompetencyName"), one.words("CompetencyID")
            taxonomy = one.words("TaxonomyID").lower()
            if taxonomy != "language":
                title = "Digital skills" if taxonomy == "digital_skill" else "Job-related skills"
                self.draft.add("skill", self.inline(name or code), one.place, title)
                continue
            levels: dict[str, str] = {}
            for part in one.items("CompetencyDimension"):
                kind = part.words("CompetencyDimensionTypeCode")
                key = _TABLES["dimensions"].get(kind, kind.lower())
                levels[key] = part.words("Score.ScoreText").upper()
            level = ", ".join(f"{name} {score}" for name, score in levels.items() if score)
            if len(levels) > 1 and len(known := {*levels.values()}) == 1:
                # One level for all parts.
                level = known.pop()
            level = level or one.words("ProficiencyLevel.ScoreText")
            self.add("language", {"language": name or networks.language(code), "level": level}, one)

    # -- what tables say of sections, and skills ---------------------------------------------

    def section(self, name: str, section: Value) -> None:
        inside = [value for key in section.fields for value in section.items(key)]
        if found := _TABLES["activities"].get(name):
            for activity in inside:
                inner = next(iter(activity.mappings("Activity")), activity)
                place = self.prose(activity, "Location", "Place")
                self.activity(inner, found[0], {"location": place}, *found[1:])
        elif name == "Others":
            own, others = self.prose(section, "Title"), section.items("Other")
            self.draft.lose("Others", "" if others else own, section.place)
            for other in others:
                self.activity(other, "entry", {}, own or "Other")
        elif title := _TABLES["skills"].get(name):
            self.skills(title, section, inside)
        elif name in ("EmploymentReferences", "Recommendations"):
            for referee in inside:
                full, given, family = (
                    referee.words(f"PersonName.{one}Name")
                    for one in ("Formatted", "Given", "Family")
                )
                item = {"name": full or f"{given} {family}".strip()}
                for channel in referee.mappings("Communication"):
                    uri = channel.get("URI")
                    key = "phone" if uri is None else "email" if "@" in str(uri.data) else "url"
                    # A second one stays unread.
                    if key not in item:
                        item[key] = channel.words("URI") or _number(channel)
                    channel.words("ChannelCode")
                self.activity(referee, "reference", item)

    def activity(
        self, value: Value, kind: str, item: dict[str, Any], title: str | None = None
    ) -> None:
        """Add an item of which something is known, with the rest, its place, pages, authors."""
        town = page = ""
        for channel in value.all("OrganizationContact.Communication"):
            for address in channel.items("Address"):
                town = town or _address(address)
            channel.words("UseCode")
            uri = channel.get("URI")
            if uri and not page and str(uri.data).startswith(("http", "www.")):
                page = channel.words("URI")
                channel.words("ChannelCode")
        for key, found in self.item(kind, value, _KEYS[kind]).items():
            item[key] = item.get(key) or found
        item["location"] = item.get("location") or town
        urls = (item.get("url"), *map(Value.whole, value.items("Link")), page)
        item["url"], *over = [*dict.fromkeys(filter(None, urls))] or [""]
        known = descriptions.keys_of(kind)
        if "links" in known:
            item["links"], over = [{re.sub("^https?://", "", link): link} for link in over], []
        if "authors" in known:
            names = [texts.line(one.whole()) for one in value.items("Authors")]
            item["authors"] = [name for one in names for name in citations.authors(one) or [one]]
            item["doi"] = _DOI.sub("", value.words("DOI"))
        main = next(iter(_KEYS[kind]))
        if not item.get(main) and item.get("summary"):
            item[main] = item.pop("summary")
        over += [item.pop(key) for key in item.keys() - known]
        added = self.add(kind, item, value, title)
        self.draft.lose("no key", [*filter(None, over)], value.place, added)

    def skills(self, title: str, section: Value, groups: Sequence[Value]) -> None:
        """Add groups of skills under their names; those that are only a name are one group."""
        alone: list[str] = []
        for group in (section, *groups):
            found = self.blocks(group.text("Description"))
            words, name = found.paragraphs, self.prose(group, "Title")
            for skill in (*group.items("DigitalSkill"), *group.items("PersonCompetency")):
                skill.words("TaxonomyID")
                inner = self.prose(skill, "CompetencyName", "Title")
                words.append(inner or self.inline(skill.own_text()))
            self.draft.lose("Description", found.lost, group.place)
            if words:
                self.add("skill", {"name": name or title, "keywords": words}, group)
            elif name:
                alone.append(name)
        if alone:
            self.add("skill", {"name": title, "keywords": alone}, section)
