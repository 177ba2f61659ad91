"""Examples for the documentation of the schema: pieces of a person's file, as YAML."""

from __future__ import annotations

from types import MappingProxyType

FIRST = """\
name: Ada Example
headline: Research engineer
contact:
  email: ada@example.org
  address: Springfield, Ruritania
sections:
  - kind: education
    items:
      - institution: Example University
        degree: M.Sc.
        date: 2019-10 to 2022-09
"""

CONTACT = """\
name:
  given: Ada
  family: Example
  native: 艾达
  author: [A. B. Example, Ada Exemplar]
contact:
  email:
    - ada@example.org
    - {address: a.example@university.example, label: work}
  phone: {number: +1 202 555 0123, private: true}
  website: https://ada.example.org
  profiles:
    github: ada-example
    orcid: 0000-0002-1825-0097
    mastodon: "@ada@social.example"
"""

DATES = """\
sections:
  - kind: award
    items:
      - {title: A year, date: 2020}
      - {title: A month, date: 2020-07}
      - {title: A day, date: 2020-07-14}
      - {title: A season, date: Fall 2019}
      - {title: A range, date: 2017-03 to 2019-08}
      - {title: Years, date: 2017-2019}
      - {title: An open range, date: 2017-03 to present}
      - {title: A range as a mapping, date: {start: 2017-03, end: present}}
      - {title: Words, date: {text: in press}}
"""

GROUPS = """\
sections:
  - kind: service
    title: Community
    note: Selected
    order: file
    priority: 3
    groups:
      - title: Reviewing
        items:
          - {role: Reviewer, organization: Journal of Examples, date: 2024}
      - title: Offices
        priority: 7
        items:
          - {role: Treasurer, organization: Example Society, date: 2020 to 2022}
          - {role: Guide, organization: Example Museum, private: true}
"""

OPTIONS = """\
template: [academic, one-page]
options:
  accent: "7A1F3D"      # for every template that has the option
  one-page:
    paper: letter       # for this one alone
locale: en-GB
updated: 2026-01-31
"""

VARIANTS = """\
template: [academic, short]
variants:
  short:
    template: one-page
    headline: Engineer of schedulers
    include: systems and not teaching
    without: [skill]
    since: {publication: 2020}
    limit: {publication: 5, award: 3}
    order: [summary, experience]
    titles: {publication: Selected Publications}
"""

#: A section of each kind.
SECTIONS = MappingProxyType(
    {
        "text": """\
sections:
  - kind: text
    title: About me
    items: |
      One paragraph with **bold** and *italic* words.

      Another one.
""",
        "bullets": """\
sections:
  - kind: bullets
    title: Highlights
    items:
      - Led a team of five.
      - {text: "Cut the nightly build from 90 to 7 minutes.", priority: 9}
""",
        "keywords": """\
sections:
  - kind: keywords
    items: [compilers, scheduling, numerical software]
""",
        "education": """\
sections:
  - kind: education
    items:
      - institution: Example University
        degree: Ph.D.
        area: Computer Science
        location: Springfield, Ruritania
        date: 2019-09 to 2024-06
        advisor: Grace Sample
        thesis: Schedules that hold
        grade: GPA 4.0/4.3
        notes: [Visiting student at Other University in 2022]
""",
        "experience": """\
sections:
  - kind: experience
    items:
      - employer: Example Company
        title: Software engineer
        location: Springfield, Ruritania
        date: 2024-07 to present
        bullets: [Made the scheduler twice as fast.]
      - employer: Sample Labs
        department: Systems Group
        roles:
          - {title: Research engineer, date: 2018 to 2019, mentor: Sam Specimen}
          - {title: Intern, date: Summer 2017}
""",
        "project": """\
sections:
  - kind: project
    items:
      - name: exemplar
        role: Maintainer
        url: https://example.org/exemplar
        summary: A library of examples.
        keywords: [Python, C++]
""",
        "publication": """\
sections:
  - kind: publication
    numbering: reversed
    note: "* denotes equal contribution"
    items:
      - title: Schedules that hold
        authors: [Ada Example*, Sam Specimen*, Grace Sample]
        venue: Journal of Examples
        short-venue: JEx 2024
        date: 2024
        doi: 10.1234/example.5678
        arxiv: 2401.00001
        note: Best paper
        links:
          - PDF: https://example.org/paper.pdf
          - Slides
""",
        "patent": """\
sections:
  - kind: patent
    items:
      - title: Method of giving examples
        inventors: [Ada Example, Sam Specimen]
        number: US Patent 1,234,567
        status: granted
        date: 2023
""",
        "award": """\
sections:
  - kind: award
    items:
      - {title: Example Prize, awarder: Example Society, date: 2023}
""",
        "talk": """\
sections:
  - kind: talk
    items:
      - title: How schedules hold
        type: Invited talk
        event: Example Seminar
        date: 2024-05-14
""",
        "teaching": """\
sections:
  - kind: teaching
    items:
      - course: Operating systems
        role: Teaching assistant
        instructor: Grace Sample
        date: Fall 2021
""",
        "service": """\
sections:
  - kind: service
    items:
      - {role: Reviewer, organization: Journal of Examples, date: 2022 to present}
""",
        "skill": """\
sections:
  - kind: skill
    items:
      - {name: Programming, keywords: [Python, C++]}
      - {name: Statistics, level: advanced}
""",
        "language": """\
sections:
  - kind: language
    items:
      - {language: English, level: native}
      - Ruritanian
""",
        "certificate": """\
sections:
  - kind: certificate
    items:
      - {name: Certified Exemplar, issuer: Example Board, number: EX-42, date: 2022-03}
""",
        "reference": """\
sections:
  - kind: reference
    items:
      - name: Grace Sample
        title: Professor
        institution: Example University
        relation: advisor
        email: grace@university.example
""",
        "entry": """\
sections:
  - kind: entry
    title: Exhibitions
    items:
      - title: Examples in oil
        organization: Example Gallery
        date: 2021
        bullets: [Twelve pictures.]
""",
    }
)
