"""A file as a form, as the models know it: its outline, fields, and what they may hold."""
