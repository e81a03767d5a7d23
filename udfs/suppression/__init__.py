"""Local suppression: the search on the table of cells."""
