"""How many records lie around each record of a file, exactly."""
