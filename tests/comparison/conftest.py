"""The tests of comparisons."""
