"""Distances from the bulk of a file, which outlying records do not move."""
