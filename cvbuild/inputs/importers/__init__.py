"""CVs of other formats, read into the plain data of a person's file.

How that file is written is decided in ``inputs.yaml.writer``; whether it is valid, in
``inputs.validation``.
"""
