"""Figures of a file by one name at every door, and the limits on them."""
