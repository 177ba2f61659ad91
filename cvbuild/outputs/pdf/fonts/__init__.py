"""Which font sets which character: decided before TeX runs, from the fonts' own tables."""
