"""How fast cvbuild is against its peers, measured as its users run it: ``make bench``.

Nothing here imports cvbuild: its command line is run in folders of its own. Every figure is a
ratio of two that were measured in the same run, in turns.
"""
