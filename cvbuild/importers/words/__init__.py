"""Texts of other programs: their markup, dates and headings, as a person's file has them."""
