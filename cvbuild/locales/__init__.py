"""Words, labels and dates of each language; ``tables/`` has one file per language.

Which texts of a person are shown in which language is decided in ``inputs.localize``.
"""
