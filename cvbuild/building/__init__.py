"""Build documents: one (``pipeline``), or many (``batch``); what is up to date (``fresh``)."""
