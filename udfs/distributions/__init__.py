"""Probability distributions: fitted by maximum likelihood, tested by Kolmogorov and Smirnov, drawn from."""
