"""The validation book: every formula beside its source and its peers, and where each method errs."""
