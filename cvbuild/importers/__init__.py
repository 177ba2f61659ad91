"""CVs of other formats, read into the plain data of a person's file.

``inputs.yaml.writer`` writes that file; ``inputs.validation`` checks it.
"""
