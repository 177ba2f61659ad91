"""The help of the whole program: its commands by what one does with them."""

from __future__ import annotations

from cvbuild.cli.parsers import Parser

#: What one does with them: the commands of the help by their headings, each with an example.
GROUPS: dict[str, tuple[str, ...]] = {
    "begin": ("init", "new", "import"),
    "write": ("serve", "watch", "gallery", "templates"),
    "make": ("build", "site", "apply"),
    "look": ("status", "show", "check", "match"),
    "more": ("applications", "extract", "doctor", "docs", "schema", "completion"),
}
#: An example of each group.
EXAMPLES = {
    "begin": "cvbuild import resume.json",
    "write": "cvbuild serve ada-example",
    "make": "cvbuild build ada-example -t industry",
    "look": "cvbuild status --why",
    "more": "cvbuild doctor",
}
#: Words of other programs for commands.
MEANT = {
    "compile": "build", "edit": "serve", "list": "status", "ls": "status", "make": "build",
    "mail": "check --report mail", "open": "serve", "preview": "serve", "render": "build",
    "report": "check --report", "validate": "check",
}  # fmt: skip


class Root(Parser):
    """The parser of the whole: its help has the commands by what one does with them."""

    meant = MEANT

    def format_help(self) -> str:
        """Return the help: usage, groups of commands with an example each, options."""
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        *options, commands = self._actions
        lines = {line.dest: line for line in commands._get_subactions()}  # type: ignore[attr-defined]  # noqa: SLF001
        for group, names in GROUPS.items():
            formatter.start_section(group)
            formatter.add_arguments([lines[name] for name in names])
            formatter.add_text(f"  $ {EXAMPLES[group]}")
            formatter.end_section()
        formatter.start_section("options")
        formatter.add_arguments(options)
        formatter.end_section()
        formatter.add_text("cvbuild help COMMAND shows the options of a command.")
        return formatter.format_help()
