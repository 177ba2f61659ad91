"""Which font files set which script, in order, and the package that has them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FallbackFace:
    """A face that may be installed: possible names of its files, features to load it with."""

    name: str
    regular: tuple[str, ...]
    bold: tuple[str, ...]
    package: str
    index: int = 0
    features: str = ""
    scale: float = 1.0
    language: str = ""
    italic: tuple[str, ...] = ()
    bold_italic: tuple[str, ...] = ()
    is_typeface: bool = False
    """Set as the document's own typeface is: its letters can't have marks that are characters."""


_CORE = "fonts-noto-core"
_CJK = "fonts-noto-cjk"
#: Region -> number in the collection, suffixes of single files, language.
_REGIONS = {
    "jp": (0, ("JP", "CJKjp"), "ja"),
    "kr": (1, ("KR", "CJKkr"), "ko"),
    "sc": (2, ("SC", "CJKsc"), "zh-Hans"),
    "tc": (3, ("TC", "CJKtc"), "zh-Hant"),
    "hk": (4, ("HK", "CJKhk"), "zh-Hant"),
}
#: Regions with a face in the package rendercv-fonts.
_OF_PACKAGE = ("sc", "jp", "kr")
#: Script -> (OpenType script, language that it implies).
_ALPHABETS = {
    "armenian": ("armn", "hy"), "bengali": ("bng2", ""), "cherokee": ("cher", ""),
    "devanagari": ("dev2", "hi"), "ethiopic": ("ethi", ""), "georgian": ("geor", "ka"),
    "gujarati": ("gjr2", "gu"), "gurmukhi": ("gur2", "pa"), "hebrew": ("hebr", "he"),
    "kannada": ("knd2", "kn"), "khmer": ("khmr", "km"), "lao": ("lao ", "lo"),
    "malayalam": ("mlm2", "ml"), "mongolian": ("mong", "mn"), "myanmar": ("mym2", "my"),
    "oriya": ("ory2", "or"), "sinhala": ("sinh", "si"), "syriac": ("syrc", ""),
    "tamil": ("tml2", "ta"), "telugu": ("tel2", "te"), "thaana": ("thaa", "dv"),
    "thai": ("thai", "th"), "tibetan": ("tibt", "bo"),
}  # fmt: skip
#: The scripts that `cvbuild doctor` shows, with their names for people.
SHOWN = {
    "latin": "Latin, Greek and Cyrillic beyond the style's own type",
    "han": "Chinese",
    "kana": "Japanese",
    "hangul": "Korean",
    "arabic": "Arabic",
    "hebrew": "Hebrew",
    "devanagari": "Devanagari",
    "thai": "Thai",
}


def region(script: str, scripts: frozenset[str], locale: str) -> str:
    """Return the region whose Han shapes to use: by the text's other scripts, else the locale."""
    if script == "hangul" or ("hangul" in scripts and "kana" not in scripts):
        return "kr"
    if "kana" in scripts:
        return "jp"
    language, _, rest = locale.lower().partition("-")
    if language == "zh" and ("hk" in rest or "mo" in rest.split("-")):
        return "hk"
    if language == "zh" and ("hant" in rest or "tw" in rest):
        return "tc"
    return {"ja": "jp", "ko": "kr"}.get(language, "sc")


def candidates(
    script: str, scripts: frozenset[str], locale: str, *, sans: bool
) -> tuple[FallbackFace, ...]:
    """Return the faces for a script, best first: of the family's kind (serif, sans), then others.

    ``scripts`` are those of the whole text; ``script`` is empty for symbols and marks.
    """
    kinds = ("Sans", "Serif") if sans else ("Serif", "Sans")
    if script in ("han", "kana", "hangul"):
        where = region(script, scripts, locale)
        return _east_asian(where, kinds)
    if script == "arabic":
        return _arabic(locale)
    if script in _ALPHABETS:
        tag, language = _ALPHABETS[script]
        noto = tuple(_noto(f"{kind}{script.title()}", tag, language) for kind in kinds)
        return (_mukta(tag, language), *noto) if script == "devanagari" else noto
    if script in ("latin", "greek", "cyrillic"):
        tag = {"latin": "latn", "greek": "grek", "cyrillic": "cyrl"}[script]
        language = "el" if script == "greek" else ""
        return tuple(_noto(kind, tag, language) for kind in kinds)
    return (
        *(_noto(kind, "latn", "") for kind in kinds),
        _noto("SansMath", "", ""),
        _noto("SansSymbols", "", ""),
        _noto("SansSymbols2", "", ""),
    )


def package(script: str) -> str | None:
    """Return the Debian package with fonts for the script; None if no package is known."""
    if script in ("han", "kana", "hangul"):
        return _CJK
    if script == "arabic":
        return "fonts-hosny-amiri"
    known = script in _ALPHABETS or script in ("latin", "greek", "cyrillic")
    return _CORE if known else None


def _noto(kind: str, tag: str, language: str) -> FallbackFace:
    name = f"noto{tag.strip().rstrip('2')}{kind}".replace("2", "two")
    regular, bold = f"Noto{kind}-Regular.ttf", f"Noto{kind}-Bold.ttf"
    return FallbackFace(name, (regular,), (bold,), _CORE, features=_script(tag), language=language)


def _mukta(tag: str, language: str) -> FallbackFace:
    """Return the face that comes with rendercv-fonts, the same on every machine."""
    files = (("Mukta-Regular.ttf",), ("Mukta-Bold.ttf",))
    return FallbackFace("mukta", *files, _CORE, features=_script(tag), language=language)


def _script(tag: str) -> str:
    return f"script={tag.strip()}" if tag else ""


def _arabic(locale: str) -> tuple[FallbackFace, ...]:
    """Return Amiri first: its letters extract as letters, those of others as presentation forms.

    It is set without kerns and contextual forms, whose gaps readers take for spaces.
    """
    own = locale.partition("-")[0].lower()
    language = own if own in ("fa", "ur", "ps", "ug", "sd", "ckb") else "ar"
    amiri = FallbackFace(
        "amiri",
        ("Amiri-Regular.ttf", "amiri-regular.ttf"),
        ("Amiri-Bold.ttf", "amiri-bold.ttf"),
        "fonts-hosny-amiri",
        features=f"{_script('arab')};-kern;-calt",
        scale=1.1,
        language=language,
    )
    return (amiri, _noto("SansArabic", "arab", language))


def _east_asian(where: str, kinds: tuple[str, ...]) -> tuple[FallbackFace, ...]:
    """Return the package's faces first, which are the same on every machine.

    It has none with the traditional shapes; there its own come last.
    """
    index, names, language = _REGIONS[where]
    ours = [one for one in (where, *_OF_PACKAGE) if one in _OF_PACKAGE]
    package = [_of_package(one, language) for one in dict.fromkeys(ours)]
    others = []
    for kind in kinds:
        files = [
            (f"Noto{kind}CJK-{weight}.ttc", *(f"Noto{kind}{name}-{weight}.otf" for name in names))
            for weight in ("Regular", "Bold")
        ]
        others.append(
            FallbackFace(
                f"cjk{where}{kind}", files[0], files[1], _CJK, index=index, language=language
            )
        )
    return (*package, *others) if where in _OF_PACKAGE else (*others, *package)


def _of_package(region: str, language: str) -> FallbackFace:
    files = [(f"NotoSans{region.upper()}-{weight}.ttf",) for weight in ("Regular", "Bold")]
    return FallbackFace(f"cjk{region}", files[0], files[1], _CJK, language=language)
