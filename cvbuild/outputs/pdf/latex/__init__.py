"""Render the view as LaTeX, by Jinja templates; text is escaped only here."""
