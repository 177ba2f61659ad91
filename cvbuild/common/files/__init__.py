"""Files of a project, of its output and of the cache: opened in bounds, changed without links."""
