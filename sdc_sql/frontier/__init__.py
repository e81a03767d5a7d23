"""The risk-utility frontier: many candidate releases measured, compared, and one chosen (Karr & Sanil 2004)."""
