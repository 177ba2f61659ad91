"""The schema: what a person's YAML file may hold, as frozen pydantic models."""
