"""JSON Schema of the files that people write, and the files that they start from."""
