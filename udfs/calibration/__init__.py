"""Weights calibrated to known totals of margins (Deville & Särndal 1992)."""
