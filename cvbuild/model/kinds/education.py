"""Degrees and stays at schools."""

from cvbuild.model.base import OneOrMany, Passage, Prose, Url
from cvbuild.model.dates import Date
from cvbuild.model.kinds.describe import Bullets, Head, Kind, Labelled, Listed, Row
from cvbuild.model.parts import Bullet, Item


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
