"""Masking methods: each file binds one file of ``sql/mask``."""
