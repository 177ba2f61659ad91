"""TeX engines: find one, run it contained, read its log.

Nothing here knows of CVs; processes are started by ``common.processes``.
"""
