"""All that goes out with an application, in one folder."""
