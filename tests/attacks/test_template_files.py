"""Templates of a project: none runs that nobody chose, and none has links, pipes or too much."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import deep
import pytest
from attacks.table import named
from clones import APPLICATION, BUILD, put
from conftest import Ran
from texlive import demand_embedded

from cvbuild.common.errors import TemplateError
from cvbuild.outputs.styles import builtin_folder, package_files
from cvbuild.outputs.styles.templates import Library

pytestmark = [
    pytest.mark.skipif(os.name == "nt", reason="links need rights there"),
    pytest.mark.usefixtures("project"),
]
Attack = Callable[..., Ran]
MANIFEST = "api: 1\ntitle: A\ndescription: B\nextends: {base}\ntex: {{style: cvb-core}}\n"
#: It says that it ran, where TeX's log has it, and on the page.
STYLE = "\\ProvidesPackage{cvb-core}\\typeout{HOSTILE STYLE RAN}\n"


def template(folder: str, base: str = "_core") -> Path:
    made = Path(folder)
    made.mkdir(parents=True)
    (made / "template.yaml").write_text(MANIFEST.format(base=base), encoding="utf-8")
    (made / "cvb-core.sty").write_text(STYLE, encoding="utf-8")
    return made


def ran() -> bool:
    return any(b"HOSTILE STYLE" in path.read_bytes() for path in Path("out").rglob("cv.log"))


@pytest.mark.parametrize("name", deep.but(["academic"], ["academic", "industry", "_core"]))
def test_a_template_that_nobody_chose_is_refused(name: str, attack: Attack) -> None:
    demand_embedded()
    template(f"templates/{name}")
    done = attack(BUILD, {1})
    assert f"templates/{name}/template.yaml: {name} is the name of a built-in template" in done.err
    assert "rename it" in done.err
    assert not ran()
    assert not Path("out/ada", f"{name}.pdf").exists()


def test_a_layout_of_letters_that_nobody_chose_is_refused(attack: Attack) -> None:
    demand_embedded()
    shutil.copytree(builtin_folder() / "letter", "templates/letter")
    Path("templates/letter/more.sty").touch()
    text = f"{APPLICATION}letter: {{body: Hello there}}\n"
    Path("applications/x.yaml").write_text(text, encoding="utf-8")
    done = attack("apply x --engine embedded", {1})
    assert "templates/letter: letter is the name of a built-in template" in done.err
    done = attack("apply x --engine embedded --template-path templates", {0})
    assert done.err.count("letter is that of templates/letter, not the built-in one") == 1


def test_one_that_replaces_another_says_so_once(attack: Attack) -> None:
    demand_embedded()
    for folder, base, words in (("templates", "academic", ()), ("lab", "_core", ("lab",))):
        made = template(f"{folder}/academic", base)
        (made / "cvb-core.sty").unlink()
        path = ("--template-path", *words) if words else ()
        done = attack((*BUILD, "-t", "academic", *path), {0})
        assert done.err.count(f"academic is that of {folder}/academic, not the built-in one") == 1
    found = Library.at(own=Path("templates")).find("academic")
    # An edit of either is an edit of the document.
    assert [folder.parent.name for folder in found.folders] == ["templates"] * 3


def test_a_template_s_files_are_no_other_template_s(attack: Attack) -> None:
    """TeX searches only the folders of the document's own template."""
    demand_embedded()
    template("templates/own")
    for name in ("graphicx.sty", "article.cls", "cvb-core-page.sty", "cvb-core.sty", "pdftex.def"):
        for folder in ("templates/own", "templates", "", "people"):
            Path(folder, name).write_text(STYLE, encoding="utf-8")
    attack((*BUILD, "-t", "academic"), {0})
    assert not ran()


LINKED = named("template with")
OTHERS = ("pipe", "manifest", "deep", "large", "itself", "folder")


def spoil(made: Path, how: str) -> None:
    """Put what may not be there into a template, or in its place."""
    match how:
        case "pipe":
            put("pipe", made / "x.sty", made)
        case "manifest":
            (made / "template.yaml").rename("real.yaml")
            put("link", made / "template.yaml", Path("real.yaml").absolute())
        case "deep":
            (made / "/".join("a" * 30)).mkdir(parents=True)
        case "large":
            put("huge", made / "x.otf", made)
        case "itself" | "folder":
            moved = made if how == "itself" else made.parent
            moved.rename("elsewhere")
            moved.symlink_to(Path("elsewhere").absolute())
        case _:
            (made / how).parent.mkdir(exist_ok=True)
            (made / how).symlink_to(Path(LINKED[how]).expanduser())


COMMANDS = [BUILD, "status --why", "check", "templates"]
#: What is wrong, each with one command.
SPOILED = [(how, COMMANDS[number % 4]) for number, how in enumerate((*LINKED, *OTHERS))]


@pytest.mark.parametrize(("how", "command"), SPOILED)
def test_what_may_not_be_in_a_template(how: str, command: str, attack: Attack) -> None:
    spoil(template("templates/own"), how)
    text = "name: Ada\ntemplate: own\noptions: {photo: true}\nsections: []\n"
    Path("people/ada.yaml").write_text(text, encoding="utf-8")
    done = attack(command, {1})
    assert "templates" in done.err
    assert "; " in done.err


def test_a_link_that_comes_later_is_refused_too() -> None:
    template("templates/own")
    library = Library.at(own=Path("templates"))
    library.find("own")
    Path("templates/own/x").symlink_to("/etc")
    with pytest.raises(TemplateError, match="symbolic link"):
        library.find("own")


def test_a_folder_by_path_may_be_a_link_and_have_links_to_templates(tmp_path: Path) -> None:
    template("elsewhere/real")
    Path("lab").mkdir()
    Path("lab/own").symlink_to(Path("elsewhere/real").absolute())
    (tmp_path / "named").symlink_to(Path("lab").absolute())
    assert "own" in Library.at(tmp_path / "named").names()
    assert Library.at(tmp_path / "named").find("own").name == "own"


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    made = template("templates/own")
    assert len(package_files.listed(made)) == 3
    monkeypatch.setattr(package_files, "MAX_FILES", 1)
    with pytest.raises(TemplateError, match="over 1 files"):
        package_files.listed(made)
    monkeypatch.setattr(package_files, "MAX_FILES", 9)
    monkeypatch.setattr(package_files, "MAX_BYTES", 1)
    with pytest.raises(TemplateError, match="over 0 MiB"):
        package_files.listed(made)
