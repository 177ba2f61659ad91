"""Code that knows nothing of CVs: diagnostics, errors, files and their states, processes.

Nothing here imports another room.
"""
