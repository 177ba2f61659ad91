"""LinkedIn's "copy of your data": a ZIP archive or the folder of it.

Only the files of ``PARTS`` are ever opened: others have what other people wrote.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from cvbuild.common.diagnostics import CvbuildError, Span
from cvbuild.importers import dates, descriptions, parsers, values
from cvbuild.importers.documents import people
from cvbuild.importers.formats.reader import Reader
from cvbuild.importers.types import Given, Imported, Importer
from cvbuild.importers.values import Value
from cvbuild.model.text import texts

#: Files that every archive has, also the one without a profile that comes first.
_OTHERS = ("connections.csv", "invitations.csv", "messages.csv", "registration.csv")
#: [PORTFOLIO:https://example.org],[BLOG:https://…]; or plain addresses.
_TYPED = re.compile(
    r"\[?(?:([A-Z][A-Z_ ]*):)?((?:[a-z]+:|www\.)[^\]\s,]+|[^\],\s:]+\.[^\],\s]+)\]?"
)
#: Characters of a cell with addresses; LinkedIn allows three of them.
_LONGEST = 2_000


class Format(Importer):
    """The data that LinkedIn has of its member."""

    def recognises(self, given: Given) -> bool:
        """Return whether there is a file of the profile with its columns, or two of the others."""
        if not given.has_parts:
            return False
        if names := _by_part(given):
            part = next(part for part in PARTS if part in names)
            head = (given.files.read(names[part]) or b"")[: 1 << 14]
            whole = head.rpartition(b"\n")[0] or head
            return parsers.parse_csv(whole, names[part], PARTS[part][0]) is not None
        bases = {name.rpartition("/")[2].casefold() for name in given.files.names}
        return len(bases & {*_OTHERS}) >= 2

    def read(self, given: Given) -> Imported:
        """Read the profile's files in the order of a CV."""
        names = _by_part(given)
        if not names:
            message = f"{given.name} has nothing of the profile"
            hint = (
                "ask LinkedIn for the larger archive: Settings > Data privacy > Get a copy of your "
                "data; the one that comes first has only messages and the like"
            )
            raise CvbuildError.because("import", message, hint)
        reader = _Reader(given.name)
        for part, (columns, read) in PARTS.items():
            if part not in names:
                continue
            name = f"{given.name}/{names[part]}"
            rows = parsers.parse_csv(given.files.read(names[part]) or b"", name, columns)
            if rows is None:
                wanted = " and ".join(f'"{one}"' for one in columns[:2])
                what = f"{names[part]} has no columns {wanted}"
                reader.draft.lose(what, "nothing was read of it", Span(name))
            for row in rows or ():
                # The cells that nothing was made of are listed one by one.
                row.is_read = True
                if isinstance(read, str):
                    reader.entry(read, row)
                else:
                    read(reader, row)
            values.lose_unread(Value(rows, Span(name)), reader.draft)
        return reader.draft.done()


def _by_part(given: Given) -> dict[str, str]:
    """Return the name of each file of the profile, the one that is least deep in folders."""
    found: dict[str, str] = {}
    for name in sorted(given.files.names, key=lambda one: (one.count("/"), one)):
        if (base := name.rpartition("/")[2].casefold()) in PARTS:
            found.setdefault(base, name)
    return found


class _Reader(Reader):
    """Puts rows into a draft, and lists what has no key."""

    is_markdown = False
    #: The post of the row before: several rows may be roles at one employer.
    employer: Any = MappingProxyType({})

    def plain(self, row: Value, column: str) -> str:
        """Return a cell as a text without Markdown."""
        return texts.line(html.unescape(row.text(column)))

    def profile(self, row: Value) -> None:
        put, lose, place = self.draft.put, self.draft.lose, row.place
        given, family = self.plain(row, "first name"), self.plain(row, "last name")
        maiden = self.plain(row, "maiden name")
        others = [{"label": "Name at birth", "name": maiden}] if maiden else []
        put("name", {"given": given, "family": family, "others": others}, place)
        put("headline", self.prose(row, "headline"), place)
        self.about(row, "summary")
        town, code = self.prose(row, "address", "geo location"), self.prose(row, "zip code")
        put("contact.address", f"{town}, {code}" if town and code not in town else town, place)
        lose(f"{row.path} Zip Code", "" if town else code, place)
        put("contact.birth-date", dates.normal(row.text("birth date")), place)
        for handle in row.text("twitter handles").strip("[]").split(","):
            if re.fullmatch(r"\w{1,30}", user := handle.strip(" []@")):
                put("contact.profiles.x", [user], place)
            else:
                lose(f"{row.path} Twitter Handles", user, place)
        websites, more = (cell := row.text("websites"))[:_LONGEST], cell[_LONGEST:]
        for found in _TYPED.finditer(websites):
            label, url = (found[1] or "").replace("_", " ").capitalize(), found[2]
            if texts.address(url):
                people.page(self.draft, label if label != "Personal" else "", url, place)
            else:
                lose(f"{row.path} Websites {label.title()}", url, place)
        rest = [_TYPED.sub("", websites).strip("[], "), more]
        lose(f"{row.path} Websites", [*filter(None, rest)], place)

    def about(self, row: Value, column: str = "profile summary") -> None:
        """Put the summary; both files that may have it say the same."""
        found = self.blocks(row.text(column))
        self.draft.put("summary", found.paragraphs, row.place)
        self.draft.lose(f"{row.path} {column.title()}", found.lost, row.place)

    def reach(self, row: Value) -> None:
        """Put a number, or an address of e-mail."""
        if number := row.text("number"):
            label = self.plain(row, "type").casefold()
            shown: Any = {"number": number, "label": label} if label else number
            self.draft.put("contact.phone", [shown], row.place)
            return
        address = row.text("email address")
        is_first = row.text("primary").casefold() == "yes"
        known: list[Any] = self.draft.data.get("contact", {}).pop("email", [])
        emails = [address, *known] if is_first else [*known, address]
        self.draft.put("contact.email", [*filter(None, emails)], row.place)
        # These say nothing of the person.
        for column in ("confirmed", "updated on"):
            row.text(column)

    def position(self, row: Value) -> None:
        """Add a position; several at an employer one after the other become its roles."""
        item, first = self.item("experience", row), self.employer
        is_titled = {"title", "employer"} <= item.keys() and {"title", "roles"} & first.keys()
        if not is_titled or first.get("employer") != item["employer"]:
            self.employer = self.add("experience", item, row)
            return
        del item["employer"]
        if "roles" not in first:
            first["roles"] = [{key: first.pop(key) for key in list(first) if key != "employer"}]
        first["roles"].append(item)
        self.draft.mark(item, row.place)
        row.near = item

    def entry(self, kind: str, row: Value) -> None:
        """Add an item of a kind; a recommendation that the member doesn't show is lost."""
        if kind == "keywords":
            name, number = self.prose(row, "name"), self.prose(row, "number")
            words = f"{name} ({number})" if name and number else name or number
            self.add(kind, words, row, "Courses")
            return
        item, title = self.item(kind, row, _COLUMNS.get(kind, {})), None
        if kind == "patent":
            item["number"] = f"{self.prose(row, 'issuer')} {item.get('number', '')}".strip()
        elif kind == "reference":
            name = f"{self.plain(row, 'first name')} {self.plain(row, 'last name')}".strip()
            item = {"name": name, **item}
            if (status := row.text("status").lower()) not in ("", "visible"):
                what = f"{row.path}, {status} recommendation of {name}"
                self.draft.lose(what, item.get("quote"), row.place)
                row.read()
                return
        elif kind == "service":
            item["role"] = item.get("role") or "Member"
        elif kind == "entry":
            title = "Test scores"
            score = f"Score: {score}" if (score := self.prose(row, "score")) else ""
            item["summary"] = descriptions.joined([score, item.get("summary", "")])
        if cause := next(iter(item.get("keywords", ())), ""):
            item["keywords"] = [cause.replace("_", " ").capitalize() if cause.isupper() else cause]
        self.add(kind, item, row, title)


#: What reads a row: the kind of its item, or a method.
_Read = str | Callable[[_Reader, Value], None]
#: Columns that keys of a kind have, where they are called otherwise than elsewhere.
_COLUMNS: dict[str, dict[str, tuple[str, ...]]] = {
    "education": {"notes": ("activities",), "summary": ("notes",)},
    "volunteer": {"keywords": ("cause",)},
    "service": {"role": ("position",), "organization": ("name",)},
    "patent": {"title": ("title", "name"), "number": ("patent number", "application number")},
    "reference": {
        "name": ("name",), "title": ("job title",), "institution": ("company",), "quote": ("text",),
    },
}  # fmt: skip
#: The columns by which each file is known, and what reads its rows, in the order of a CV.
PARTS: dict[str, tuple[tuple[str, ...], _Read]] = {
    "profile.csv": (("First Name", "Last Name", "Headline"), _Reader.profile),
    "profile summary.csv": (("Profile Summary",), _Reader.about),
    "email addresses.csv": (("Email Address",), _Reader.reach),
    "phonenumbers.csv": (("Number", "Extension"), _Reader.reach),
    "positions.csv": (("Company Name", "Title"), _Reader.position),
    "education.csv": (("School Name", "Degree Name"), "education"),
    "projects.csv": (("Title", "Started On"), "project"),
    "publications.csv": (("Name", "Published On"), "publication"),
    "patents.csv": (("Title", "Patent Number", "Issuer"), "patent"),
    "honors.csv": (("Title", "Issued On"), "award"),
    "volunteering.csv": (("Company Name", "Role"), "volunteer"),
    "volunteer experiences.csv": (("Company Name", "Role"), "volunteer"),
    "organizations.csv": (("Name", "Position"), "service"),
    # The second date is the end of what is certified.
    "certifications.csv": (("Name", "Authority"), "certificate"),
    "courses.csv": (("Name", "Number"), "keywords"),
    "testscores.csv": (("Name", "Score"), "entry"),
    "skills.csv": (("Name",), "skill"),
    "languages.csv": (("Name", "Proficiency"), "language"),
    "recommendations_received.csv": (("First Name", "Text"), "reference"),
}
