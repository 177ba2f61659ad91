"""A running ``watch`` or ``serve`` runs ``cvbuild build``, since it has loaded all code already.

``answer`` is the process beside ``watch`` that forks a child for each command, ``ask`` what the
command's own process does meanwhile, and ``place`` what both agree upon.
docs/internals/answering.md tells how.
"""
