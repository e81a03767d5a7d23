"""The certificate of a release, and its verification."""
