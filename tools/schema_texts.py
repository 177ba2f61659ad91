"""The prose of docs/reference/schema.md, and its pieces of a person's file."""

from __future__ import annotations

INTRO = """\
# A person's file

<!-- Written by `make docs` from the models; don't edit. -->

One YAML file per person: `people/<name>.yaml`. Only `name` is required. The first line tells
editors where the schema is, so that they complete and check what you type:

```yaml
# yaml-language-server: $schema=../docs/profile.schema.json
{first}```

`cvbuild check` shows each error with its line and column and a fix. A value is exactly
what you wrote: `no` stays "no", `1.10` stays "1.10". An empty value counts as absent. Any
value may be written `{{value: …, private: true}}`: then only private builds show it, see
[privacy.md](../how-to/privacy.md).
"""
TEXT = """\
## Values

| word | means |
|---|---|
| text | one line of plain text |
| short text | one line of plain text, or [one per language](../how-to/languages.md) |
| rich text | text with inline Markdown, see below, or [one per language](../how-to/languages.md) |
| date | see [Dates](#dates) |
| web address | http, https, mailto or tel; without a scheme it is https |
| 0–9 | a whole number |
| rule | tags, joined by `and`, `or`, `not` and brackets: `systems and not (teaching or service)` |
| … or a list | one value, or several after dashes or in brackets |

Rich text:

| written | means |
|---|---|
| `**bold**` | bold |
| `*italic*` | italic |
| `` `code` `` | typewriter face, every character as it is |
| `[words](https://example.org)` | a link; one with a title is an error, as no title is shown |
| `x^2^`, `H~2~O` | superscript, subscript (no spaces inside) |
| `\\*`, `\\_`, `\\^`, `\\~` | the character itself; characters special to TeX need nothing |
| `\\` at the end of a line | a line break |

HTML and TeX are printed as the characters they are, and `cvbuild check` warns of what looks like
them, except in `code`: `&eacute;`, `<b>`, `\\textbf{…}`, `$n^2$`.
Straight quotes become those of the language.
Signs of code and figures are no marks: `10^3-10^5`, `~20%-~30%`, `M*N*K`, `__init__`, `src/*.py`.
`cvbuild check` warns of what may be either, such as `~main~`.

A `summary`, a `note`, a `quote`, and an item of the kinds text and bullets, may have a list, at its
end or alone.
Write the text after `|`, so that YAML keeps its lines:

```yaml title="people/ada-example.yaml"
name: Ada Example
summary: |
  What I do:
  - Find what is slow
  - Mend it
    - with care
```

Two or more lines that begin with `-`, `*`, `+`, `•` or with numbers in their order (`1.`, `2.`)
are a list, which may have a second level. All formats show it as one. In any other text, such as a
title, they are an error.

A warning tells of a text that is not what it seems: a character that is invisible, or a letter of
another alphabet in a word, in a name, a headline or an address; marks that turn the order of
letters, in any text. It also tells of `null`, `Null` or `~`, which YAML reads as nothing, and of a
text that YAML may have cut: `Knows C # and F#` ends before the ` #`, which begins a comment. In a
real comment, two spaces before the `#` silence it.
"""
DATES = """\
## Dates

A year, a month, a day, a season, a range, an open range; a list of these, which is as new as its
newest; or words.
They are printed in the form of the person's `locale`, and items are sorted by them, newest first:
the latest end, then the latest start; equal dates keep the file's order. Words have the place of a
year in them; words without one, such as "in press", come last.

| written | means |
|---|---|
| `2017-03`, `2017/03`, `03/2017`, `March 2017`, `Mar. 2017` | a month; its name in English |
| `2016-09-01`, `Sep 1, 2016`, `1 September 2016` | a day |
| `Fall 2019`, `Autumn 2019` | a season |
| `2017-03 to 2019-08`, `Mar 2017 – Aug 2019`, `2017-2019`, `Jun – Aug 2019` | a range |
| `2017-03 to present`, `2017-now`, `2017 -`, `since 2017` | a range that goes on |
| `{start: 2017-03}` | the same: it goes on. A single date is `date: 2017-03` |
| `2026 (expected)`, `expected May 2026`, `2022 to 2026 (expected)` | a date that is still to come |
| `{text: in press}` | words |

A date that can be read in two ways, such as 05/07/2020, is an error.

"""
SECTIONS = """\
## Sections

`sections` is a list; each section has a `kind` and `items`, or `groups` of items with
sub-headings, or both. All kinds have these keys:

"""
PROFILES = """\
### Profiles

Accounts by network: what stands in the place of `…`, or the whole address of the page; or a list.
"""
SHARED = """\
### Keys of many kinds

"""
VARIANTS = """\
## Variants

A variant is another document of the person: `out/<person>/<variant>.pdf`, with its own selection,
order and headline; see [variants.md](../how-to/variants.md). It names a section by its `id`, else
by its `kind`; `summary` and `interests` are sections too.

"""

# Pieces of a person's file; those of sections are in ``model.kinds``.
FIRST_EXAMPLE = """\
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

CONTACT_EXAMPLE = """\
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

DATES_EXAMPLE = """\
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

GROUPS_EXAMPLE = """\
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

OPTIONS_EXAMPLE = """\
template: [academic, one-page]
options:
  accent: "7A1F3D"      # for every template that has the option
  one-page:
    paper: letter       # for this one alone
locale: en-GB
updated: 2026-01-31
"""

VARIANTS_EXAMPLE = """\
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
