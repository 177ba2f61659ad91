"""Applications: their documents, put together, named, sent by e-mail, and kept as they were sent.

``load`` reads one, ``documents`` gives its CV and letter, ``packet`` builds what goes out with
``mail`` and ``merge_pdf``, ``history`` keeps it, with notes, ``match`` compares an advert.
"""
