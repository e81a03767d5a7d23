"""What computes the figures of peers on the project's own tables, where these are installed: each writes its file."""
