"""The command line: arguments (``command_table``), progress, printing, exit codes.

Scripts use ``cvbuild.api`` instead.
"""
