"""Importers of other programs that make CVs: JSON Resume, our PDFs, RenderCV, YAMLResume."""
