"""Pictures of results as SVG, in the style of the reports: a module for each, and what they have in common."""
