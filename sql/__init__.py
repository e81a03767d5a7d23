"""The SQL macros: the product. One file an idea; this module makes the folder loadable as package data."""
