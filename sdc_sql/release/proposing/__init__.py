"""A release file proposed from the data."""
