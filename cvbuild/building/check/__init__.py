"""Check a person's file with all that it names: templates, options, variants, pictures."""

#: The code of a note that a person lacks what a rule of many people names.
LACKS = "lacks"
