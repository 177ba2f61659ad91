"""The packet of an application: everything that goes out with it, in one folder."""
