"""From data to a Profile; what pydantic finds becomes diagnostics with a place and a hint."""

from __future__ import annotations

from pydantic import ValidationError

from cvbuild.common.errors import ProfileError
from cvbuild.inputs.yaml.source import Source
from cvbuild.model import Profile

#: Keys that are looked at beyond the model, by ``templates``, ``photo`` and ``variantcheck``.
_OUTER = ("template", "options", "photo", "variants")


def validate(source: Source) -> Profile:
    """The profile of a source without flags of privacy (``privacy``).

    Raises ProfileError with a diagnostic for each thing that is wrong, in the file's order.
    """
    try:
        return Profile.model_validate(source.data)
    except ValidationError as error:
        from cvbuild.inputs.validation import messages

        found = messages.diagnostics(error.errors(include_url=False), source)
    raise ProfileError(found)


def outline(source: Source) -> Profile:
    """Template, options, photo, variants of a file that is no whole profile, each if it is sound.

    Why: an unknown template or a missing photo is reported together with all other faults.
    """
    data = source.data if isinstance(source.data, dict) else {}
    sound: dict[str, object] = {"name": "-"}
    for key in _OUTER:
        try:
            Profile.model_validate({"name": "-", key: data.get(key)})
        except ValidationError:
            continue
        sound[key] = data.get(key)
    return Profile.model_validate(sound)
