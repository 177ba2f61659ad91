"""Applications: their documents, put together, named, sent by e-mail, and kept as they were sent.

``load`` reads one, ``documents`` gives its CV and letter, ``packets`` builds what goes out and
keeps it, ``match`` compares an advert, ``versions`` and ``changed_pdf`` tell what changed since.
"""
