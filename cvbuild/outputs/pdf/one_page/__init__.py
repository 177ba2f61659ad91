"""The loop around a page: measure, choose what fits, typeset the choice."""
