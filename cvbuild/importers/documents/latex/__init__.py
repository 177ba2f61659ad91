"""LaTeX sources of CVs: classes by their tables, others by what their commands look like.

Inside: ``source`` joins files and applies the person's own short commands, ``tree`` parses,
``words`` makes texts of nodes, ``tables`` says what commands mean, ``head`` and ``body`` read them
into ``sections``. Nothing is run.
"""
