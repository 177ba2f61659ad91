"""Code that knows nothing of CVs: diagnostics, exceptions, files, processes.

Nothing here imports another room.
"""

#: The version of cvbuild.
VERSION = "0.1.0"
