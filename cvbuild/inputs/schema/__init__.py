"""Everything made from the schema: JSON Schema, its reference page, examples, starter files."""
