"""Additive and multiplicative noise, and the moments that it is scaled by."""
