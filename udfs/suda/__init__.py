"""The search for minimal sample uniques."""
