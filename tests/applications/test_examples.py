"""The worked examples of applications/ can be built as they stand."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from texlive import demand_embedded

from cvbuild.applications import load
from cvbuild.applications.packet import assemble
from cvbuild.applications.packet.assemble import Packet
from cvbuild.outputs.styles.templates import Library
from cvbuild.outputs.task import Settings

ROOT = Path(__file__).resolve().parent.parent.parent
DAY = date(2026, 11, 21)


@pytest.fixture(scope="module")
def built(tex_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Packet]:
    demand_embedded()
    out = tmp_path_factory.mktemp("out")
    today = (DAY - date(1970, 1, 1)).days * 86400
    settings = Settings(out, Library.at(), today, engine="embedded", cache=tex_cache)
    slugs = load.slugs(ROOT)
    return {slug: assemble.build(load.load(slug, DAY, ROOT), settings, ROOT) for slug in slugs}


def test_there_are_two_with_variants_and_letters_of_one_page(built: dict[str, Packet]) -> None:
    assert list(built) == ["example-cloud", "example-institute"]
    for slug, made in built.items():
        said = load.load(slug, DAY, ROOT).data
        assert said.variant is not None
        assert said.recipient is not None
        assert str(said.recipient.email).endswith(("@example.org", "@example.com"))
        (letter,) = [pages for name, pages in made.pages.items() if "Cover-Letter" in name]
        assert letter == 1
        assert [item for item in made.diagnostics if item.severity != "note"] == []
