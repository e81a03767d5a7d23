"""A release file read and checked, before any work."""
