"""The widgets of Hugo Academic's first page that have parts of a CV: experience, skills, contact.

They are files in content/home, or blocks of a landing page.
"""

from __future__ import annotations

from cvbuild.importers.sites import hugo_author
from cvbuild.importers.sites.pages import Page, Site, skip
from cvbuild.importers.sources.located import Value

#: What a widget has, by its name, and the key of its list besides "items".
_KINDS = {
    "experience": ("experience", "experience"),
    "resume-experience": ("experience", "experience"),
    "accomplishments": ("certificate", "item"),
    "awards": ("award", "item"),
    "resume-awards": ("award", "item"),
    "education": ("education", "item"),
    "featurette": ("skill", "feature"),
    "features": ("skill", "feature"),
    "skills": ("skill", "feature"),
    "resume-skills": ("skill", "feature"),
    "resume-languages": ("language", "item"),
    "contact": ("contact", ""),
}
#: What places a widget on its page.
_TECHNICAL = (
    "widget", "headless", "active", "weight", "title", "subtitle", "design", "date_format",
    "advanced", "id", "block", "autolink", "email_form", "form", "directions", "coordinates",
    "appointment_url", "username", "view", "columns", "count", "type", "author",
)  # fmt: skip


def read(site: Site, content: str) -> None:
    """Read the widgets of the first page and of landing pages; ``content`` is their folder."""
    for name in site.names(rf"{content}(?:home/[^/]+|_index|(?:cv|resume|experience)/_?index)\.md"):
        page = site.page(name)
        if page is None or page.data.text("active").lower() == "false":
            continue
        sections = page.data.mappings("sections")
        for one in sections:
            inner = one.mapping("content")
            skip(one, *_TECHNICAL)
            _widget(site, page, one.text("block"), inner)
        widget = page.data.text("widget")
        if widget:
            inner = page.data.mapping("content")
            _widget(site, page, widget, inner if inner.data else page.data)


def _widget(site: Site, page: Page, name: str, data: Value) -> None:
    """Read a widget with parts of a CV; the text of another is no part of one."""
    kind, key = _KINDS.get(name.rpartition("/")[2].removesuffix(".md"), ("", ""))
    if not kind:
        told = page.name if data is page.data else f"{page.name}: {data.path}"
        site.draft.lose(f"{told} is no part of a CV", f'widget "{name[:60]}"', data.place)
        return
    skip(data, *_TECHNICAL)
    if kind == "contact":
        hugo_author.contact(site, data, is_whole=True)
    elif kind == "skill":
        for one in data.mappings("items", key):
            hugo_author.skills(site, one)
    else:
        hugo_author.entries(site, kind, data.mappings("items", key))
    site.finish(data)
