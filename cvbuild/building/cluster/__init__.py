"""Build on a Dask cluster: a person's inputs travel, finished documents come back.

``parcel`` makes what travels, builds it on a worker and publishes what comes back; ``client`` gives
Dask the work.
"""
