"""Which addresses may stand in a document, and that they come out of the PDF as they went in."""

from __future__ import annotations

import string
from pathlib import Path
from urllib.parse import quote

import deep
import pikepdf
import pytest
from conftest import Run

from cvbuild.model.text import urls
from cvbuild.model.text.urls import UrlError, display, normalise

GOOD = {
    "https://example.org": "https://example.org",
    "example.org/a": "https://example.org/a",
    "www.example.org": "https://www.example.org",
    "HTTPS://Example.ORG/Path": "https://example.org/Path",
    "http://example.org:8080/": "http://example.org:8080/",
    "example.org:8080/x": "https://example.org:8080/x",
    "localhost:8000": "https://localhost:8000",
    "ada@example.org": "mailto:ada@example.org",
    "mailto:ada@example.org?subject=a b": "mailto:ada@example.org?subject=a%20b",
    "tel:+12025550123": "tel:+12025550123",
    "https://example.org/a b": "https://example.org/a%20b",
    "https://example.org/100%": "https://example.org/100%25",
    "https://example.org/%41%zz": "https://example.org/%41%25zz",
    "https://example.org/ü?q=ß#é": "https://example.org/%C3%BC?q=%C3%9F#%C3%A9",
    "https://bücher.example/": "https://xn--bcher-kva.example/",
    "https://example.org/\\input{x}": "https://example.org/%5Cinput%7Bx%7D",
    'https://example.org/<a>"^`|': "https://example.org/%3Ca%3E%22%5E%60%7C",
    "https://[2001:db8::1]/x": "https://[2001:db8::1]/x",
    "https://user:pass@example.org/": "https://user:pass@example.org/",
    "  https://example.org/x  ": "https://example.org/x",
}
BAD = (
    "", "  ", "javascript:alert(1)", "JavaScript:alert(1)", " javascript:x", "data:text/html,x",
    "file:///etc/passwd", "file:x", "ftp://example.org", "vbscript:x", "run:calc.exe",
    "about:blank", "view-source:https://example.org", "blob:https://example.org/x", "ms-word:x",
    "/etc/passwd", "./x", "../x", "#top", "?q", "\\\\server\\share", "https://", "https:///x",
    "https://:80", "https://exa mple.org", "https://example.org:99999", "https://example.org:x",
    "https://[::1", "https://exa{mple.org", "https://a\\b", "mailto:", "tel:", "mailto: ",
    "java\nscript:alert(1)", "java\tscript:alert(1)",
)  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_what_is_allowed(text: str) -> None:
    assert normalise(text) == GOOD[text]
    assert normalise(GOOD[text]) == GOOD[text], "normalising twice changes nothing"
    assert GOOD[text].isascii()


@pytest.mark.parametrize("text", BAD)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(UrlError) as caught:
        normalise(text)
    assert str(caught.value)
    assert len(str(caught.value)) < 120


def test_only_these_characters_are_ever_left() -> None:
    allowed = set(string.ascii_letters + string.digits + "-._~:/?#[]@!$&'()*+,;=%")
    everything = "".join(map(chr, [*range(32, 0x250), 0x2028, 0x202E, 0xFFFD, 0x1F600]))
    made = normalise("https://example.org/" + everything)
    assert set(made) <= allowed
    assert len(made) > 1000


def test_a_long_address_is_cut_in_a_message() -> None:
    assert len(urls.shown("x" * 1000)) == 63
    with pytest.raises(UrlError, match="…"):
        normalise("/" + "x" * 1000)


@pytest.mark.parametrize(
    ("url", "short"),
    [
        ("https://www.example.org/", "example.org"),
        ("http://example.org/a/", "example.org/a"),
        ("mailto:ada@example.org", "ada@example.org"),
        ("https://wwwx.example.org", "wwwx.example.org"),
        ("https://www.linkedin.com/in/j%C3%BCrgen-%E4%BD%A0/", "linkedin.com/in/jürgen-你"),
        (
            "https://xn--bcher-kva.example/b/xn--bcher-kva?q=%C3%9F",
            "bücher.example/b/xn--bcher-kva?q=ß",
        ),
        # What isn't clear to a reader, or runs right to left, stays as it is in the link.
        (
            "https://example.org/%20%ff%E2%80%8B%F0%9F%98%80",
            "example.org/%20%ff%E2%80%8B%F0%9F%98%80",
        ),
        ("https://example.org/%D9%81%D8%A7", "example.org/%D9%81%D8%A7"),
    ],
)
def test_the_short_address(url: str, short: str) -> None:
    assert display(url) == short


#: Every character that can be in a URL, percent-encoded ones too.
RICH = "https://example.org/a-b_c~d!$&'()*+,;=:@%7B%5C%23/" + quote("\\{}^ü") + "?q=1&r=#f_g&h~%25"


@pytest.mark.parametrize("engine", deep.but(["embedded"], ["pdflatex", "embedded"]))
@pytest.mark.usefixtures("here")
def test_links_come_out_of_the_pdf_as_they_went_in(engine: str, run: Run) -> None:
    from texlive import engine_of

    engine_of(engine)
    assert normalise(RICH) == RICH
    doi = "10.1002/(SICI)1096-8644(199601)99:1<1::AID-AJPA1>3.0.CO;2-1"
    Path("ada.yaml").write_text(
        f"""\
name: Ada Example
contact: {{email: "o'ada_x%y@example.org", phone: "+1 202 555 0123", website: "{RICH}1"}}
sections:
  - kind: publication
    items:
      - title: "Linked in Markdown: [here](<{RICH}2>) and <{RICH}3>"
        authors: [A. Example]
        doi: "{doi}"
        links: [{{PDF: "{RICH}4"}}]
  - kind: award
    items: [{{title: A prize, url: "{RICH}5"}}]
  - kind: bullets
    items: ['[**bold**](https://example.org/{{}}\\\\x%#)']
""",
        encoding="utf-8",
    )
    ran = run("build", "ada.yaml", "--engine", engine)
    assert ran.code == 0, ran.err
    with pikepdf.open("out/ada/academic.pdf") as document:
        links = [
            str(annotation["/A"]["/URI"])
            for page in document.pages
            for annotation in page.get("/Annots", [])
        ]
    wanted = [
        "mailto:o'ada_x%25y@example.org",
        "tel:+12025550123",
        *(f"{RICH}{number}" for number in range(1, 6)),
        normalise(f"https://doi.org/{doi}"),
        "https://example.org/%7B%7D%5Cx%25",
    ]
    assert set(wanted) - set(links) == set()
    assert set(links) - set(wanted) == set()
