"""The version of the package, for whatever writes it down."""

VERSION = "0.2.0"
