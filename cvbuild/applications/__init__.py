"""What goes out with an application: documents put together, named, and made into a message.

``merging`` joins PDFs into one, with ``incoming`` and ``harmless`` before, ``structure``,
``joining`` and ``layers`` for what they hold; ``plaintext`` is a CV as text; ``names`` are names of
files; ``message`` is the draft that carries them.
"""
