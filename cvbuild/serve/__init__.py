"""`cvbuild serve`: a local page where a file is edited beside the pages that it makes."""
