"""Run the command line with ``python -m cvbuild``."""

import sys

from cvbuild.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
