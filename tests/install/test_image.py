"""The Dockerfile. Building it takes minutes: `make image-test` does that, and builds CVs in it."""

from __future__ import annotations

import re

import checkouts

from cvbuild.outputs.pdf.tex.find import APT_TEXLIVE

TEXT = (checkouts.ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")


def test_it_copies_what_there_is_and_nobodys_cv() -> None:
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", TEXT, re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    assert len(names) >= 8
    ignored = (checkouts.ROOT / ".dockerignore").read_text("utf-8").splitlines()
    rules = [line for line in ignored if line and not line.startswith("#")]
    assert rules[0] == "*"
    assert {line[1:] for line in rules if line.startswith("!")} == names
    for name in names:
        assert (checkouts.ROOT / name).exists(), name
    assert not {"people", "applications"} & names


def test_no_target_runs_as_root() -> None:
    stages = re.split(r"^FROM ", TEXT, flags=re.MULTILINE)[1:]
    by_name = {stage.split()[2]: stage.split() for stage in stages}
    assert [*by_name][-1] == "embedded", "the default is the last"
    for name in ("texlive", "embedded"):
        assert by_name[name][-2:] == ["USER", "cvbuild"]


def test_it_installs_the_texlive_that_cvbuild_asks_for() -> None:
    (texlive,) = re.findall(r"AS texlive(.*?)^USER", TEXT, re.MULTILINE | re.DOTALL)
    assert set(APT_TEXLIVE.split()) <= set(texlive.split())
