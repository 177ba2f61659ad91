"""The overlay: a file beside a person's, with what public documents never open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from privacy.private_rows import ADA, OVERLAY, data, mirrors, rows, write

from cvbuild.building.check.profiles import check
from cvbuild.common.errors import ProfileError
from cvbuild.inputs import overlay, person_file
from cvbuild.inputs.yaml import source
from cvbuild.inputs.yaml.source import Source, parse
from cvbuild.outputs.styles.templates import Library


@pytest.mark.parametrize(("base", "over", "both"), rows("overlays.txt"))
def test_how_an_overlay_is_merged(base: str, over: str, both: str) -> None:
    made = overlay.merge(parse(base, "a.yaml"), parse(over, "a.private.yaml"))
    assert mirrors(made.data, made.tree)
    assert made.data == data(both)


@pytest.mark.usefixtures("home")
def test_messages_name_the_file_and_the_line() -> None:
    write(
        "name: Ada Example\ncontact:\n  email: ada@example.org\n",
        "contact:\n  email: [eve@example.org, nowhere]\n  adress: Street 1\nfoto: x\n",
    )
    said = [str(one).partition(";")[0] for one in person_file.read(ADA, private=True).faults]
    assert said == [
        "people/ada.private.yaml:2:28: this is not an e-mail address",
        'people/ada.private.yaml:3:3: unknown key "adress"',
        "people/ada.private.yaml:4:1: unknown key",
    ]


@pytest.mark.usefixtures("home")
def test_a_public_document_does_not_open_the_overlay(monkeypatch: pytest.MonkeyPatch) -> None:
    write("name: Ada Example\n", "contact: [")
    opened: list[Path] = []
    load = source.load

    def noted(path: Path, begin: str = source.BEGIN, **more: Any) -> Source:
        opened.append(path)
        return load(path, begin, **more)

    monkeypatch.setattr(source, "load", noted)
    profile, made = person_file.load(ADA)
    assert (profile.name.display, made.private, opened) == ("Ada Example", (), [ADA.path])
    with pytest.raises(ProfileError, match=r"people/ada\.private\.yaml:1:10"):
        person_file.load(ADA, private=True)
    assert opened[1:] == [ADA.path, OVERLAY]


@pytest.mark.usefixtures("home")
def test_an_overlay_may_be_missing_or_empty_but_no_list_and_no_folder() -> None:
    for over in (None, "", "# nothing yet\n"):
        write("name: Ada Example\ncontact: {phone: {number: '+12345', private: true}}\n", over)
        profile, _ = person_file.load(ADA, private=True)
        assert [one.number for one in profile.contact.phone] == ["+12345"]
        assert person_file.load(ADA)[0].contact.phone == ()
    write("name: Ada Example\n", "- phone: 1\n")
    with pytest.raises(ProfileError, match='begin with a key, such as "contact:"'):
        person_file.load(ADA, private=True)
    OVERLAY.unlink()
    OVERLAY.symlink_to("nowhere.yaml")
    with pytest.raises(ProfileError, match="there is no such file"):
        person_file.load(ADA, private=True)
    OVERLAY.unlink()
    OVERLAY.mkdir()
    with pytest.raises(ProfileError, match="this is a folder"):
        person_file.load(ADA, private=True)


@pytest.mark.usefixtures("home")
def test_a_public_variant_may_name_what_is_private() -> None:
    write(
        "name: Ada Example\n"
        "sections:\n"
        "- {kind: skill, items: [Python, {name: Secret, tags: secret, private: true}]}\n"
        "- {kind: award, private: true, items: [{title: A prize}]}\n"
        "variants: {short: {exclude: secret, without: award}}\n"
    )
    assert check(ADA, Library.at()).diagnostics == ()
