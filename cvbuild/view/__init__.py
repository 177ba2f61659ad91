"""What a reader sees: strings ready to be shown, the same for every output.

How they look is decided by each output.
"""
