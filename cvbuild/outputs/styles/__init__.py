"""Styles: folders with a manifest, and their typed options."""
