"""Where the program begins: what runs a command is decided before anything is imported."""

from __future__ import annotations

import os
import sys


def run() -> None:
    """Run the command line as a program, which ends with it."""
    if sys.platform == "linux" and os.environ.get("CVBUILD_COLD") != "1":
        command = sys.argv[1:2]
        if command == ["build"]:
            from cvbuild.cli.answering import ask

            ask.ask()
        elif command in (["watch"], ["serve"]):
            from cvbuild.cli.answering import answer

            # It returns here, too, in each process that runs another's command.
            answer.begin()
    from cvbuild.cli import main

    main.run()
