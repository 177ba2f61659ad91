"""Sources of academic web sites: academicpages, Hugo."""
