"""Masking methods: each file calls the macros of one file of ``sql/mask``."""
