"""Styles: templates with their manifests, and typefaces."""
