"""Fit a document on one page: measure, choose what fits, typeset the choice."""
