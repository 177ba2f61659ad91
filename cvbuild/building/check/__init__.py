"""Check a person's file with all that it names: templates, options, variants, pictures."""
