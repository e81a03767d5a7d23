"""Groups of at least k similar records, and the values that they release."""
