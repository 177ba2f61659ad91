"""Finish TeX's PDF: structure, links, metadata, attachment; written once. See finish.py."""
