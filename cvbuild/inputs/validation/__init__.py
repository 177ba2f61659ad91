"""Plain data as a ``Profile``, or located errors in our own words.

The models themselves are in ``model``.
"""
