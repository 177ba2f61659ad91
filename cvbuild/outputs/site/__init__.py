"""A web site of many people: each one's page and facts, and the pages that join them.

``output`` makes the part of one person, as a document like others. ``pages`` makes the pages of
everybody from what these parts say, so a person who hasn't changed is not read again.
"""
