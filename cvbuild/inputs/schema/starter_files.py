"""The files that ``cvbuild new`` and ``cvbuild init`` write.

They are those of workspace-template/, from which copier makes workspaces, too (copier.yml); a name
that ends in .jinja is that of a file with values in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from cvbuild.inputs import person_names

_PERSON = "people/{{ person }}.yaml"
_APPLICATION = "applications/example-lab.yaml"
#: The files of a new template; {} is its name.
_TEMPLATE = ("template.yaml", "cvb-{}.sty", "page.css")
_NEW_TEMPLATE = Path(__file__).with_name("new_template")
#: The others that a workspace has; what is for GitHub is left to copier.
_SHARED = ("README.md", "Makefile", ".gitignore", "cvbuild.yaml")


def slug(name: str) -> str:
    """Return the stem of a person's file: lower case, letters and digits joined by hyphens.

    Latin letters are those of ASCII, without accents: ü is u, since only German writes it ue.
    Letters of other scripts stay. Empty if nothing is left.
    """
    return re.sub(r"[\W_]+", "-", person_names.plain(name)).strip("-")[:80].strip("-")


def person(name: str) -> str:
    """Return a commented file that can be built at once."""
    return _text(_PERSON, {"name": name})


def workspace(person: str) -> Mapping[str, str]:
    """Return the files of a workspace but people's, by path; ``person`` is in examples."""
    values = {"person": person, "repository": ""}
    return MappingProxyType({name: _text(name, values) for name in _SHARED})


def application(person: str, name: str = "example-lab") -> Mapping[str, str]:
    """Return the file of an application of a person, by path."""
    text = _text(_APPLICATION, {"person": person}).replace("example-lab", name)
    return MappingProxyType({f"applications/{name}.yaml": text})


def template(name: str, extends: str, style: str) -> Mapping[str, str]:
    """Return the files of a template that changes another, by path; ``style`` is its package."""
    values = {"name": name, "extends": extends, "style": style}
    texts = {
        f"templates/{name}/{file.format(name)}": _rendered(
            _NEW_TEMPLATE / file.format("name"), values
        )
        for file in _TEMPLATE
    }
    return MappingProxyType(texts)


def _text(name: str, values: Mapping[str, str]) -> str:
    """Return a file of the template, with these values in it."""
    file = _folder() / name
    return file.read_text(encoding="utf-8") if file.is_file() else _rendered(file, values)


def _rendered(file: Path, values: Mapping[str, str]) -> str:
    """Return FILE.jinja with these values in it."""
    from jinja2 import Environment, StrictUndefined

    # No HTML: nothing is escaped. The filter is one that copier has as well.
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)  # noqa: S701
    environment.filters["to_json"] = json.dumps
    template = file.with_name(f"{file.name}.jinja").read_text(encoding="utf-8")
    return environment.from_string(template).render(values)


def _folder() -> Path:
    """Return the template of a workspace: in the package, or next to it in a checkout."""
    package = Path(__file__).resolve().parents[2]
    inside = package / "workspace-template"
    return inside if inside.is_dir() else package.parent / "workspace-template"
