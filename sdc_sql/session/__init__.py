"""What was done to a table, step by step: undone by replaying the rest, or written as a release file."""
