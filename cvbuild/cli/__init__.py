"""The command line, where the program begins; scripts use ``cvbuild.api`` instead."""

import os
import sys
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
    import atexit

    from cvbuild.cli import main

    # It ends without freeing its objects one by one, which would take as long as importing a
    # library. Registered before all others, this runs after them, when all threads have ended.
    codes: list[int] = []
    atexit.register(lambda: os._exit(codes[0]) if codes else None)
    try:
        codes.append(main.main())
    except KeyboardInterrupt:
        codes.append(main.INTERRUPTED)
    except SystemExit as ended:
        # Help, version and bad usage, by argparse.
        codes.append(int(ended.code or 0))
    sys.exit(codes[0])
