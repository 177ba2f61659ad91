"""`cvbuild serve`: a local page where a person's file is edited beside the pages that it makes.

Inside: the web application, live documents of text that isn't saved, files and their conflicts. Not
inside: how documents are made (building), arguments (cli).
"""
