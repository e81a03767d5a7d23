"""The front page of the reference."""

from __future__ import annotations

CARDS = {
    "api/index": ("Python", "Classes and functions of `sdc_sql`, from their docstrings."),
    "command_line/index": ("Command line", "Every command of `sdc-sql` with its options."),
    "release_file/index": ("Release file", "Every field of a release file, from its schema."),
    "../functions/index": ("Functions in SQL", "The macros, one page each."),
    "../chapters/index": ("Chapters beside the code", "The README of each folder: how its part works."),
    "../chapters/changelog": ("Changelog", "What changed, by version."),
    "../chapters/compatibility": (
        "What a version promises",
        "Names, figures, files and draws from version to version.",
    ),
    "../chapters/contributing": ("Contribute", "The architecture in a drawing; how to add a measure or a mask."),
    "../chapters/security": ("Security", "How to report what could expose somebody."),
    "../chapters/releasing": ("Releasing", "How a version of sdc-sql is published."),
}


def write_index() -> str:
    """Return the page with a card for each part."""
    cards = "\n".join(
        f":::{{grid-item-card}} {title}\n:link: {page}\n:link-type: doc\n\n{words}\n:::"
        for page, (title, words) in CARDS.items()
    )
    listed = "\n".join(page for page in CARDS if page != "../functions/index")
    return (
        f"# Reference\n\n::::{{grid}} 1 2 2 3\n:gutter: 3\n\n{cards}\n::::\n\n"
        f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )
