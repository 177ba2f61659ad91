"""Where the program begins: until all is imported, Ctrl-C ends it at once, without a traceback."""

from __future__ import annotations

import signal


def run() -> None:
    """Run the command line as a program, which ends with it."""
    is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_usual:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from cvbuild.cli import main

    main.run(interruptible=is_usual)
