"""The words that a document needs and nobody writes: headings, labels, dates; by language.

Month names and the order of a date's parts are CLDR's, through Babel; CLDR has no "present" and
no headings of a CV, so these stand here. A language that isn't here gets the English words.
"""

from __future__ import annotations

from datetime import date as Day
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from cvbuild.model.dates import Date, Point

if TYPE_CHECKING:
    from babel import Locale

_EN = {
    "present": "present", "spring": "Spring", "summer": "Summer", "fall": "Fall",
    "winter": "Winter", "advisor": "Advisor", "mentor": "Mentor", "thesis": "Thesis",
    "instructor": "with", "quotes": "“”‘’", "references-me": "Relation",
    "summary": "Summary", "interests": "Interests", "text": "About", "bullets": "Highlights",
    "keywords": "Keywords", "education": "Education", "experience": "Experience",
    "project": "Projects", "publication": "Publications", "patent": "Patents",
    "award": "Honors and Awards", "talk": "Talks", "teaching": "Teaching",
    "service": "Service", "skill": "Skills", "language": "Languages",
    "certificate": "Certificates", "reference": "References", "entry": "Further Experience",
}  # fmt: skip
_WORDS = {
    "en": _EN,
    "en-GB": {"fall": "Autumn", "award": "Honours and Awards", "quotes": "‘’“”"},
    "de": {
        "present": "heute", "spring": "Frühjahr", "summer": "Sommer", "fall": "Herbst",
        "winter": "Winter", "advisor": "Betreuung", "mentor": "Mentor", "thesis": "Abschlussarbeit",
        "instructor": "mit", "quotes": "„“‚‘", "references-me": "Beziehung",
        "summary": "Profil", "interests": "Interessen", "text": "Über mich",
        "bullets": "Schwerpunkte", "keywords": "Stichworte", "education": "Ausbildung",
        "experience": "Berufserfahrung", "project": "Projekte", "publication": "Publikationen",
        "patent": "Patente", "award": "Auszeichnungen", "talk": "Vorträge", "teaching": "Lehre",
        "service": "Engagement", "skill": "Kenntnisse", "language": "Sprachen",
        "certificate": "Zertifikate", "reference": "Referenzen", "entry": "Weitere Erfahrung",
    },
    "fr": {
        "present": "aujourd’hui", "spring": "printemps", "summer": "été", "fall": "automne",
        "winter": "hiver", "advisor": "Direction", "mentor": "Encadrement", "thesis": "Thèse",
        "instructor": "avec", "quotes": "“”‘’", "references-me": "Relation",
        "summary": "Profil", "interests": "Centres d’intérêt", "text": "À propos",
        "bullets": "Points forts", "keywords": "Mots-clés", "education": "Formation",
        "experience": "Expérience", "project": "Projets", "publication": "Publications",
        "patent": "Brevets", "award": "Distinctions", "talk": "Conférences",
        "teaching": "Enseignement", "service": "Responsabilités", "skill": "Compétences",
        "language": "Langues", "certificate": "Certifications", "reference": "Références",
        "entry": "Autres expériences",
    },
    "es": {
        "present": "actualidad", "spring": "primavera", "summer": "verano", "fall": "otoño",
        "winter": "invierno", "advisor": "Dirección", "mentor": "Mentor", "thesis": "Tesis",
        "instructor": "con", "quotes": "“”‘’", "references-me": "Relación",
        "summary": "Perfil", "interests": "Intereses", "text": "Sobre mí",
        "bullets": "Puntos destacados", "keywords": "Palabras clave", "education": "Formación",
        "experience": "Experiencia", "project": "Proyectos", "publication": "Publicaciones",
        "patent": "Patentes", "award": "Premios y distinciones", "talk": "Ponencias",
        "teaching": "Docencia", "service": "Servicios", "skill": "Competencias",
        "language": "Idiomas", "certificate": "Certificados", "reference": "Referencias",
        "entry": "Otra experiencia",
    },
    "pl": {
        "present": "obecnie", "spring": "wiosna", "summer": "lato", "fall": "jesień",
        "winter": "zima", "advisor": "Promotor", "mentor": "Opiekun", "thesis": "Praca dyplomowa",
        "instructor": "z", "quotes": "„”‚’", "references-me": "Relacja",
        "summary": "Profil", "interests": "Zainteresowania", "text": "O mnie",
        "bullets": "Najważniejsze", "keywords": "Słowa kluczowe", "education": "Wykształcenie",
        "experience": "Doświadczenie", "project": "Projekty", "publication": "Publikacje",
        "patent": "Patenty", "award": "Nagrody i wyróżnienia", "talk": "Wystąpienia",
        "teaching": "Dydaktyka", "service": "Działalność", "skill": "Umiejętności",
        "language": "Języki", "certificate": "Certyfikaty", "reference": "Referencje",
        "entry": "Inne doświadczenie",
    },
}  # fmt: skip


@cache
def words(locale: str) -> MappingProxyType[str, str]:
    """The words of a BCP 47 locale: those of its language, its region's own before them."""
    language = locale.split("-", maxsplit=1)[0].lower()
    return MappingProxyType(_EN | _WORDS.get(language, {}) | _WORDS.get(locale, {}))


@cache
def _babel(locale: str) -> Locale:
    from babel import Locale

    return Locale.parse(locale, sep="-")


def date_text(date: Date, locale: str) -> str:
    """The date as a reader of the locale expects it; a range has an en dash."""
    if date.start is None:
        return date.text or ""
    first = _point(date.start, locale)
    if date.present:
        return f"{first} – {words(locale)['present']}"
    if date.end is None or date.end == date.start:
        return first
    years_only = not any(point.month or point.season for point in (date.start, date.end))
    dash = "–" if years_only else " – "
    return f"{first}{dash}{_point(date.end, locale)}"


def _point(point: Point, locale: str) -> str:
    from babel.dates import format_skeleton

    if point.season:
        return f"{words(locale)[point.season]} {point.year}"
    day = Day(point.year, point.month or 1, point.day or 1)
    skeleton = "yMMMd" if point.day else "yMMM" if point.month else "y"
    return str(format_skeleton(skeleton, day, locale=_babel(locale)))
