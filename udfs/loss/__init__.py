"""What measures of information loss need beyond sums: eigenvalues, regressions, log-linear models."""
