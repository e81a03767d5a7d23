"""A page of text, tables and pictures, as one HTML file or as Markdown, without anything from outside."""
