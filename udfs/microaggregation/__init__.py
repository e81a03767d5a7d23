"""Groups of at least k similar records, and the values that stand for them."""
