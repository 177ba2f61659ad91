"""Words, labels and dates of each language; ``tables/`` has one file per language.

``inputs.localize`` decides which texts of a person are shown in which language.
"""
