"""What goes out with an application: documents put together, named, and made into a message.

``merging`` joins PDFs into one, with ``harmless`` and ``structure``; ``plaintext`` is the CV as text;
``names`` are names of files; ``message`` is the draft that carries them.
"""
