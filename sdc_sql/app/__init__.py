"""A window to work in: pages on this machine, over DuckDB, that end in a release file (the extra ``app``)."""
