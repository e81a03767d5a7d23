"""One command from a raw file to a released one: the release file, its run, and what the run found."""
