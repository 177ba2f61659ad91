"""What goes to an employer: a ``packet``, with ``mail`` and ``merge_pdf``; ``history`` keeps it."""
