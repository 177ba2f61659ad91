"""What goes out with an application: documents put together, named, and made into a message.

``load`` reads an application (``model``) and what it names; ``documents`` are its CV and letter;
``packet`` has them built and puts the ``contents`` in place (``folders``); ``names`` are those of
files. ``merging`` joins PDFs into one, with ``incoming``, ``fields`` and ``harmless`` before,
``structure``, ``joining`` and ``layers`` for what they hold; ``plaintext`` is a CV as text,
``message`` the draft that carries all.

``sent`` keeps what went out: a packet, its ``inputs`` and a ``manifest`` in a ``frozen`` folder,
and git's name for it all; ``rebuild`` makes it again. ``log`` has the notes, and ``listing``
tells how all stand.
"""
