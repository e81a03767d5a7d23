"""What is measured of a release, and whether its limits and rules hold."""
