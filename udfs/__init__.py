"""Numpy kernels for what SQL cannot say well, each with the declaration of its DuckDB function.

None is needed for the risk measures, which are SQL throughout.
"""
