"""A person's file as a form: its outline, the fields of one part of it, what they may hold.

Everything is read from the models that check a file, and from a text that need not be right.
"""
