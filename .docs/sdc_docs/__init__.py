"""What writes the pages that come from the code: from its declarations, nothing by hand."""
