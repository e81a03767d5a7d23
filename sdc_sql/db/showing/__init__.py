"""Results as text and as HTML."""
