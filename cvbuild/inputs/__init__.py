"""Files that people write, read into a validated ``Profile`` of what may be shown.

Which parts of it a document shows is decided in ``selection``.
"""
