"""The view as LaTeX: the templates, and the only place where text is escaped."""
