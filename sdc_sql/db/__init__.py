"""Access to DuckDB: the macro files and their catalogue, queries as trees, transactions, results."""
