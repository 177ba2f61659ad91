"""The packages that cvb-core consists of."""

from __future__ import annotations

import re

from cvbuild.outputs.styles.file_names import builtin_folder

CORE = builtin_folder() / "_core"
PARTS = {path.stem: path.read_text(encoding="utf-8") for path in CORE.glob("cvb-core-*.sty")}


def test_cvb_core_lists_its_parts_once() -> None:
    listed = re.findall(
        r"^\\RequirePackage \{ (cvb-core-\w+) \}",
        (CORE / "cvb-core.sty").read_text("utf-8"),
        re.MULTILINE,
    )
    assert sorted(listed) == sorted(PARTS)


def test_a_part_begins_with_what_it_offers_and_needs() -> None:
    for name, text in PARTS.items():
        first, provides, _ = text.partition(rf"\ProvidesExplPackage{{{name}}}")
        assert provides, name
        assert first.startswith(f"% {name}: "), name
        assert " It needs " in first, name


def test_hooks_have_the_label_of_the_whole() -> None:
    # Without it a part's code would have the part's name, and another place in the hook's order.
    hooks = [
        (name, line)
        for name, text in PARTS.items()
        for line in re.findall(r"^\\AddToHook.*", text, re.MULTILINE)
    ]
    assert len(hooks) == 6
    assert [hook for hook in hooks if "} [ cvb-core ]" not in hook[1]] == []
