"""What masking lost: each file calls the macros of one file of ``sql/loss``."""
