"""What Crossref, DBLP, OpenAlex and ORCID list of a person's works: all that cvbuild ever asks.

Only these hosts are asked, over HTTPS, and all that they get is the person's identifier there. What
comes back is untrusted: its size, time, pages and redirects are limited, and all of it is text.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from cvbuild.common import VERSION, diagnostics
from cvbuild.common.diagnostics import CvbuildError, Diagnostic, UsageError
from cvbuild.importers import descriptions, registry, types, values
from cvbuild.importers.draft import Draft
from cvbuild.importers.formats import records
from cvbuild.importers.types import Imported
from cvbuild.importers.values import Value
from cvbuild.inputs.references import identity, reference
from cvbuild.inputs.references.reference import Reference
from cvbuild.inputs.yaml import misread
from cvbuild.model.text import texts

if TYPE_CHECKING:
    import httpx

#: Characters of a title or a name; what is longer is neither.
_LONGEST = 2000
#: What an answer may take: seconds of silence and for its body, bytes, pages of a list.
SECONDS, SIZE, PAGES = 30.0, 16 << 20, 20
_REDIRECTS = 3
#: Accounts in ``contact.profiles`` that can be asked for, each with its form.
_ACCOUNTS = {
    "orcid": re.compile(r"(?:https?://orcid\.org/)?((?:\d{4}-){3}\d{3}[\dX])/?"),
    "dblp": re.compile(r"(?:https?://dblp\.org/pid/)?(\w{1,4}/[\w:=-]{1,60})(?:\.html)?/?"),
    "openalex": re.compile(r"(?:https?://openalex\.org/(?:authors/)?)?(A\d{4,12})/?"),
}


class Service(Struct, frozen=True):
    """A service, and where it is asked for an account; with a query it answers in pages of JSON."""

    title: str
    account: str
    address: str
    query: Mapping[str, str] = {}


_CROSSREF = (
    "DOI,type,title,subtitle,author,container-title,institution,volume,issue,page,article-number,"
    "published,issued,publisher,URL"
)
_OPENALEX = (
    "id,doi,type,display_name,authorships,primary_location,biblio,publication_date,publication_year"
)
_WORKS = "https://api.openalex.org/works"
_PAGE = {"select": _OPENALEX, "per_page": "100", "cursor": "*"}
#: The one that knows most of a work comes first: what it says of a work counts.
SERVICES = (
    Service(
        "Crossref",
        "orcid",
        "https://api.crossref.org/works",
        {"filter": "orcid:{}", "select": _CROSSREF, "rows": "100", "cursor": "*"},
    ),
    Service("DBLP", "dblp", "https://dblp.org/pid/{}.bib"),
    Service("OpenAlex", "openalex", _WORKS, {"filter": "author.id:{}", **_PAGE}),
    Service("OpenAlex", "orcid", _WORKS, {"filter": "author.orcid:{}", **_PAGE}),
    Service("ORCID", "orcid", "https://pub.orcid.org/v3.0/{}/record"),
)


class Work(Struct):
    """A work: an item of a section of publications, and the services that list it."""

    item: dict[str, Any]
    services: list[str]


class Answers(Struct):
    """The works that all services list, and why some list none; ``names`` are those of ORCID."""

    works: list[Work] = field(default_factory=list)
    failed: list[Diagnostic] = field(default_factory=list)
    names: list[tuple[str, Any]] = field(default_factory=list)


class _FailedError(Exception):
    """Why a service gave no works."""


def accounts(data: Any) -> dict[str, list[str]]:
    """Return the accounts of a person's file that can be asked for, by their key."""
    contact = data.get("contact") if isinstance(data, dict) else None
    profiles = contact.get("profiles") if isinstance(contact, dict) else None
    known = profiles if isinstance(profiles, dict) else {}
    return {
        key: [match[1] for match in map(form.fullmatch, identity.texts_of(known.get(key))) if match]
        for key, form in _ACCOUNTS.items()
    }


def ask(known: Mapping[str, Sequence[str]], server: str = "") -> Answers:
    """Return what the services list for these accounts.

    ``server`` is a server of this machine that stands for all of them, http://127.0.0.1:PORT, where
    each has a folder of its host's name; raises UsageError for any other.
    """
    if server and not re.fullmatch(r"http://127\.0\.0\.1:\d{1,5}", server):
        hint = "write http://127.0.0.1:PORT"
        raise UsageError.because("server", "the server must be one of this machine", hint)
    try:
        import httpx
    except ImportError as error:
        raise diagnostics.missing("cvbuild sync", "sync", error) from None
    answers = Answers()
    headers = {
        "User-Agent": f"cvbuild/{VERSION}",
        "Accept": "application/json, text/x-bibtex;q=0.9, */*;q=0.1",
        # Else few bytes may become many.
        "Accept-Encoding": "identity",
    }
    with httpx.Client(headers=headers, timeout=SECONDS, trust_env=not server) as client:
        get = partial(_get, client, server)
        for service in SERVICES:
            for account in known.get(service.account, ()):
                try:
                    for found in _answers(service, account, get):
                        if service.title == "ORCID" and "name" in found.data:
                            answers.names.append((account, found.data["name"]))
                        answers.works += [
                            Work(item, [service.title])
                            for section in found.data.get("sections", ())
                            if section["kind"] == "publication"
                            for item in section["items"]
                        ]
                except (_FailedError, CvbuildError) as error:
                    fact = f"{service.title} can't be read: {error}"
                    hint = "the others count; try again later"
                    answers.failed.append(Diagnostic("warning", "sync", fact, None, hint))
    return answers


# -- the network -----------------------------------------------------------------------------------


def _get(client: httpx.Client, server: str, address: str, query: Mapping[str, str] | None) -> bytes:
    """Return what one host answers; raises _FailedError."""
    import httpx

    whole = address.replace("https:/", server, 1) if server else address
    url = httpx.URL(whole, params=query) if query else httpx.URL(whole)
    try:
        for _ in range(_REDIRECTS + 1):
            with client.stream("GET", url) as response:
                if response.status_code == 200:
                    return _body(response)
            if not response.has_redirect_location:
                raise _FailedError(f"it answers {response.status_code}")
            before, url = url, url.join(response.headers["Location"])
            if (url.scheme, url.netloc) != (before.scheme, before.netloc):
                raise _FailedError(f"it leads elsewhere, to {url.scheme}://{url.host[:60]}")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        is_late = isinstance(error, httpx.TimeoutException)
        fact = "no connection" if isinstance(error, httpx.NetworkError) else "a damaged answer"
        late = f"no answer within {SECONDS:g} s"
        raise _FailedError(late if is_late else fact) from None
    raise _FailedError("it leads from one page to the next")


def _body(response: httpx.Response) -> bytes:
    end, body = time.monotonic() + SECONDS, bytearray()
    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise _FailedError("its answer is packed")
    for part in response.iter_raw():
        body += part
        if len(body) > SIZE:
            raise _FailedError(f"its answer is larger than {SIZE >> 20} MiB")
        if time.monotonic() > end:
            raise _FailedError(f"its answer takes longer than {SECONDS:g} s")
    return bytes(body)


# -- what an answer says ---------------------------------------------------------------------------


def _without_hidden(data: bytes) -> bytes:
    """Return an answer without characters that are hidden, but in texts that are too long."""
    text = texts.decoded(data)
    with suppress(ValueError, RecursionError):
        # Each text on a line of its own: what one may have depends on its other letters.
        text = json.dumps(json.loads(text, parse_int=str), ensure_ascii=False, indent=0)
    lines = text.split("\n")
    lines = [misread.without_hidden(one) if len(one) < 2 * _LONGEST else one for one in lines]
    return "\n".join(lines).encode(errors="ignore")


def _answers(service: Service, account: str, get: Callable[..., bytes]) -> Iterator[Imported]:
    query = {key: value.format(account) for key, value in service.query.items()}
    address, name = service.address.format(account), f"the answer of {service.title}"
    if not query:
        given = types.held(name, _without_hidden(get(address, None)))
        yield registry.read(given, "orcid" if service.title == "ORCID" else "bibtex")
        return
    for _ in range(PAGES):
        root = values.parse_json(_without_hidden(get(address, query)), name)
        for long in (one for one in root.walk() if len(one.text("value")) > _LONGEST):
            long.data = None
        works = root.get("results") or root.get("message.items")
        if works is None or not isinstance(works.data, list):
            raise _FailedError("its answer has no list of works")
        draft = Draft(name)
        for one in works.data:
            if one.text("type") not in _NONE:
                records.add_work(draft, _reference(one))
        yield draft.done()
        query["cursor"] = root.text("message.next-cursor", "meta.next_cursor")
        if not works.data or not query["cursor"]:
            return
    raise _FailedError(f"it has more than {PAGES} pages, of which these are read")


#: What is no work of its own.
_NONE = frozenset(("component", "paratext", "grant", "supplementary-materials", "peer-review"))


def _reference(one: Value) -> Reference:
    kind = one.text("type")
    # An article that reviews others, not the review of one.
    made = Reference(one.place, records.type_of("article" if kind == "review" else kind))
    title, more = one.words("title", "display_name"), one.words("subtitle")
    authors = [
        ", ".join(filter(None, map(each.text, ("family", "given", "suffix"))))
        or each.text("name", "author.display_name", "raw_author_name")
        for each in one.mappings("author", "authorships")
    ]
    dates = [*one.items("published.date-parts"), *one.items("issued.date-parts")][:1]
    days = [part.own_text() for date in dates for part in date.parts()]
    days = days or one.text("publication_date", "publication_year").split("-")
    # arXiv (Cornell University)
    server = re.sub(r" \([^()]*\)$", "", one.text("primary_location.source.display_name"))
    pages = dict.fromkeys(map(one.text, ("biblio.first_page", "biblio.last_page")))
    doi = one.text("DOI", "doi")
    made.put("title", _plain(f"{title}: {more}" if more and more not in title else title))
    made.put("authors", [*filter(None, map(reference.of_inverted, authors))])
    made.put("date", reference.date(*[*days, "", ""][:2]))
    venue = one.words("container-title", "institution.name") or server
    made.put("book" if made.type == "incollection" else "venue", _plain(venue))
    for key, value in {
        "volume": one.text("volume", "biblio.volume"),
        "issue": one.text("issue", "biblio.issue"),
        "pages": one.text("page", "article-number") or "-".join(filter(None, pages)),
        "doi": doi,
        # It leads to the same page.
        "url": "" if doi else one.text("URL", "primary_location.landing_page_url"),
    }.items():
        made.put(key, texts.line(value))
    if made.type in ("book", "incollection"):
        # That of a journal isn't printed.
        made.put("publisher", _plain(one.text("publisher")))
    return made


_JATS = re.compile(r"<(/?)(?:jats|mml):(\w+)")
#: What HTML calls otherwise, and has no words for.
_AS_HTML = {"italic": "i", "bold": "b"}
_ANNOTATION = re.compile(r"<annotation\b[^<>]*>[^<>]*</annotation\s*>")
_NO_HTML = re.compile(r"</?(?:m[a-z]{1,14}|semantics|scp?|inline-formula|tex-math)(?:\s[^<>]*)?/?>")


def _plain(text: str) -> str:
    """Return a title in HTML, JATS or MathML as Markdown of one line."""
    html = _JATS.sub(lambda tag: f"<{tag[1]}{_AS_HTML.get(tag[2], tag[2])}", text)
    return descriptions.inline(texts.line(_NO_HTML.sub("", _ANNOTATION.sub("", html))))
