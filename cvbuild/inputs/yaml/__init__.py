"""YAML text as plain data, with the position of every node.

``inputs.validation`` decides what the data means.
"""
