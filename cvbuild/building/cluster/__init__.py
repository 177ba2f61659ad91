"""The same work on a Dask cluster: a person's inputs travel, finished documents come back.

``parcel`` is what travels, ``packing`` makes it and puts away what comes back, ``errand`` is what a
worker runs, ``client`` hands the work out.
"""
