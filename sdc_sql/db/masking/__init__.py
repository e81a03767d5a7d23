"""A table masked, all or nothing, and the log of its steps."""
