"""Examples for the documentation of the schema: pieces of a person's file, as YAML.

The examples of sections are in ``model.kinds``.
"""

from __future__ import annotations

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
  links:
    - Portfolio: https://portfolio.example.org
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
      - {title: Several dates, date: [2019, 2021]}
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
