"""The arguments of the commands that make pages for a browser: `gallery`, `serve`, `site`."""

from __future__ import annotations

import argparse

from cvbuild.building.request import PDF
from cvbuild.cli.arguments.shared import (
    add_engine,
    add_jobs,
    add_listed,
    add_locale,
    add_one_person,
    add_out,
    add_people,
    add_template_path,
    add_timeout,
)


def gallery(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `gallery`."""
    add_one_person(command, "not needed for a single person")
    command.add_argument(
        "--no-open", dest="open", action="store_false", help="don't show the page in the browser"
    )
    add_locale(command)
    add_engine(command)
    add_jobs(command)
    add_timeout(command)
    add_out(command)
    add_listed(command)
    chosen: dict[str, list[str]] = {name: [] for name in ("template", "variant", "set")}
    command.set_defaults(
        all_templates=True,
        driver="auto",
        force=False,
        private=False,
        cluster=None,
        format=[[PDF]],
        **chosen,
    )


def serve(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `serve`."""
    add_one_person(command, "others can be chosen in the page")
    command.add_argument(
        "--port", type=_port, default=0, metavar="N", help="the port; a free one by default"
    )
    command.add_argument(
        "--no-open", dest="open", action="store_false", help="don't show the page in the browser"
    )
    add_engine(command)
    add_timeout(command)
    add_template_path(command)


def _port(text: str) -> int:
    number = int(text) if text.isdecimal() and len(text) < 6 else -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError("a number from 1 to 65535, or 0 for a free one")
    return number


def site(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `site`."""
    add_people(command)
    command.add_argument("--title", default="", help="the name of the site: Systems Group")
    command.add_argument(
        "-t",
        "--template",
        metavar="TEMPLATE",
        help="the template of every page, instead of the first that each person picked",
    )
    add_locale(command)
    add_engine(command)
    add_jobs(command)
    add_timeout(command)
    add_out(command)
    add_listed(command)
    chosen: dict[str, list[str]] = {name: [] for name in ("variant", "set")}
    command.set_defaults(
        all_templates=False, driver="auto", force=False, private=False, cluster=None, **chosen
    )
