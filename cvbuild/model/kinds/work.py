"""Education, positions, unpaid work, services and offices."""

from typing import Self

from pydantic import model_validator

from cvbuild.model.base import OneOrMany, Passage, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Bullets, Each, Head, Kind, Labelled, Links, Listed, Row
from cvbuild.model.refusals import refused
from cvbuild.model.sections import Bullet, Item, Link


class Role(Item):
    """A position at an employer."""

    title: Prose
    """Name of the position."""
    date: Date | None = None
    """When."""
    location: Prose | None = None
    """Where, if not where the employer is."""
    mentor: OneOrMany[Prose] = ()
    """Mentors."""
    advisor: OneOrMany[Prose] = ()
    """Advisors."""
    summary: Passage | None = None
    """A sentence or two."""
    keywords: OneOrMany[Prose] = ()
    """Methods and tools."""
    bullets: OneOrMany[Bullet] = ()
    """What was done and achieved."""


class Experience(Item):
    """An employer, with one role (``title``) or several (``roles``)."""

    employer: Prose | None = None
    """Company, laboratory, university; may be absent if there is a title."""
    department: Prose | None = None
    """Part of the employer."""
    title: Prose | None = None
    """The role, where there is one."""
    roles: tuple[Role, ...] = ()
    """The roles, where there are several."""
    date: Date | None = None
    """When."""
    location: Prose | None = None
    """Town and country."""
    mentor: OneOrMany[Prose] = ()
    """Mentors."""
    advisor: OneOrMany[Prose] = ()
    """Advisors."""
    url: Url | None = None
    """The employer's page."""
    summary: Passage | None = None
    """A sentence or two."""
    keywords: OneOrMany[Prose] = ()
    """Methods and tools."""
    bullets: OneOrMany[Bullet] = ()
    """What was done and achieved."""

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.title is not None and self.roles:
            hint = "put the title into the roles, or delete the roles"
            raise refused("title_and_roles", "title and roles exclude each other", hint)
        if self.employer is None and self.title is None:
            hint = "write employer:, or for work without one title:"
            raise refused("employer_or_title", "employer is missing", hint)
        return self


_WORK = (
    Labelled("advisor", "advisor", "advisors"),
    Labelled("mentor", "mentor", "mentors"),
    Row("summary"),
    Bullets("bullets"),
    Labelled("keywords", "keywords"),
)

EXPERIENCE = Kind(
    "experience",
    Experience,
    about="Positions.",
    weight=100,
    least=3,
    labels=("advisor", "advisors", "mentor", "mentors", "keywords"),
    text=(Head("title", "department", "employer"), *_WORK, Each("roles", (Head("title"), *_WORK))),
    json=Listed(
        "work",
        {"employer": "name", "title": "position", "bullets": "highlights"},
        parts="roles",
        shared=("employer", "department", "location", "url", "date"),
    ),
    example="""\
sections:
  - kind: experience
    items:
      - employer: Example Company
        title: Software engineer
        location: Springfield, Ruritania
        date: 2024-07 to present
        keywords: [C++, Kubernetes]
        bullets:
          - Made the scheduler twice as fast.
          - text: Led a team
            bullets: [three engineers, one designer]
      - employer: Sample Labs
        department: Systems Group
        roles:
          - {title: Research engineer, date: 2018 to 2019, mentor: Sam Specimen}
          - {title: Intern, date: Summer 2017}
""",
)


class Volunteer(Item):
    """Unpaid work for an organization."""

    organization: Prose
    """For whom."""
    title: Prose | None = None
    """The role: coach, treasurer."""
    location: Prose | None = None
    """Town and country."""
    date: Date | None = None
    """When."""
    url: Url | None = None
    """The organization's page."""
    links: OneOrMany[Link] = ()
    """Labelled links."""
    summary: Passage | None = None
    """A sentence or two."""
    keywords: OneOrMany[Prose] = ()
    """Methods and tools."""
    bullets: OneOrMany[Bullet] = ()
    """What was done and achieved."""


VOLUNTEER = Kind(
    "volunteer",
    Volunteer,
    about="Unpaid work.",
    weight=60,
    least=1,
    labels=("keywords",),
    text=(
        Head("title", "organization"),
        Row("summary"),
        Labelled("keywords", "keywords"),
        Bullets("bullets"),
        Links(),
    ),
    json=Listed("volunteer", {"title": "position", "bullets": "highlights"}),
    example="""\
sections:
  - kind: volunteer
    items:
      - organization: Example Library
        title: Reading coach
        date: 2021 to 2023
        bullets: [Read with forty children.]
""",
)


class Service(Item):
    """Reviewing, committees, offices."""

    role: Prose
    """Reviewer, chair, president."""
    organization: Prose | None = None
    """For whom."""
    location: Prose | None = None
    """Where."""
    date: Date | None = None
    """When."""
    url: Url | None = None
    """Its page."""
    summary: Passage | None = None
    """A sentence."""
    bullets: OneOrMany[Bullet] = ()
    """Points."""


SERVICE = Kind(
    "service",
    Service,
    about="Services and offices.",
    weight=40,
    text=(Head("role", "organization"), Row("summary"), Bullets("bullets")),
    json=Listed(
        "volunteer", {"role": "position", "bullets": "highlights"}, fixed={"type": "service"}
    ),
    example="""\
sections:
  - kind: service
    items:
      - {role: Reviewer, organization: Journal of Examples, date: 2022 to present}
""",
)


# -- degrees and stays at schools ------------------------------------------------------------------


class Education(Item):
    """A degree or a stay at a school."""

    institution: Prose
    """School or university."""
    degree: Prose | None = None
    """Ph.D., B.Sc., diploma."""
    area: Prose | None = None
    """Field of study."""
    location: Prose | None = None
    """Town and country."""
    date: Date | None = None
    """When."""
    advisor: OneOrMany[Prose] = ()
    """Advisors."""
    grade: Prose | None = None
    """Grade: GPA 4.19/4.3. One that doesn't say what it is gets a label."""
    thesis: Prose | None = None
    """Title of the thesis."""
    url: Url | None = None
    """Page of the institution."""
    courses: OneOrMany[Prose] = ()
    """Courses that were taken."""
    summary: Passage | None = None
    """A sentence or two."""
    keywords: OneOrMany[Prose] = ()
    """Subjects and methods."""
    bullets: OneOrMany[Bullet] = ()
    """What was done and achieved."""
    notes: OneOrMany[Bullet] = ()
    """Further points."""


EDUCATION = Kind(
    "education",
    Education,
    about="Degrees and schools.",
    weight=100,
    least=2,
    labels=("thesis", "advisor", "advisors", "grade", "courses", "keywords"),
    text=(
        Head("degree", "area", "institution"),
        Labelled("thesis", "thesis"),
        Labelled("advisor", "advisor", "advisors"),
        Row("grade", "grade_label"),
        Labelled("courses", "courses"),
        Row("summary"),
        Bullets("bullets"),
        Bullets("notes"),
        Labelled("keywords", "keywords"),
    ),
    json=Listed("education", {"degree": "studyType", "grade": "score", "bullets": "highlights"}),
    example="""\
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
        courses: [Compilers, Operating systems]
        notes: [Visiting student at Other University in 2022]
""",
)
