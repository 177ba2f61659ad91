"""A server of the editor's page and what it serves, once for all modules with that workspace."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from serve.desks import Desk, Opens
    from serving import Server


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from serve import desks

    return desks.workspace(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="session")
def server(folder: Path) -> Iterator[Server]:
    from serve import desks

    with desks.begun(folder, "ada") as begun:
        yield begun


@pytest.fixture
def opens(browser: Browser, server: Server, folder: Path) -> Opens:
    from serve import desks

    return partial(desks.opened, browser, server, folder)


@pytest.fixture
def desk(opens: Opens) -> Iterator[Desk]:
    from serve import desks

    with opens(desks.ADA) as found:
        found.shows("Research engineer")
        yield found


@pytest.fixture
def form(opens: Opens) -> Iterator[Desk]:
    from serve import desks

    with opens(desks.FORMED) as found:
        found.shows("Research engineer")
        found.page.locator("#view-form").click()
        yield found
