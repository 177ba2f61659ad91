"""The owner of a site of Hugo Academic: content/authors/admin/_index.md, data/authors/me.yaml."""

from __future__ import annotations

from typing import Any

from cvbuild.importers.resumes import wordings
from cvbuild.importers.sites.pages import Page, Site, dates, inline, skip
from cvbuild.importers.sources.located import Value

#: What is for the site alone.
_TECHNICAL = (
    "superuser", "user_groups", "highlight_name", "authors", "weight", "slug", "status", "type",
    "layout", "draft", "email_hash", "schema", "avatar_filename", "show_related",
)  # fmt: skip
START = ("date_start", "start_date", "startDate", "start", "from")
END = ("date_end", "end_date", "endDate", "end", "to")
_SUMMARY = ("summary", "description", "content")


def name_of(data: Value) -> str:
    """Return the name of an author."""
    name = data.mapping("name")
    whole = data.text("title", "display_name") or data.text("name")
    parts = (name.text("given", "first"), name.text("family", "last"))
    return whole or name.text("display", "full") or " ".join(filter(None, parts))


def read(site: Site, page: Page) -> None:
    """Put the owner of the site into the draft."""
    data, put = page.data, site.draft.put
    skip(data, *_TECHNICAL)
    _name(site, data)
    organizations = data.mappings("organizations", "affiliations", "organization")
    shown = [one for organization in organizations if (one := inline(organization, "name"))]
    shown += [wordings.inline(one) for one in data.texts("organizations")]
    headline = ", ".join(filter(None, (inline(data, "role", "tagline"), *shown)))
    put("headline", headline, data.where("role", "organizations"))
    bio = data.get("bio")
    for text, place in [
        (bio.own_text() if bio else "", data.where("bio")),
        (page.body, page.text_place),
    ]:
        found = site.blocks(text)
        put("summary", found.paragraphs, place)
        for lost in found.lost:
            site.draft.lose(page.name, lost, place)
    put("interests", [wordings.inline(one) for one in data.texts("interests")], page.place)
    contact(site, data, is_whole=True)
    entries(site, "education", _education_of(data))
    for key in ("experience", "work"):
        entries(site, "experience", data.mappings(key))
    entries(site, "award", data.mappings("awards"))
    entries(site, "certificate", data.mappings("certifications", "certificates"))
    entries(site, "volunteer", data.mappings("volunteering", "volunteer"))
    for kind in ("skills", "languages"):
        for name in data.texts(kind):
            site.draft.add(kind.removesuffix("s"), wordings.inline(name), data.where(kind))
    for group in data.mappings("skills"):
        skills(site, group)
    entries(site, "language", data.mappings("languages"))
    site.finish(data)


def _name(site: Site, data: Value) -> None:
    whole = name_of(data)
    name = data.mapping("name")
    given = data.text("first_name") or name.text("given", "first")
    family = data.text("last_name") or name.text("family", "last")
    if given and family and whole in ("", f"{given} {family}"):
        found: Any = {"given": given, "family": family}
    elif given and family:
        found = {"full": whole, "given": given, "family": family}
    else:
        found = whole
    site.draft.put("name", found, data.where("title", "name"))
    if pronouns := (data.text("pronouns") or name.text("pronouns")):
        site.draft.put("contact.other.Pronouns", wordings.inline(pronouns), data.place)


def _education_of(data: Value) -> list[Value]:
    value = data.get("education")
    if value is not None and isinstance(value.data, dict):
        return value.mappings("courses", "items")
    return data.mappings("education")


def contact(site: Site, data: Value, *, is_whole: bool) -> None:
    """Put how to reach the owner; ``is_whole`` says that data has nothing else."""
    put = site.draft.put
    if email := data.text("email"):
        put("contact.email", [email.removeprefix("mailto:")], data.where("email"))
    if phone := data.text("phone"):
        put("contact.phone", [phone], data.where("phone"))
    address = data.get("address")
    if address is not None and isinstance(address.data, dict):
        put("contact.address", place_of(address), address.place)
    elif address is not None:
        put("contact.address", inline(data, "address"), address.place)
    if is_whole and (url := site.link(data.get("website"))):
        put("contact.website", [url], data.where("website"))
    for one in [
        *data.mappings("social"), *data.mappings("profiles"), *data.mappings("links"),
        *data.mappings("contact_links"),
    ] if is_whole else ():  # fmt: skip
        skip(one, "icon_pack", "display", "icon")
        if link := one.get("link") or one.get("url") or one.get("username"):
            label = one.text("label", "name") or one.text("icon", "network").rpartition("/")[2]
            skip(one, "label", "name")
            site.account(label.removeprefix("brands:"), link)
        site.finish(one)


def place_of(address: Value) -> str:
    """Return an address on one line."""
    town = " ".join(filter(None, (address.text("postcode"), address.text("city"))))
    region = address.text("region")
    parts = (address.text("street"), town, region if region != address.text("city") else "")
    country = address.text("country")
    skip(address, "country_code")
    return wordings.inline(", ".join(filter(None, (*parts, country))))


def entries(site: Site, kind: str, values: list[Value]) -> None:
    """Add positions, degrees, awards and the like; what is left of each is lost."""
    for one in values:
        skip(one, "icon", "company_logo", "logo", "icon_pack", "color")
        item = _ITEMS[kind](site, one)
        for key in _SUMMARY:
            value = one.get(key)
            if value is not None and (text := value.own_text()):
                site.put(item, kind, site.blocks(text), value.path, value.place)
        made = site.draft.add(kind, item, one.place)
        one.near = made
        site.finish(one)


def _education(site: Site, one: Value) -> dict[str, Any]:
    course = inline(one, "course", "degree", "study_type")
    area = inline(one, "area", "field")
    when = dates(one, START, END) if any(one.get(key) for key in START) else ""
    button = one.mapping("button")
    skip(button, "text")
    return {
        "institution": inline(one, "institution", "school", "organization"),
        "degree": course or area,
        "area": area if course else "",
        "date": when or one.text("year", "date"),
        "location": inline(one, "location"),
        "grade": inline(one, "gpa", "grade", "score"),
        "url": site.link(one.get("url")) or site.link(button.get("url")),
    }


def _position(site: Site, one: Value) -> dict[str, Any]:
    return {
        "employer": inline(one, "company", "company_name", "organization", "org", "institution"),
        "title": inline(one, "title", "position", "role"),
        "date": dates(one, START, END),
        "location": inline(one, "location"),
        "url": site.link(one.get("company_url")) or site.link(one.get("url")),
    }


def _award(site: Site, one: Value) -> dict[str, Any]:
    return {
        "title": inline(one, "title", "name"),
        "awarder": inline(one, "awarder", "organization"),
        "date": dates(one, ("date", *START), END)
        if one.get("date_end")
        else one.text("date", "year"),
        "url": site.link(one.get("url")),
    }


def _certificate(site: Site, one: Value) -> dict[str, Any]:
    link = site.link(one.get("certificate_url")) or site.link(one.get("url"))
    start = one.text("date_start", "date", "year")
    end = one.get("date_end")
    return {
        "name": inline(one, "title", "name"),
        "issuer": inline(one, "organization", "issuer"),
        "date": dates(one, ("date_start",), END) if end and end.data else start,
        "url": link,
    }


def _volunteer(site: Site, one: Value) -> dict[str, Any]:
    item = _position(site, one)
    return {"organization": item.pop("employer"), **item}


def _language(_: Site, one: Value) -> dict[str, Any]:
    level = inline(one, "level", "fluency", "proficiency", "description")
    return {"language": inline(one, "name", "language"), "level": level}


_ITEMS = {
    "education": _education, "experience": _position, "award": _award,
    "certificate": _certificate, "volunteer": _volunteer, "language": _language,
}  # fmt: skip


def skills(site: Site, group: Value) -> None:
    """Add a group of skills, or a skill alone."""
    skip(group, "icon", "icon_pack", "color", "color_border")
    items = group.mappings("items")
    keywords: list[str] = []
    for one in items:
        skip(one, "icon", "icon_pack")
        level = inline(one, "level", "description")
        name = inline(one, "name", "label")
        keywords.append(f"{name} ({level})" if name and level else name)
    keywords += [wordings.inline(one) for one in group.texts("keywords")]
    item = {
        "name": inline(group, "name", "title"),
        "level": inline(group, "level", "description"),
        "keywords": [one for one in keywords if one],
    }
    if not item["name"] and keywords:
        for keyword in item["keywords"]:
            site.draft.add("skill", keyword, group.place)
    else:
        group.near = site.draft.add("skill", item, group.place)
    site.finish(group)
