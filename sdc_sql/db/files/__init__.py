"""Files and databases: opened, read as they stand, worked on out of sight, handed over."""
