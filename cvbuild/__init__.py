"""cvbuild: one YAML file a person, typeset CVs in several styles."""

__version__ = "0.1.0"
