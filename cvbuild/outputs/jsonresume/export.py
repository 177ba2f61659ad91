"""A profile as JSON Resume (https://jsonresume.org/schema, v1.0.0): what a PDF has of it.

Only what was selected: what a variant leaves out is not in it, nor what only controls the build
(tags, priorities, options, spellings for finding the person among authors). docs/reference/pdf.md
has the table of which field becomes what. Pure: the same input gives the same bytes.
"""

from __future__ import annotations

import json
from typing import Any

from cvbuild.outputs.jsonresume import basics, items, own_form
from cvbuild.outputs.jsonresume.values import Values
from cvbuild.selection.selected import Selected

SCHEMA = "https://raw.githubusercontent.com/jsonresume/resume-schema/v1.0.0/schema.json"


def resume(shown: Selected) -> dict[str, Any]:
    """Return what was selected of a profile as one JSON object; empty keys are left out."""
    profile = shown.profile
    values = Values(shown.left_out)
    lists: dict[str, list[dict[str, Any]]] = {name: [] for name in items.LISTS}
    for section in shown.sections:
        for group in section.groups:
            for name, item in items.of_group(section, group, values):
                lists[name].append(item)
    meta: dict[str, Any] = {"version": "v1.0.0", "canonical": SCHEMA}
    if profile.updated:
        meta["lastModified"] = f"{profile.updated.isoformat()}T00:00:00"
    meta["language"] = profile.locale
    made = {
        "$schema": SCHEMA,
        "basics": basics.of(shown, values),
        **{name: found for name, found in lists.items() if found},
        "meta": meta,
    }
    meta["cvbuild"] = {"of": own_form.digest(made), "person": own_form.of(shown, values)}
    return made


def to_bytes(shown: Selected) -> bytes:
    """Return the object as a file: UTF-8, indented, in a fixed order."""
    text = json.dumps(resume(shown), ensure_ascii=False, indent=2, allow_nan=False)
    return f"{text}\n".encode()
