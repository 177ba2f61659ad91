"""Compare cvbuild's speed with other programs, measured as users run it: ``make bench``.

Nothing here imports cvbuild: its command line is run in separate folders. Every figure is a ratio
of two that were measured in the same run, in turns.
"""
