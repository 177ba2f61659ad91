"""The command line: arguments (``command_table``), progress, printing, exit codes.

Here the program begins. Scripts use ``cvbuild.api`` instead.
"""

import os
import time

# The part of signal that needs no import, during which Ctrl-C may come; typeshed doesn't have it.
from _signal import (  # type: ignore[import-not-found]
    SIGINT,
    default_int_handler,
    getsignal,
    signal,
)


def run() -> None:
    """Run the command line as a program, which ends with it.

    Until a command runs, Ctrl-C ends it at once: nothing is to be tidied before. Python discards
    exceptions in callbacks that imports run, and with one of them the interruption: ``watch`` would
    go on for ever.
    """
    # A shell's background processes ignore it.
    if getsignal(SIGINT) is default_int_handler:
        signal(SIGINT, lambda *_: os._exit(130))
    from cvbuild.common import memo

    memo.answer(time.time_ns())
    from cvbuild.cli import main

    main.run()
