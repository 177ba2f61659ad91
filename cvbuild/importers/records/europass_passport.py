"""Europass's format up to 2020: <SkillsPassport> with <LearnerInfo>, versions 3.0 to 3.4."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.importers import networks
from cvbuild.importers.documents import fitting
from cvbuild.importers.draft import Draft
from cvbuild.importers.records import europass_parts as parts
from cvbuild.importers.sources.located_xml import Element
from cvbuild.importers.words import foreign_dates, headings, html_texts

#: What only says how the document was made; it has nothing of the person.
_TECHNICAL = ("DocumentInfo", "PrintingPreferences", "Preferences")
#: Forms of address, which no CV has before a name: Mr, Ms.
_ADDRESS = ("mr", "ms", "mrs", "miss", "mx")
#: The kind, and its key, of what a list of achievements is about.
_ACHIEVEMENTS = {
    "honors_awards": ("award", "title"), "publications": ("publication", "title"),
    "presentations": ("talk", "title"), "projects": ("project", "name"),
    "certifications": ("certificate", "name"), "memberships": ("service", "role"),
}  # fmt: skip
_SKILLS = {
    "Communication": "Communication skills", "Organisational": "Organisational skills",
    "JobRelated": "Job-related skills", "Computer": "Digital skills", "Other": "Other skills",
}  # fmt: skip
_DIGITAL = {
    "Information": "information processing", "Communication": "communication",
    "ContentCreation": "content creation", "Safety": "safety",
    "ProblemSolving": "problem solving",
}  # fmt: skip
_USERS = {"A": "basic user", "B": "independent user", "C": "proficient user"}


def read(root: Element, draft: Draft) -> None:
    """Put all that the root has into the draft; what stays unread has no key."""
    parts.put_language(draft, root.attributes.get("locale", ""))
    for name in _TECHNICAL:
        for one in root.all(name):
            one.read()
    for learner in root.all("LearnerInfo"):
        _person(learner, draft)
        for one in learner.all("WorkExperienceList", "WorkExperience"):
            _work(one, draft)
        for one in learner.all("EducationList", "Education"):
            _education(one, draft)
        for one in learner.all("Skills"):
            _skills(one, draft)
        for one in learner.all("AchievementList", "Achievement"):
            _achievement(one, draft)
    for one in root.walk():
        if one.name in ("Photo", "Attachment") and (data := one.text("Data")):
            kind = one.text("MimeType") or "a file"
            named = " ".join(filter(None, (one.text("Name"), one.text("Description"))))
            size = f"{kind}, about {len(data) * 3 // 4} bytes"
            draft.lose(one.name, f"{named} ({size})" if named else size, one.place)


def _person(learner: Element, draft: Draft) -> None:
    identification = learner.first("Identification")
    if identification:
        if name := identification.first("PersonName"):
            _name(name, draft)
        _contact(identification, draft)
        born = identification.first("Demographics", "Birthdate")
        if born:
            draft.put("contact.birth-date", _date(born), born.place)
        for one in identification.all("Demographics", "NationalityList", "Nationality"):
            draft.put("contact.nationality", [_label(one)], one.place)
        gender = identification.first("Demographics", "Gender")
        draft.put("contact.other.Gender", _inline_label(gender))
    for headline in learner.all("Headline"):
        code = headline.text("Type", "Code")
        _label(headline.first("Type"))
        description = headline.first("Description")
        if not description:
            continue
        if code == "personal_statement":
            text = description.raw("Label") or description.raw()
            statement = html_texts.read(text)
            draft.put("summary", statement.paragraphs, headline.place)
            for address in statement.lost:
                draft.lose("Headline", address, headline.place)
        else:
            draft.put("headline", _inline_label(description), headline.place)


def _name(name: Element, draft: Draft) -> None:
    given, family = name.text("FirstName"), name.text("Surname")
    found = {"given": given, "family": family}
    title = name.first("Title")
    code = title.first("Code") if title else None
    if title and not (code and "".join(map(str, code.parts)).strip().lower() in _ADDRESS):
        # "Dr." is part of the name as it is printed, and none of it in lists of authors.
        found = {"full": " ".join(filter(None, (_label(title), given, family))), **found}
    draft.put("name", {key: value for key, value in found.items() if value}, name.place)


def _contact(identification: Element, draft: Draft) -> None:
    info = identification.first("ContactInfo")
    if not info:
        return
    draft.put("contact.address", _address(info), info.place)
    for one in [*info.all("Email"), *info.all("EmailList", "Email")]:
        if address := one.text("Contact"):
            draft.put("contact.email", [_labelled("address", address, one)], one.place)
    for one in info.all("TelephoneList", "Telephone"):
        if number := one.text("Contact"):
            draft.put("contact.phone", [_labelled("number", number, one)], one.place)
    for one in info.all("WebsiteList", "Website"):
        if not (url := one.text("Contact")):
            continue
        label = _label(one.first("Use"))
        if networks.account(url=url):
            networks.put(draft, url=url, place=one.place)
        else:
            draft.put("contact.website", [url], one.place)
            draft.lose(f"use of {url}", label if label.lower() != "personal" else "", one.place)
    for one in info.all("InstantMessagingList", "InstantMessaging"):
        if user := one.text("Contact"):
            network = _label(one.first("Use")) if one.first("Use") else "Messenger"
            networks.put(draft, network, user, "", one.place)


def _labelled(key: str, value: str, element: Element) -> Any:
    """Return an address or a number, with its label if it has one."""
    label = _label(element.first("Use")).lower()
    return {key: value, "label": label} if label else value


def _address(info: Element) -> str:
    found = info.first("Address", "Contact") or info.first("Address")
    if not found:
        return ""
    street = ", ".join(filter(None, (found.text("AddressLine"), found.text("AddressLine2"))))
    name = _label(found.first("Country"))
    name = parts.country(name) if len(name) <= 3 else name
    made = parts.address(street, found.text("PostalCode"), found.text("Municipality"), name)
    return html_texts.inline(made)


def _work(work: Element, draft: Draft) -> None:
    employer = work.first("Employer")
    item: dict[str, Any] = {
        "employer": parts.inline(employer, "Name"),
        "title": _inline_label(work.first("Position")),
        "date": _period(work),
        "location": _place(employer),
        "url": _page(employer),
    }
    item["keywords"] = [_inline_label(employer.first("Sector"))] if employer else []
    parts.describe(draft, item, "experience", work, "Activities")
    work.item = draft.add("experience", item, work.place)


def _education(education: Element, draft: Draft) -> None:
    school = education.first("Organisation") or education.first("Organization")
    item: dict[str, Any] = {
        "institution": parts.inline(school, "Name"),
        "degree": parts.inline(education, "Title"),
        "area": _inline_label(education.first("Field")),
        "date": _period(education),
        "location": _place(school),
        "url": _page(school),
    }
    parts.describe(draft, item, "education", education, "Activities")
    item["notes"] = [_inline_label(education.first("Level"))]
    education.item = draft.add("education", item, education.place)


def _skills(skills: Element, draft: Draft) -> None:
    for one in skills.all("Linguistic", "MotherTongueList", "MotherTongue"):
        name = _inline_label(one.first("Description"))
        item = {"language": name, "level": parts.native(draft)}
        one.item = draft.add("language", item, one.place) if name else None
    for one in skills.all("Linguistic", "ForeignLanguageList", "ForeignLanguage"):
        _language(one, draft)
    for name, title in _SKILLS.items():
        for one in skills.all(name):
            parts.add_skills(draft, one, title, one.raw("Description"))
            levels = one.first("ProficiencyLevel")
            told = [
                f"{_DIGITAL.get(part.name, part.name)}: {_USERS.get(code, code)}"
                for part in (levels.children if levels else ())
                if (code := part.text())
            ]
            if told:
                draft.add("skill", {"name": "Digital competence", "keywords": told}, one.place)
            _certificates(one, draft, "")
    for one in skills.all("Driving"):
        licences = [found.text() for found in one.all("Description", "Licence")]
        licences = [licence for licence in licences if licence]
        if licences:
            draft.add("skill", {"name": "Driving licence", "keywords": licences}, one.place)


def _language(element: Element, draft: Draft) -> None:
    name = _inline_label(element.first("Description"))
    levels = element.first("ProficiencyLevel")
    found = {one.name: one.text() for one in (levels.children if levels else ())}
    item = {"language": name, "level": parts.level(found)}
    if name:
        element.item = draft.add("language", item, element.place)
    else:
        draft.lose("level of a language without a name", item["level"], element.place)
    _certificates(element, draft, name)


def _certificates(element: Element, draft: Draft, language: str) -> None:
    for one in element.all("VerifiedBy", "Certificate"):
        title, level = parts.inline(one, "Title"), one.text("Level")
        item = {
            "name": f"{title} ({level})" if title and level else title or level or language,
            "issuer": parts.inline(one, "AwardingBody"),
            "date": _date(one.first("Date")),
        }
        one.item = draft.add("certificate", item, one.place)


def _achievement(achievement: Element, draft: Draft) -> None:
    code = achievement.text("Title", "Code")
    label = _inline_label(achievement.first("Title"))
    kind, key = _ACHIEVEMENTS.get(code.lower(), ("bullets", ""))
    own = headings.own_title(kind, draft.data.get("locale", "en"))
    section = label if label and label.casefold() != own.casefold() else None
    found = html_texts.read(achievement.raw("Description"))
    if not found.blocks:
        draft.lose("Achievement without a text", label, achievement.place)
    for block in found.blocks:
        line = fitting.item_of_line(kind, block.text, achievement.place) if key else None
        item: Any = line or ({key: block.text} if key else block.text)
        draft.add(kind, item, achievement.place, section)
    for value in found.lost:
        draft.lose(f"Achievement {label}", value, achievement.place)


def _inline_label(element: Element | None) -> str:
    return html_texts.inline(_label(element))


def _label(element: Element | None) -> str:
    """Return the words of something coded: its label, else its code; empty for nothing."""
    if element is None:
        return ""
    code, label = element.text("Code"), element.text("Label")
    return label or code or ("" if element.children else element.text())


def _period(element: Element) -> str:
    period = element.first("Period")
    if not period:
        return ""
    goes_on = period.text("Current").lower() == "true"
    first, last = _date(period.first("From")), _date(period.first("To"))
    return foreign_dates.between(first, "" if goes_on else last, goes_on=goes_on)


def _date(element: Element | None) -> str:
    """Return a date, which is in attributes: year="2019" month="--03" day="---01"."""
    if element is None:
        return ""
    found = [element.attributes.get(key, "").lstrip("-") for key in ("year", "month", "day")]
    year, month, day = (
        part.zfill(2) if re.fullmatch("[0-9]{1,2}", part) else part for part in found
    )
    if not year:
        return foreign_dates.read(element.text())
    return "-".join([year, *([month] if month else []), *([day] if month and day else [])])


def _place(holder: Element | None) -> str:
    info = holder.first("ContactInfo") if holder else None
    return _address(info) if info else ""


def _page(holder: Element | None) -> str:
    for path in (("ContactInfo", "Website"), ("ContactInfo", "WebsiteList", "Website")):
        found = holder.first(*path) if holder else None
        if found:
            return found.text("Contact")
    return ""
