"""The reports of a release, and its metadata."""
