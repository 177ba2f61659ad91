"""Compare an advertisement with a document, and with everything in its person's file."""

from __future__ import annotations

from dataclasses import dataclass

from cvbuild.applications.match import compare, lexicon, terms
from cvbuild.applications.match.advert import Advert
from cvbuild.applications.match.compare import FoundTerm, Match, Unit
from cvbuild.building import plan
from cvbuild.common.diagnostics import Diagnostic, FieldPath, Span
from cvbuild.common.errors import ProfileError
from cvbuild.inputs import localize
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Task
from cvbuild.outputs.types import Shown
from cvbuild.selection import select
from cvbuild.view import builder

#: How many characters a title may have.
_WORDS = 70
#: Keys of a person that a variant may override.
_TEXTS = ("headline", "summary")


@dataclass(frozen=True, slots=True)
class Compared:
    """A match and what was compared; ``profile`` is all of the person, ``source`` their file.

    ``language`` is the advertisement's.
    """

    language: str
    match: Match
    job: Advert
    chosen: Shown
    profile: Profile
    source: Source

    def title(self, unit: Unit) -> str:
        """Return the first words of an item."""
        try:
            profile = self.chosen.task.profile if unit.why is None else self.profile
            return select.words_of(profile, unit.path)
        except (AttributeError, IndexError):
            return unit.texts[0][:_WORDS]

    def span(self, unit: Unit) -> Span:
        """Return its position in the person's file, or in the variant that overrides it."""
        here = self.chosen.task.source if unit.why is None else self.source
        return here.span(unit.path)

    def as_json(self) -> dict[str, object]:
        """Return a plain object for ``--json``."""
        task = self.chosen.task
        return {
            "language": self.language,
            "person": task.person.name,
            "variant": task.variant,
            "template": task.template,
            "job": self.job.name,
            "terms": [_plain(one, self) for one in self.match.found],
            "diagnostics": [],
        }


def run(
    task: Task, library: Library, locale: str | None, job: Advert, language: str | None
) -> Compared:
    """Compare a document in the language ``locale`` with an advertisement in ``language``.

    Both are the document's own if they are None. Raises ProfileError for an advertisement without
    terms, UsageError for a package of the extra ``match`` that isn't installed.
    """
    chosen = plan.choose(task, library, locale)
    language = language or chosen.task.profile.locale
    words = lexicon.load(language)
    job_terms = terms.find(job.lines, words)
    if not job_terms:
        hint = "save what a browser shows of the advertisement as text"
        fault = Diagnostic(
            "error", "job-empty", "there are no terms in this file", Span(job.name), hint
        )
        raise ProfileError([fault])
    # All texts of the person, in the document's language.
    profile, _ = localize.localize(task.profile, task.source, chosen.task.profile.locale)
    shown, left_out = compare.divide(
        builder.build(select.select(profile, {}), chosen.options),
        builder.build(chosen.selected, chosen.options),
        lambda path: _why(chosen, path),
    )
    found = compare.match(job_terms, shown, left_out, words)
    return Compared(language, found, job, chosen, profile, task.source)


def _why(chosen: Shown, path: FieldPath) -> str:
    """Return why a document leaves out what is at a path."""
    for one in chosen.selected.out:
        if path[: len(one.path)] == one.path:
            return one.located(chosen.task.source)
    name = chosen.task.name
    return f"{name} has a {path[0]} of its own" if path[0] in _TEXTS else f"not in {name}"


def _plain(one: FoundTerm, compared: Compared) -> dict[str, object]:
    term = one.term
    places = [(unit, compared.span(unit)) for unit in one.units]
    return {
        "term": term.text,
        "status": one.status.value,
        "count": term.count,
        "line": term.line,
        "score": term.score,
        "forms": list(term.forms),
        "same": list(one.forms),
        "part": one.part,
        "items": [
            {
                "title": compared.title(unit),
                "file": span.file,
                "line": span.line or None,
                "why": unit.why,
            }
            for unit, span in places
        ],
    }
