"""LaTeX sources of CVs: Awesome-CV, moderncv, and classes with the same or plain commands.

Inside: ``source`` joins files and applies the person's own short commands, ``tree`` parses,
``words`` makes texts of nodes, ``head`` and ``body`` know the commands. Nothing is run.
"""
