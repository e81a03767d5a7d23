"""PRAM matrices, the correction of tables for PRAM, and the probability of a correct match."""
