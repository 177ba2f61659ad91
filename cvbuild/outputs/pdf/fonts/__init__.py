"""Decide which font sets which character, before TeX runs, from the fonts' own tables."""
