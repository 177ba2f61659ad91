"""Run the command line with ``python -m cvbuild``."""

from cvbuild.cli.start import run

if __name__ == "__main__":
    run()
