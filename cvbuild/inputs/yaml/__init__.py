"""YAML text as plain data, with the position of every node.

What the data means is the concern of ``inputs.validation``.
"""
