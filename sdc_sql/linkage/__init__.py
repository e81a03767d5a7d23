"""Who is found in a released file, and what of them: each file calls the macros of one file of ``sql/linkage``."""
