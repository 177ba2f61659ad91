"""Files and folders: read and written safely, whether they have changed, the user's cache."""
