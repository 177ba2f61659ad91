"""What a heading of a CV announces: the kind of a section by its title, in several languages."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from types import MappingProxyType

#: Not kinds of sections, but keys of the person.
SUMMARY, INTERESTS = "summary", "interests"
#: Titles by kind and language, folded: small letters without accents. A star at the end stands for
#: any further words. What the tables of ``locales`` call a section is known besides.
_TITLES = MappingProxyType(
    {
        SUMMARY: {
            "en": "summary|profile|professional profile|professional summary|executive summary"
            "|career summary|objective|career objective|about|about me|personal statement"
            "|personal profile|research statement|bio|who am i|biography|introduction"
            "|short biography",
            "de": "profil|kurzprofil|zusammenfassung|uber mich|zur person|ziel",
            "fr": "profil|resume|a propos|a propos de moi|objectif|presentation",
            "es": "perfil|perfil profesional|resumen|sobre mi|objetivo|presentacion",
        },
        INTERESTS: {
            "en": "interests|interests and hobbies|hobbies|hobbies and interests"
            "|personal interests|research interests|areas of interest|fields of interest",
            "de": "interessen|hobbys|hobbies|interessen und hobbys|hobbys und interessen"
            "|forschungsinteressen|freizeit",
            "fr": "interets|centres d'interet|loisirs|centres d'interets|interets de recherche",
            "es": "intereses|aficiones|pasatiempos|intereses de investigacion",
        },
        "education": {
            "en": "education|academic background|academic education|education and training"
            "|educational background|academic qualifications|degrees|qualifications|studies"
            "|formal education|school education|schooling",
            "de": "ausbildung|bildung|bildungsweg|studium|schulbildung|akademische ausbildung"
            "|ausbildung und studium|studium und ausbildung|schule und studium|hochschulbildung",
            "fr": "formation|formations|etudes|diplomes|education|formation academique|scolarite"
            "|parcours academique|parcours universitaire|formation universitaire",
            "es": "formacion|formacion academica|educacion|estudios",
        },
        "experience": {
            "en": "experience|experiences|work experience|professional experience|employment"
            "|employment history|work history|work|career|career history|positions"
            "|academic positions|appointments|academic appointments|research experience"
            "|industry experience|industrial experience|academic experience|positions held"
            "|occupation|occupations|industry"
            "|internships|professional appointments|academic employment|relevant experience"
            "|experience highlights|vocational|professional background|other experience"
            "|experience and employment|current position|previous positions|miscellaneous jobs",
            "de": "berufserfahrung|erfahrung|erfahrungen|berufliche erfahrung|praktika|werdegang"
            "|beruflicher werdegang|berufspraxis|arbeitserfahrung|berufstatigkeit"
            "|praktische erfahrung|berufliche stationen|beruf",
            "fr": "experience|experiences|experience professionnelle|experiences professionnelles"
            "|parcours professionnel|emplois|stages|experience de recherche",
            "es": "experiencia|experiencia profesional|experiencia laboral|trayectoria profesional"
            "|empleo|practicas|experiencia investigadora",
        },
        "volunteer": {
            "en": "volunteer|volunteering|volunteer work|volunteer experience|voluntary work"
            "|volunteering experience|community work|volunteer activities",
            "de": "ehrenamt|ehrenamter|ehrenamtliches engagement|freiwilligenarbeit"
            "|ehrenamtliche tatigkeit|ehrenamtliche tatigkeiten",
            "fr": "benevolat|engagement benevole|volontariat|vie associative"
            "|engagements associatifs",
            "es": "voluntariado|experiencia como voluntario",
        },
        "project": {
            "en": "projects|project|side projects|personal projects|selected projects"
            "|research projects|open source|open source projects|open-source projects"
            "|software|software projects|key projects|academic projects|portfolio",
            "de": "projekte|eigene projekte|ausgewahlte projekte|forschungsprojekte",
            "fr": "projets|projet|projets personnels|logiciels|projets de recherche",
            "es": "proyectos|proyectos personales|proyectos de investigacion",
        },
        "publication": {
            "en": "publications|publication|selected publications|papers|journal papers"
            "|journal articles|conference papers|articles|publications and preprints|preprints"
            "|list of publications|refereed publications|peer-reviewed publications|books"
            "|research papers",
            "de": "publikationen|veroffentlichungen|ausgewahlte publikationen|schriften"
            "|publikationsliste|schriftenverzeichnis",
            "fr": "publications|articles|publications choisies|travaux",
            "es": "publicaciones|articulos|publicaciones seleccionadas",
        },
        "patent": {
            "en": "patents|patent|patents and applications",
            "de": "patente",
            "fr": "brevets",
            "es": "patentes",
        },
        "award": {
            "en": "awards|honors|honours|honors & awards|honours & awards|honors and awards"
            "|awards and honors|awards & honors|honours and awards|awards and honours|prizes"
            "|fellowships|scholarships|scholarships and awards|awards and scholarships"
            "|achievements|awards and achievements|fellowships and awards|awards and prizes"
            "|awards and fellowships|distinctions|honors, awards and scholarships|accomplishments"
            "|awards and distinctions|honors and scholarships|recognition|academic achievements"
            "|grants and awards|awards and grants",
            "de": "auszeichnungen|preise|stipendien|ehrungen|preise und auszeichnungen"
            "|auszeichnungen und preise|stipendien und auszeichnungen"
            "|auszeichnungen und stipendien|stipendien und preise|preise und stipendien",
            "fr": "prix|distinctions|prix et distinctions|recompenses|bourses"
            "|bourses et distinctions|bourses et prix",
            "es": "premios|premios y becas|becas|distinciones|premios y distinciones|logros"
            "|becas y premios|reconocimientos",
        },
        "grant": {
            "en": "grants|funding|research grants|research funding|grants and funding"
            "|external funding|third-party funding",
            "de": "drittmittel|forderungen|drittmittelprojekte",
            "fr": "financements|subventions",
            "es": "subvenciones|financiacion",
        },
        "talk": {
            "en": "talks|presentations|presentation|invited talks|talks and presentations"
            "|conference talks|selected talks|lectures|invited lectures|speaking"
            "|conference presentations|conferences|public speaking|talks and tutorials|posters",
            "de": "vortrage|prasentationen|eingeladene vortrage|konferenzbeitrage",
            "fr": "conferences|presentations|exposes|communications|interventions",
            "es": "ponencias|conferencias|presentaciones|charlas",
        },
        "teaching": {
            "en": "teaching|teaching experience|courses taught|teaching assistantships"
            "|teaching and supervision|courses|teaching activities",
            "de": "lehre|lehrerfahrung|lehrtatigkeit|lehrveranstaltungen",
            "fr": "enseignement|enseignements|activites d'enseignement",
            "es": "docencia|experiencia docente|ensenanza",
        },
        "service": {
            "en": "service|services|professional service|academic service|community service"
            "|program committees|programme committees|reviewing|memberships|committees"
            "|professional activities|professional memberships|service to the profession"
            "|extracurricular|extracurricular activity|extracurricular activities|leadership"
            "|activities|leadership and activities|professional affiliations|affiliations"
            "|editorial activities|peer review|leadership experience|program committee"
            "|extra-curricular activities|outreach",
            "de": "engagement|gremien|gremienarbeit|mitgliedschaften|gutachtertatigkeit|aktivitaten"
            "|soziales engagement|gesellschaftliches engagement",
            "fr": "responsabilites|engagements|activites extrascolaires|activites|relectures"
            "|responsabilites collectives",
            "es": "servicios|actividades|actividades extracurriculares|comites|membresias",
        },
        "skill": {
            "en": "skills|technical skills|computer skills|programming skills|technologies"
            "|technical proficiencies|core competencies|competencies|expertise|tools|strengths"
            "|programming|it skills|key skills|skills and expertise|technical expertise"
            "|technical strengths|skills and tools|areas of expertise|technical knowledge"
            "|programming languages|core skills|skill matrix|software skills|other skills",
            "de": "kenntnisse|fahigkeiten|edv-kenntnisse|it-kenntnisse|kompetenzen"
            "|fachkenntnisse|technische kenntnisse|computerkenntnisse|edv|fertigkeiten"
            "|kenntnisse und fahigkeiten|programmierkenntnisse|weitere kenntnisse",
            "fr": "competences|competences techniques|informatique|competences informatiques"
            "|outils|savoir-faire",
            "es": "competencias|habilidades|aptitudes|conocimientos|informatica"
            "|habilidades tecnicas|conocimientos informaticos|competencias tecnicas",
        },
        "language": {
            "en": "languages|language skills|spoken languages|natural languages",
            "de": "sprachen|sprachkenntnisse|fremdsprachen",
            "fr": "langues|competences linguistiques",
            "es": "idiomas|lenguas",
        },
        "certificate": {
            "en": "certificates|certifications|certificate|certification|licenses"
            "|licenses and certifications|certifications and licenses|licences|training"
            "|certificates and training|trainings|courses and certificates"
            "|certifications and training|professional development|online courses",
            "de": "zertifikate|zertifizierungen|weiterbildung|weiterbildungen|fortbildungen"
            "|zertifikate und weiterbildungen|fuhrerschein",
            "fr": "certifications|certificats|permis",
            "es": "certificados|certificaciones|cursos",
        },
        "reference": {
            "en": "references|referees|recommendations|academic references",
            "de": "referenzen",
            "fr": "references",
            "es": "referencias",
        },
    }
)
#: A kind by a word of a longer title: "Selected Honors" is one of awards.
_WORDS = MappingProxyType(
    {
        "publications": "publication", "papers": "publication", "publikationen": "publication",
        "talks": "talk", "vortrage": "talk", "presentations": "talk",
        "awards": "award", "honors": "award", "honours": "award", "auszeichnungen": "award",
        "scholarships": "award", "patents": "patent", "grants": "grant", "teaching": "teaching",
        "education": "education", "employment": "experience", "experience": "experience",
        "berufserfahrung": "experience", "experiences": "experience", "experiencia": "experience",
        "projects": "project", "projekte": "project", "projets": "project", "proyectos": "project",
        "skills": "skill", "technologies": "skill", "kenntnisse": "skill",
        "competences": "skill", "languages": "language",
        "sprachen": "language", "certifications": "certificate", "certificates": "certificate",
        "references": "reference", "volunteer": "volunteer", "volunteering": "volunteer",
        "service": "service",
        "services": "service", "committees": "service", "memberships": "service",
        "interests": INTERESTS, "hobbies": INTERESTS, "summary": SUMMARY,
    }
)  # fmt: skip


#: Titles of what is in the head elsewhere.
_CONTACT = frozenset(
    ("contact", "contact information", "contact details", "contact info", "contacts",
     "personal information", "personal details", "personal data", "personal info", "kontakt",
     "kontaktdaten", "personliche daten", "personliche angaben", "coordonnees",
     "informations personnelles", "contacto", "datos personales", "informacion personal",
     "informacion de contacto", "contact me", "get in touch", "find me online", "details",
     "contatti", "kontaktinformationen")
)  # fmt: skip
#: Characters of a heading.
_LONGEST = 120


def folded(title: str) -> str:
    """Return a title in small letters, without accents, numbers before it and a colon after it."""
    text = unicodedata.normalize("NFKD", title.replace("’", "'").casefold())
    text = "".join(char for char in text if not unicodedata.combining(char))
    text = re.sub(r"\s*(?:&|\+|/|\bund\b|\by\b|\bet\b|\band\b)\s*", " and ", text)
    text = re.sub(r"^\W*(?:\d+[.)]\s*)?|[\W]+$", "", text)
    return " ".join(text.split())


def kind_of(title: str) -> tuple[str, str] | None:
    """Return the kind that a title announces, ``summary`` or ``interests``, and its language.

    None if the title is unknown. A title that several languages have is English.
    """
    if len(title) > _LONGEST:
        return None
    text = folded(title)
    if found := _known().get(text) or _own().get(text):
        return found
    words = text.split()
    kinds = {_WORDS[bare] for word in words if (bare := word.strip(",;:")) in _WORDS}
    # Grants among awards are awards.
    kinds -= {"grant"} if kinds == {"award", "grant"} else set()
    if len(kinds) == 1 and len(words) <= 5:
        return kinds.pop(), ""
    return None


def exact_kind_of(title: str) -> str | None:
    """Return the kind that a title announces as a whole, "contact" too; None if it is unknown."""
    if is_contact(title):
        return "contact"
    text = folded(title)
    found = _known().get(text) or _own().get(text) if len(title) <= _LONGEST else None
    return found[0] if found else None


def is_contact(title: str) -> bool:
    """Return whether how to reach the person is below a title."""
    return folded(title) in _CONTACT


def is_title(text: str) -> bool:
    """Return whether a text is a known title."""
    return is_contact(text) or kind_of(text) is not None


def parted(text: str) -> str:
    """Return a known title whose words have no blanks between them as it is usually written."""
    known = {title.replace(" ", ""): title for title in (*_known(), *_CONTACT)}
    found = known.get(folded(text).replace(" ", ""))
    return found.upper() if found and " " not in text and " " in found else text


@cache
def _known() -> dict[str, tuple[str, str]]:
    """Return the kind and the language of each folded title."""
    found: dict[str, tuple[str, str]] = {}
    for language in ("en", "de", "fr", "es"):
        for kind, titles in _TITLES.items():
            for title in titles[language].split("|"):
                found.setdefault(folded(title), (kind, language))
    return found


@cache
def _own() -> dict[str, tuple[str, str]]:
    """Return the kind and the language of each title that kinds have without one."""
    from cvbuild.model.locales.words import known

    return {
        folded(own_title(kind, language)): (kind, language)
        for language in sorted(known())
        for kind in _TITLES
    }


@cache
def words() -> frozenset[str]:
    """Return the words of all titles, folded."""
    return frozenset(word for title in (*_known(), *_WORDS) for word in re.findall(r"\w+", title))


def has_no_other_words(title: str) -> bool:
    """Return whether each word of a title is one of known titles: then a key says all of it."""
    return words().issuperset(re.findall(r"\w+", folded(title)))


def says_interests(title: str, language: str) -> bool:
    """Return whether a title of interests says about what the key's own heading says."""
    own = folded(own_title(INTERESTS, language))
    return any(word in folded(title) for word in ("intere", own) if word)


def own_title(kind: str, language: str) -> str:
    """Return the heading that a kind has without a title, in a language."""
    from cvbuild.model.locales.words import table

    return table(language or "en").words.get(kind, "")
