"""An interactive SQL prompt with the macros and the functions over numpy."""
