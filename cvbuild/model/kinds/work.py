"""What most people have: work and services, education, skills, languages, references."""

from typing import ClassVar, Self

from pydantic import model_validator

from cvbuild.common.diagnostics import refused
from cvbuild.model.base import Line, OneOrMany, Passage, Prose, Shorthand, Url
from cvbuild.model.kinds import (
    Apart,
    Bullets,
    Each,
    Head,
    Joined,
    Kind,
    Labelled,
    Links,
    Listed,
    Pair,
    Row,
    Run,
)
from cvbuild.model.sections import (
    Achievements,
    Bullet,
    Item,
    LinkList,
    Page,
    Points,
    Sentence,
    Sentences,
    Tools,
    Town,
    When,
    Where,
)


class Role(Item):
    """A position at an employer."""

    title: Prose
    """Name of the position."""
    date: When = None
    location: Prose | None = None
    """Where, if not where the employer is."""
    mentor: OneOrMany[Prose] = ()
    """Mentors."""
    advisor: OneOrMany[Prose] = ()
    """Advisors."""
    summary: Sentences = None
    keywords: Tools = ()
    bullets: Achievements = ()


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
    date: When = None
    location: Town = None
    mentor: OneOrMany[Prose] = ()
    """Mentors."""
    advisor: OneOrMany[Prose] = ()
    """Advisors."""
    url: Url | None = None
    """The employer's page."""
    summary: Sentences = None
    keywords: Tools = ()
    bullets: Achievements = ()

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
    text=(Head("title", "department", "employer"), *_WORK, Each("roles", (Head("title"), *_WORK))),
    json=Listed(
        "work",
        {"employer": "name", "title": "position", "bullets": "highlights"},
        parts="roles",
        shared=("employer", "department", "location", "url", "date"),
    ),
)


class Volunteer(Item):
    """Unpaid work for an organization."""

    organization: Prose
    """For whom."""
    title: Prose | None = None
    """The role: coach, treasurer."""
    location: Town = None
    date: When = None
    url: Url | None = None
    """The organization's page."""
    links: LinkList = ()
    summary: Sentences = None
    keywords: Tools = ()
    bullets: Achievements = ()


VOLUNTEER = Kind(
    "volunteer",
    Volunteer,
    about="Unpaid work.",
    weight=60,
    least=1,
    text=(
        Head("title", "organization"),
        Row("summary"),
        Labelled("keywords", "keywords"),
        Bullets("bullets"),
        Links(),
    ),
    json=Listed("volunteer", {"title": "position", "bullets": "highlights"}),
)


class Service(Item):
    """Reviewing, committees, offices."""

    role: Prose
    """Reviewer, chair, president."""
    organization: Prose | None = None
    """For whom."""
    location: Where = None
    date: When = None
    url: Page = None
    summary: Sentence = None
    bullets: Points = ()


SERVICE = Kind(
    "service",
    Service,
    about="Services and offices.",
    weight=40,
    text=(Head("role", "organization"), Row("summary"), Bullets("bullets")),
    json=Listed("volunteer", {"role": "position", "bullets": "highlights"}, type="service"),
)


class Education(Item):
    """A degree or a stay at a school."""

    institution: Prose
    """School or university."""
    degree: Prose | None = None
    """Ph.D., B.Sc., diploma."""
    area: Prose | None = None
    """Field of study."""
    location: Town = None
    date: When = None
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
    summary: Sentences = None
    keywords: OneOrMany[Prose] = ()
    """Subjects and methods."""
    bullets: Achievements = ()
    notes: OneOrMany[Bullet] = ()
    """Further points."""


EDUCATION = Kind(
    "education",
    Education,
    about="Degrees and schools.",
    weight=100,
    least=2,
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
)


class Skill(Item, Shorthand):
    """A skill, or a heading with the skills under it."""

    shorthand: ClassVar[str] = "name"
    by_language: ClassVar[bool] = True

    name: Prose
    """The skill, or what the skills have in common: Programming."""
    level: Prose | None = None
    """How well, in words."""
    keywords: OneOrMany[Prose] = ()
    """What belongs to it: Python, C++, CUDA."""


SKILL = Kind(
    "skill",
    Skill,
    about="Skills.",
    weight=70,
    least=2,
    text=(Row(Joined(Pair("name", "level"), Apart("keywords"), between=": ")),),
    json=Listed("skills"),
    run=Run("name", unless=("level", "keywords")),
    search="name",
)


class Language(Item, Shorthand):
    """A natural language."""

    shorthand: ClassVar[str] = "language"
    by_language: ClassVar[bool] = True

    language: Prose
    """The language."""
    level: Prose | None = None
    """How well: native, C1."""


LANGUAGE = Kind(
    "language",
    Language,
    about="Natural languages.",
    weight=50,
    least=1,
    json=Listed("languages", {"level": "fluency"}),
    run=Run(Pair("language", "level")),
)


class Certificate(Item):
    """A certificate."""

    name: Prose
    """Its name."""
    issuer: Prose | None = None
    """Who issued it."""
    number: Prose | None = None
    """Its number."""
    date: When = None
    url: Url | None = None
    """Where it can be checked."""
    bullets: Points = ()


CERTIFICATE = Kind(
    "certificate",
    Certificate,
    about="Certificates.",
    weight=50,
    text=(Head("name", "issuer", "number"), Bullets("bullets")),
    json=Listed("certificates", {"bullets": "highlights"}, date="date"),
)


class Reference(Item):
    """A person who can recommend the CV's person."""

    name: Prose
    """Their name."""
    title: Prose | None = None
    """Their position."""
    institution: Prose | None = None
    """Where they work."""
    relation: Prose | None = None
    """Their relation to the person: advisor."""
    email: Line | None = None
    """Their e-mail address."""
    phone: Line | None = None
    """Their phone number."""
    url: Url | None = None
    """Their page."""
    quote: Passage | None = None
    """What they say."""


REFERENCE = Kind(
    "reference",
    Reference,
    about="References.",
    weight=20,
    text=(
        Head("name", "title", "institution"),
        Row("relation"),
        Row(Joined("email", "phone")),
        Row("quote"),
    ),
    json=Listed("references", {"quote": "reference"}),
)
