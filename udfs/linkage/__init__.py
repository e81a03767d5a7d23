"""The records of one file that are nearest to those of another, exactly."""
