"""The search over a lattice of generalisation hierarchies."""
