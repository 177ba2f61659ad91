"""What is stored about finished documents, and whether they are up to date."""
