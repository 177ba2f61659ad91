"""What databases call a kind of work, as the words of ``reference.NOTES`` or of BibTeX."""

from __future__ import annotations

_WORDS = {
    "article": (
        "article article-journal article-magazine article-newspaper journal-article "
        "magazine-article newspaper-article journal-issue jour mgzn news ejour jfull inpr"
    ),
    "inproceedings": (
        "paper-conference proceedings-article conference-paper conference-poster "
        "conference-abstract inproceedings cpaper abst"
    ),
    "proceedings": "proceedings conf conference-proceedings proceedings-series",
    "incollection": (
        "chapter book-chapter book-section book-part book-track reference-entry "
        "entry-encyclopedia entry-dictionary encyclopedia-entry dictionary-entry incollection "
        "chap ency dict echap"
    ),
    "book": "book monograph edited-book reference-book book-series book-set ebook edbook serial",
    "thesis": "thesis dissertation dissertation-thesis supervised-student-publication thes",
    "report": (
        "report report-component report-series working-paper technical-report research-report "
        "technical-standard standard rprt stand"
    ),
    "patent": "patent pat license",
    "software": "software comp research-tool",
    "dataset": "dataset data-set data database aggr dbase figure map",
    "preprint": "preprint posted-content",
    "unpublished": "manuscript unpublished unpb",
    "review": "review review-book book-review peer-review",
    "translation": "translation",
}
_TYPES = {word: kind for kind, words in _WORDS.items() for word in words.split()}


def of(word: str) -> str:
    """Return the kind of work; the word itself if it says nothing that a reader must be told."""
    bare = word.strip().lower().replace("_", "-")
    return _TYPES.get(bare, bare)
