"""Records that institutions and networks keep of a person: LinkedIn, Europass, ORCID."""
