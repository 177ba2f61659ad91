"""Run the command line with ``python -m cvbuild``."""

from cvbuild.cli import run

if __name__ == "__main__":
    run()
