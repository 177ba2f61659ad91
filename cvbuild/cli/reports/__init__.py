"""Reports of a build or a check for whoever doesn't read a terminal: a page, JUnit, GitHub."""
