"""RenderCV 2.x: who it is, how it looks, and the sections, which ``rendercv_entries`` reads."""

from __future__ import annotations

import re
from typing import Any

from cvbuild.common.errors import CvbuildError
from cvbuild.importers import networks
from cvbuild.importers.documents import people
from cvbuild.importers.draft import Draft
from cvbuild.importers.resumes import rendercv_entries, wordings
from cvbuild.importers.sources import located, located_yaml
from cvbuild.importers.sources.located import Value
from cvbuild.importers.types import Given, Imported
from cvbuild.importers.words import headings
from cvbuild.inputs.references import texts

_CV = re.compile(rb"^cv:", re.MULTILINE)
_PARTS = re.compile(
    rb"^\s+(sections|social_networks|name|headline|location):|^(design|locale|settings):",
    re.MULTILINE,
)
#: Our template for a theme; without one, that of most people.
_TEMPLATES = {
    "moderncv": "banking", "engineeringresumes": "industry", "engineeringclassic": "industry",
}  # fmt: skip
_LANGUAGES = {
    "english": "en", "german": "de", "french": "fr", "spanish": "es", "portuguese": "pt",
    "italian": "it", "dutch": "nl", "danish": "da", "turkish": "tr", "russian": "ru",
    "hindi": "hi", "japanese": "ja", "korean": "ko", "indonesian": "id", "hebrew": "he",
    "persian": "fa", "arabic": "ar", "polish": "pl", "norwegian": "nb", "norwegian_bokmål": "nb",
    "norwegian_bokmal": "nb", "norwegian_nynorsk": "nn", "swedish": "sv", "finnish": "fi",
    "czech": "cs", "greek": "el", "hungarian": "hu", "ukrainian": "uk", "vietnamese": "vi",
    "mandarin_chinese": "zh", "mandarin_chineese": "zh", "chinese": "zh",
}  # fmt: skip
_PHOTO = "save it beside the file, as photo: NAME"


class Format:
    """A CV as RenderCV."""

    name = "rendercv"
    title = "RenderCV"

    def recognises(self, given: Given) -> bool:
        """Return whether it has the keys of such a CV."""
        return bool(_CV.search(given.head) and _PARTS.search(given.head))

    def read(self, given: Given) -> Imported:
        """Read it; raise CvbuildError for what is no YAML, or has no name."""
        root = located_yaml.parse(given.data, given.name)
        cv = root.get("cv")
        if cv is None or not isinstance(cv.data, dict):
            hint = "write name, email, sections below it"
            place = (cv or root).place
            raise CvbuildError.because("rendercv", '"cv" is no mapping', hint, place)
        name = texts.line(cv.text("name"))
        if not name:
            hint = 'write "name: …" below "cv:"'
            raise CvbuildError.because("rendercv", "the CV has no name", hint, cv.place)
        draft = Draft(given.name)
        draft.put("name", name)
        draft.put("headline", wordings.inline(cv.text("headline", "label")), cv.where("headline"))
        _contact(draft, cv)
        _look(draft, root)
        draft.lose(f"cv.photo ({_PHOTO})", cv.text("photo"), cv.where("photo"))
        _sections(draft, cv.mapping("sections"))
        located.lose_unread(root, draft)
        draft.keep_order()
        return draft.done()


def _contact(draft: Draft, cv: Value) -> None:
    """Read how to reach the person."""
    draft.put("contact.email", list(map(texts.line, cv.texts("email"))), cv.where("email"))
    numbers = (texts.line(one).removeprefix("tel:") for one in cv.texts("phone"))
    draft.put("contact.phone", list(numbers), cv.where("phone"))
    draft.put("contact.address", wordings.inline(cv.text("location")))
    draft.put("contact.website", list(map(texts.line, cv.texts("website"))), cv.where("website"))
    for one in cv.mappings("social_networks"):
        networks.put(draft, one.text("network"), one.text("username"), one.text("url"), one.place)
    for one in cv.mappings("custom_connections"):
        label, url = texts.line(one.text("placeholder")), one.text("url")
        if url:
            draft.put("contact.links", [{label or texts.line(url): texts.line(url)}])
        elif label:
            kind = texts.line(one.text("fontawesome_icon")).replace("-", " ").capitalize()
            people.put_other(draft, kind or label, label)


def _look(draft: Draft, root: Value) -> None:
    """Read template, paper, colour and language, as far as there is the like."""
    design, locale = root.mapping("design"), root.mapping("locale")
    theme = design.text("theme")
    if theme in _TEMPLATES:
        draft.put("template", _TEMPLATES[theme])
    elif theme not in ("", "classic"):
        draft.lose("design.theme", theme, design.where("theme"))
    options: dict[str, Any] = {}
    page = design.mapping("page")
    paper = page.text("size")
    if paper in ("us-letter", "letter"):
        options["paper"] = "letter"
    elif paper not in ("", "a4"):
        draft.lose("design.page.size", paper, page.where("size"))
    for key in ("section_titles", "name"):
        colour = design.mapping("colors").get(key)
        found = _hexadecimal(colour.data) if colour and isinstance(colour.data, str) else ""
        if found and colour and "accent" not in options:
            options["accent"] = found
            colour.read()
    draft.put("options", options)
    language = locale.text("language")
    tag = _LANGUAGES.get(language.strip().lower(), texts.line(language))
    draft.put("locale", tag, locale.where("language"))


def _hexadecimal(colour: str) -> str:
    """Return rgb(0, 79, 144) and #004F90 as 004F90; "" for another form, and for black."""
    if found := re.fullmatch(r"\s*rgb\((\d{1,3}),\s*(\d{1,3}),\s*(\d{1,3})\)\s*", colour):
        parts = [min(int(part), 255) for part in found.groups()]
        colour = "".join(f"{part:02X}" for part in parts)
    found = re.fullmatch(r"\s*#?([0-9A-Fa-f]{6})\s*", colour)
    return found[1].upper() if found and int(found[1], 16) else ""


def _sections(draft: Draft, sections: Value) -> None:
    """Read the sections in their order."""
    last = sections.data.items() if isinstance(sections.data, dict) else ()
    for key, value in (*sections.repeated, *last):
        title, group, note = _parts_of(_title(key))
        announced = (headings.kind_of(title) or ("", ""))[0]
        # Some write one text without a dash.
        parts = [value] if isinstance(value.data, str) else value.parts()
        strings = [one for one in parts if isinstance(one.data, str)]
        if announced in (headings.SUMMARY, headings.INTERESTS):
            plain = all(isinstance(one.data, str) or one.get("bullet") for one in parts)
            if plain and announced not in draft.data:
                written = (one.text("bullet") or one.own_text() for one in parts)
                said = [wordings.inline(one) for one in written]
                draft.put(announced, "\n\n".join(said) if announced == "summary" else said)
                continue
        for one in strings:
            draft.add("text", wordings.inline(one.own_text()), one.place, title)
        entries = [one for one in parts if isinstance(one.data, dict)]
        for one in entries:
            found = rendercv_entries.read(one, announced, draft)
            if found is None:
                continue
            kind, item, numbering = found
            heading = None if title == headings.own_title(kind, "en") else title
            one.near = draft.add(kind, item, one.place, heading, group)
            if note:
                draft.section(kind, heading)["note"] = note
            if not isinstance(one.near, dict):
                one.near = {}
            if numbering:
                draft.section(kind, heading)["numbering"] = numbering


def _parts_of(title: str) -> tuple[str, str, str]:
    """Return a known heading, the group and the note after it: "Papers: Journals (in print)"."""
    before, _, note = (
        title.removesuffix(")").partition(" (") if title.endswith(")") else (title, "", "")
    )
    heading, _, group = before.partition(": ")
    if headings.kind_of(heading) and (group or len(note.split()) > 2):
        return heading, group, note
    return title, "", ""


def _title(key: str) -> str:
    """Return a heading as RenderCV prints it: selected_honors is Selected Honors."""
    if " " in key or key != key.lower():
        return wordings.inline(key)
    words = key.replace("_", " ").split()
    small = ("and", "of", "the", "in", "for", "to", "on", "with", "a", "at", "by")
    shown = (word if at and word in small else word[:1].upper() + word[1:]
             for at, word in enumerate(words))  # fmt: skip
    return wordings.inline(" ".join(shown))
