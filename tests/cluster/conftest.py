"""A cluster on loopback for the tests that break nothing, and one to break."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cluster.loopback import Cluster, started
from texlive import demand_embedded


@pytest.fixture(scope="session")
def workers_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for the workers, which is not ours."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, workers_cache: Path) -> Iterator[Cluster]:
    """A cluster of one worker for the tests that break nothing."""
    with started(tmp_path_factory.mktemp("shared"), workers_cache) as cluster:
        cluster.schedule()
        cluster.work("only")
        yield cluster


@pytest.fixture
def cluster(tmp_path: Path, workers_cache: Path) -> Iterator[Cluster]:
    """A cluster of a test's own, to break."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with started(folder, workers_cache) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty workspace, and the embedded TeX alone."""
    demand_embedded()
    home = tmp_path / "workspace"
    home.mkdir()
    monkeypatch.chdir(home)
    monkeypatch.setenv("CVBUILD_NO_SYSTEM_TEX", "1")
