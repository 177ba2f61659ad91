"""The files that ``cvbuild new`` and ``cvbuild init`` write."""

from __future__ import annotations

import json
import re
import unicodedata

from cvbuild.inputs.schema.json_schema import APPLICATION_MODELINE, MODELINE, WORKSPACE_MODELINE

_PERSON = """\
{modeline}
# One person's CV data. docs/reference/schema.md has every key; `cvbuild check` finds errors.
# Text may have **bold**, *italic*, `code`, [links](https://example.org), x^2^ and H~2~O.

name: {name}
headline: Your position or field, in one line

contact:
  email: you@example.org
  # A phone number, a birth date, the full address: put them into <this name>.private.yaml in the
  # same folder; they are shown only with --private (docs/how-to/privacy.md).
  address: Town, Country
  # website: https://example.org
  # profiles:          # github, gitlab, linkedin, orcid, google-scholar, dblp, mastodon, …
  #   github: your-user-name

summary: >-
  Two or three sentences: who you are, what you are best at, what you look for.

template: academic       # one that `cvbuild templates` lists, or several: [academic, one-page]
# options:               # it lists these too
#   accent: "1F3A5F"
#   paper: letter
# variants:              # further documents: cvbuild build NAME --variant short
#   short:
#     template: one-page
#     without: [publication]
#     since: {{experience: 2015}}

sections:
  - kind: experience
    items:
      - employer: Example Company
        title: What you were there
        location: Town, Country
        date: 2023-04 to present     # 2020, 2020-07, 2020-07-14, Fall 2019, 2017-03 to 2019-08
        bullets:
          - What you did, and what came of it, best with a number.
          - Another point; a low `priority` is left out first if a page is full.

  - kind: education
    items:
      - institution: Example University
        degree: M.Sc.
        area: Your subject
        location: Town, Country
        date: 2019-10 to 2022-09

  - kind: publication
    items:
      - title: The title of a publication
        authors: [{name}, A. Coauthor]
        venue: Journal of Examples
        date: 2022
        links:
          - PDF: https://example.org/paper.pdf

  - kind: skill
    items:
      - name: Programming
        keywords: [Python, C++]

  - kind: language
    items:
      - language: English
        level: native
"""

APPLICATION = f"""\
{APPLICATION_MODELINE}
# One application: who applies where, with which CV and letter. `cvbuild apply example-lab` makes
# all files to send; every key is in docs/how-to/applications.md of cvbuild.

person: ada-example      # the name of a file in people/
employer: Example Lab
position: Research Scientist
# template: industry     # or variant: one of the person's variants
# deadline: 2030-06-30
# recipient:
#   name: Dr. Lin Example
#   email: jobs@example.org
# attachments: [transcript.pdf]      # PDFs in this file's folder

letter: |
  Two or three paragraphs: why this position, why you, what you would like to do there.

  An empty line begins a new one; *this* and [that](https://example.org) is Markdown.
"""

WORKSPACE = f"""\
{WORKSPACE_MODELINE}
# Settings of everybody, and of groups of people; what a person's own file says goes before them.
# `cvbuild check PERSON --settings` lists each value and where it is from.

# defaults:
#   template: [industry, one-page]
#   formats: [pdf, txt]
#   locale: en-GB
#   options:
#     accent: "1F3A5F"
#   out: cvs               # the folder of the documents

# groups:
#   students:
#     people: ["phd-*", ada-example]      # names of files in people/, or patterns
#     template: academic
"""

MAKEFILE = """\
# Builds everybody with their own templates:       make
# Builds one:                                      make PERSON=name TEMPLATE=industry LOCALE=de
# A variant that the person's file has:             make PERSON="Ada Example" VARIANT=short
.PHONY: all applications check clean
# Names are taken as they are written: neither make nor the shell looks into them.
literal = $(eval override $1 := $$(value $1))$(eval export $1)
$(foreach name,PERSON TEMPLATE VARIANT LOCALE,$(if $(value $(name)),$(call literal,$(name))))
all:
\t@cvbuild build $${TEMPLATE:+--template="$$TEMPLATE"} $${VARIANT:+--variant="$$VARIANT"} \\
\t  $${LOCALE:+--locale="$$LOCALE"} $${PERSON:+-- "$$PERSON"}
applications:
\tcvbuild apply --all
check:
\t@cvbuild check $${PERSON:+-- "$$PERSON"}
clean:
\trm -rf out
"""

GITIGNORE = "/out/\n/people/*.private.yaml\n/applications/sent/\n"


def slug(name: str) -> str:
    """Return the stem of a person's file: lower case, letters and digits joined by hyphens.

    Accents are dropped; letters without an ASCII form stay. Empty if nothing is left.
    """
    parts = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(char for char in parts if not unicodedata.combining(char))
    return re.sub(r"[\W_]+", "-", unicodedata.normalize("NFC", plain)).strip("-")[:80].strip("-")


def person(name: str, modeline: str = MODELINE) -> str:
    """Return a commented file that can be built at once."""
    quoted = json.dumps(name, ensure_ascii=False)
    return _PERSON.format(modeline=modeline, name=quoted)
