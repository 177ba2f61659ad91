"""cvbuild: typeset CVs in several styles, from one YAML file per person.

The public names are imported on first use, so that ``import cvbuild`` is cheap.
"""

from __future__ import annotations

from cvbuild.common import VERSION

__version__ = VERSION
__all__ = [
    "CvbuildError",
    "Diagnostic",
    "Outcome",
    "Profile",
    "__version__",
    "build",
    "load_profile",
]

#: As typing's, which takes longer to import than a command that another process runs.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cvbuild.api import build, load_profile
    from cvbuild.building.pipeline import Outcome
    from cvbuild.common.diagnostics import CvbuildError, Diagnostic
    from cvbuild.model.profile import Profile

_HOMES = {
    "CvbuildError": "cvbuild.common.diagnostics",
    "Diagnostic": "cvbuild.common.diagnostics",
    "Outcome": "cvbuild.building.pipeline",
    "Profile": "cvbuild.model.profile",
    "build": "cvbuild.api",
    "load_profile": "cvbuild.api",
}


def __dir__() -> list[str]:
    """List the public names, also those that are not imported yet: shells complete them."""
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    """Import a public name on first use (PEP 562)."""
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
