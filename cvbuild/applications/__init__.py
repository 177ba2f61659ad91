"""Applications: their documents, put together, named, sent by e-mail, and kept as they were sent.

``load`` reads an application and the files it names; ``documents`` gives its CV and
letter, and the files they are made from. ``packet`` builds what goes out, ``mail`` names the files
and writes the e-mail. ``merge_pdf`` joins PDFs into one: their pages show what they showed, and
cvbuild's own keep their tags.

``history`` keeps what went out, has the notes on applications and lists all, ``match`` compares an
advertisement with a document.
"""
