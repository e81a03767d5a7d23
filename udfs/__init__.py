"""Numpy kernels for what is hard to write in SQL, each with the declaration of its DuckDB function.

None is needed for the risk measures, which are SQL throughout.
"""
