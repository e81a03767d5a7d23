"""A released table beside its original: risk before and after, and what was lost, in one table."""
