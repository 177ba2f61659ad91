"""The command line: arguments, progress, printing, exit codes.

Scripts use ``cvbuild.api`` instead.
"""
