"""Code that knows nothing of CVs: diagnostics, errors, files and their states, processes.

Nothing here imports another room.
"""

#: The version of cvbuild.
VERSION = "0.1.0"
