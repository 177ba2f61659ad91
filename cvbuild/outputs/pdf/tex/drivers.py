"""Choose how to run an engine: by latexmk or directly."""

from __future__ import annotations

from collections.abc import Callable

from cvbuild.common.errors import NoTexError, UsageError
from cvbuild.outputs.pdf.tex import direct, latexmk
from cvbuild.outputs.pdf.tex.install_hints import how_to_get_tool
from cvbuild.outputs.pdf.tex.types import Engine, Job, Result

Driver = Callable[[Job, Engine], Result]
DRIVERS = ("auto", "latexmk", "direct")


def choose_driver(choice: str, engine: Engine) -> Driver:
    """Return the ``compile`` function for ``choice``; "auto" runs the engine directly.

    One pass is enough, and latexmk makes a second one to see that. Raises NoTexError if latexmk is
    asked for and missing, UsageError for an unknown choice or for latexmk with the embedded TeX,
    which lacks what latexmk runs.
    """
    if choice not in DRIVERS:
        raise UsageError.because(
            "unknown-driver", f'unknown driver "{choice}"', f"one of: {', '.join(DRIVERS)}"
        )
    if choice != "latexmk":
        return direct.compile
    if engine.origin == "embedded":
        raise UsageError.because(
            "driver-engine",
            "latexmk can't drive the embedded TeX",
            "leave out --driver, or name a system engine with --engine",
        )
    if engine.latexmk is None:
        raise NoTexError.because(
            "no-latexmk", "latexmk is not installed", how_to_get_tool("latexmk")
        )
    return latexmk.compile
