"""Log-linear models over the whole crossing of the keys: their fit, how good it is for the risk, the search for one."""
