"""What knows nothing of CVs: diagnostics, errors, positions, files and their states, processes.

Nothing here imports another room.
"""
