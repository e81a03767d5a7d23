"""The internal report, a module a stage, and its first page."""
