"""Build on a Dask cluster: a person's inputs travel, finished documents come back.

``parcel`` makes what travels and publishes what comes back, ``worker`` runs on a worker, ``client``
gives Dask the work.
"""
