"""What the headers of the SQL files declare, and the macros on a connection."""
