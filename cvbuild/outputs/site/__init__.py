"""A web site of many people: each one's page and facts, and the pages that join them.

``output`` makes the part of one person, as a document like others. ``everybody`` makes the pages of
all from what these parts say, so a person who hasn't changed is not read again.
"""
