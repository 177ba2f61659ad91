"""The manifest of a frozen packet: what was sent, and everything needed to build it again.

It is JSON with its own hash in it, always written in the same way, so that any edit shows. It may
come from anywhere: no name in it leads out of the packet's folder.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from cvbuild.common.files.sibling_files import is_odd

NAME = "manifest.json"
#: The folder with copies of all inputs, laid out as in a workspace.
INPUTS = "inputs"
#: The largest size in bytes; a manifest of 300 inputs has 40,000.
MAX_BYTES = 4 << 20
_LONGEST = 255


def _inside(name: str) -> str:
    """Return the path if it stays in its folder, on every system; raises ValueError."""
    for part in name.split("/"):
        if part in ("", ".", "..") or len(part.encode("utf-8", "replace")) > _LONGEST:
            raise ValueError(f"{name[:80]!r} is not a path below a folder")
        if is_odd(part):
            raise ValueError(f"{name[:80]!r} has a character that no file's name should have")
    return name


def _alone(name: str) -> str:
    if "/" in name or name in (NAME, INPUTS):
        raise ValueError(f"{name[:80]!r} can't be the name of a file in a packet")
    return name


Path = Annotated[str, StringConstraints(max_length=1024), AfterValidator(_inside)]
FileName = Annotated[Path, AfterValidator(_alone)]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Size = Annotated[int, Field(ge=0, le=1 << 40)]
Seconds = Annotated[int, Field(ge=0, le=253402300799)]  # the end of the year 9999
Text = Annotated[str, StringConstraints(max_length=10_000)]
Slug = Annotated[Path, AfterValidator(_alone), StringConstraints(pattern=r"^[^.]")]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Input(_Part):
    """A file that the packet was made from; ``size`` in bytes.

    ``name`` is where it is in a workspace: people/ada.yaml.
    """

    name: Path
    sha256: Hash
    size: Size


class File(Input):
    """A file of the packet."""

    name: FileName


class Made(_Part):
    """A document that TeX made; ``parts`` are those of its key (``building.fresh``)."""

    file: FileName
    date: Seconds
    """In seconds since 1970, as in the PDF."""
    engine: Text
    """For people: pdflatex (system, TeX Live 2022)."""
    fonts: Text = ""
    parts: dict[Text, Text] = {}


class World(_Part):
    """The programs that made it: versions of cvbuild, Python, and the libraries involved."""

    cvbuild: Text
    python: Text
    libraries: dict[Text, Text]


class Built(_Part):
    """How a packet was built.

    ``epoch`` is SOURCE_DATE_EPOCH, if there was one; ``today`` the day of the build; both in
    seconds since 1970.
    """

    today: Seconds
    epoch: Seconds | None = None
    engine: Literal["auto", "pdflatex", "embedded"] = "auto"
    driver: Literal["auto", "latexmk", "direct"] = "auto"
    locale: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9-]{1,64}$")] | None = None
    tags: bool = True
    """Older archives may say that there were none; all documents have tags."""
    documents: tuple[Made, ...] = ()


def built(plain: Mapping[str, Any]) -> Built:
    """Return how a packet was built, from plain data; raises ValueError."""
    return Built.model_validate(plain, strict=False)


class Manifest(_Part):
    """Everything that is known of a packet that was sent."""

    form: Literal[1] = 1
    slug: Slug
    date: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\d$")]
    """The day on which it was sent."""
    person: Text
    employer: Text
    position: Text
    files: tuple[File, ...]
    inputs: tuple[Input, ...]
    commit: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40,64}$")] | None = None
    """Git's name of the commit that was checked out, if there was one."""
    world: World
    built: Built

    @model_validator(mode="after")
    def _sound(self) -> Manifest:
        dt.date.fromisoformat(self.date)
        for each in (self.files, self.inputs):
            names = [one.name for one in each]
            if names != sorted(set(names)):
                raise ValueError("names are not in order, or repeated")
        return self

    @property
    def identity(self) -> tuple[object, ...]:
        """What makes two packets the same: the day, the files, and what they were made from."""
        return self.slug, self.date, self.files, self.inputs

    @property
    def places(self) -> dict[str, Input]:
        """What must be in the packet's folder besides the manifest, by its path there."""
        inputs = {f"{INPUTS}/{item.name}": item for item in self.inputs}
        return {**{item.name: item for item in self.files}, **inputs}


def write(manifest: Manifest) -> str:
    """Return the manifest as text, with its hash."""
    plain = manifest.model_dump(mode="json")
    return _text({**plain, "sum": _sum(plain)})


def read(data: bytes) -> Manifest:
    """Return the manifest in such a text; raises ValueError that says what is wrong with it."""
    if len(data) > MAX_BYTES:
        raise ValueError("it is too long")
    try:
        text = data.decode("utf-8")
        plain = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON") from None
    if not isinstance(plain, dict) or plain.get("form") != 1:
        raise ValueError("another version of cvbuild wrote it")
    total = plain.pop("sum", None)
    try:
        manifest = Manifest.model_validate_json(_text(plain))
    except ValidationError as error:
        raise ValueError(reason(error)) from None
    except RecursionError:
        raise ValueError("it is not JSON") from None
    if total != _sum(plain) or text != write(manifest):
        raise ValueError("it was edited")
    return manifest


def reason(error: ValueError) -> str:
    """Return what is wrong, in a few words; for a ValidationError, where."""
    if not isinstance(error, ValidationError):
        return str(error)
    places = (".".join(map(str, item["loc"])) or "the whole" for item in error.errors())
    return f"wrong: {', '.join(sorted(set(places))[:3])}"


def check_names(files: Iterable[str], inputs: Iterable[str]) -> None:
    """Raise ValueError for a name that no manifest may have."""
    for name in files:
        _alone(_inside(name))
    for name in inputs:
        _inside(name)


def _sum(plain: dict[str, Any]) -> str:
    return hashlib.sha256(_text(plain).encode("utf-8", "surrogatepass")).hexdigest()


def _text(plain: dict[str, Any]) -> str:
    return json.dumps(plain, sort_keys=True, indent=1, ensure_ascii=False) + "\n"
