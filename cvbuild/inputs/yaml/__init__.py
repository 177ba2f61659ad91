"""YAML text as plain data, with the position of every node."""
