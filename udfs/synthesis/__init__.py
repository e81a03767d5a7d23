"""Files drawn anew, column by column."""
