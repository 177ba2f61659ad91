"""Build on a Dask cluster: a person's inputs travel, finished documents come back.

``parcel`` is what travels, ``packing`` makes it and publishes what comes back, ``worker`` runs on a
worker, ``client`` hands out the work.
"""
