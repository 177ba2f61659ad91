"""A Markdown list in a text is a list in every format, where the text may have one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import docx
import pikepdf
import pypdfium2
import pytest
import yaml
from conftest import Run

from cvbuild.model.text.lists import joined, split

ADA = """\
name: Ada Example
summary: |
  What I do:
  - Find **it**
  - Mend it
    - with [care](https://example.org/care)
  - Tell others,
    many of them

  And more.

  3. Third

  4. Fourth
sections:
  - kind: experience
    items:
      - employer: Example Corp
        summary: {en: "* Alpha\\n* Beta", de: "Nur ein Satz."}
        keywords: [C++]
        bullets: |
          - Gamma
          - Delta
            - beneath
      - employer: Sample Labs
        summary: "We did:\\n\\n1. This\\n2. That"
        bullets:
          - |
            Led a team that
              - wrote
              - tested
  - kind: text
    title: About
    items: |
      • Solo
      • Duo

      Plain.
  - kind: bullets
    title: List
    items: ["Outer\\n- inner\\n- other"]
"""
TEXT = """\
SUMMARY

What I do:
- Find it
- Mend it
  - with care (https://example.org/care)
- Tell others, many of them

And more.

3. Third
4. Fourth


EXPERIENCE

Example Corp
- Alpha
- Beta
- Gamma
- Delta
  - beneath
Keywords: C++

Sample Labs
We did:
1. This
2. That
- Led a team that
  - wrote
  - tested


ABOUT

- Solo
- Duo

Plain.


LIST

- Outer
  - inner
  - other
"""


@pytest.mark.usefixtures("requires_embedded")
def test_a_list_is_one_in_every_format(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people").mkdir()
    Path("people/ada.yaml").write_text(ADA, encoding="utf-8")
    assert run("check").code == 0
    formats = "pdf,html,docx,txt,md,json,rendercv,hugo"
    ran = run("build", "-t", "academic", "--engine", "embedded", "--format", formats)
    assert ran.code == 0, ran.err
    made = Path("out/ada/academic")
    assert made.with_suffix(".txt").read_text("utf-8") == f"Ada Example\n\n\n{TEXT}"
    markdown = made.with_suffix(".md").read_text("utf-8")
    assert "do:\n\n- Find **it**\n- Mend it\n  - with [care]" in markdown
    assert "And more.\n\n3. Third\n4. Fourth\n" in markdown
    assert "- Solo\n- Duo\n\nPlain.\n" in markdown
    about = Path(f"{made}.hugo/content/authors/admin/_index.md").read_text("utf-8")
    assert "- Find **it**\n- Mend it\n" in about
    resume = json.loads(made.with_suffix(".json").read_text("utf-8"))
    basics = resume["basics"]
    assert basics["summary"].endswith("many of them\n\nAnd more.\n\n3. Third\n4. Fourth")
    # The link has no key of JSON Resume.
    assert "[care](https://example.org/care)" in str(resume["meta"]["cvbuild"]["person"])
    html = re.sub(r"\s*\n\s*", "", made.with_suffix(".html").read_text("utf-8"))
    assert "<ul><li>Find <strong>it</strong></li><li>Mend it<ul><li>with <a" in html
    assert '<ol class="numbers"><li><span class="number">3.</span> Third</li>' in html
    sections = yaml.safe_load(Path(f"{made}.rendercv.yaml").read_text("utf-8"))["cv"]["sections"]
    assert sections["Summary"][1:4] == ["• Find **it**", "• Mend it",
                                        "– with [care](https://example.org/care)"]  # fmt: skip
    assert sections["Experience"][1]["highlights"][:2] == ["1. This", "2. That"]
    styles = {
        one.text: one.style.name if one.style else ""
        for one in docx.Document(f"{made}.docx").paragraphs
    }
    assert [styles[one] for one in ("Mend it", "beneath", "Fourth", "Plain.", "Duo")] == [
        "List Bullet", "List Bullet 2", "List Number", "Body Text", "List Bullet",
    ]  # fmt: skip
    with pikepdf.open(f"{made}.pdf") as pdf:
        kinds = [str(one.get("/S")) for one in pdf.objects if isinstance(one, pikepdf.Dictionary)]
    assert (kinds.count("/LI"), kinds.count("/L")) == (21, 11)
    with pypdfium2.PdfDocument(f"{made}.pdf") as opened:
        page = " ".join(opened[0].get_textpage().get_text_range().split())
    assert "• Tell others, many of them And more. 3. Third 4. Fourth" in page


@pytest.mark.parametrize(
    "text",
    [
        "- one", "a\n- b", "- a\n* b", "1. a\n3. b", "* a\n** b", "- a\n- b\n\nafter", "- a - b",
        "- a\n  - b\n    - c\n- d", "- a\n- b\n1. c\n2. d", "12. May\n1. June", "-a\n-b", "",
        "- a\n  1. b\n  2. c\n- d", "  - a\n- b\n- c",
    ],
)  # fmt: skip
def test_what_is_no_list(text: str) -> None:
    assert split(text) is None


def test_what_a_list_is() -> None:
    found = split("Before\nand\n\n- a\nlazy\n- b\n\n  more\n  + c\n    still\n")
    assert found
    before, points = found
    assert before == "Before\nand"
    assert [(one.text, one.below) for one in points] == [
        ("a\nlazy", []),
        ("b\n  more", ["c\n    still"]),
    ]
    assert joined(["x", "- a", "- b", "y", "1. c", "2. d", "- e"]) == [
        "x", "- a\n\n- b", "y", "1. c\n\n2. d", "- e",
    ]  # fmt: skip
