"""The schema: what a person's YAML file may hold, as frozen pydantic models."""

from cvbuild.model.profile import Profile

__all__ = ["Profile"]
