"""The pictures of an example of the gallery: what a block of code bound to a name, as a file beside its page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import figure_rst

from sdc_sql.pictures.picture import Picture

_SEEN: set[int] = set()


def scrape(_: object, values: dict[str, Any], settings: dict[str, Any]) -> str:
    """Write the pictures that are new after a block; return what shows them."""
    files = []
    for value in values["example_globals"].values():
        if isinstance(value, Picture) and id(value) not in _SEEN:
            _SEEN.add(id(value))
            _KEPT.append(value)  # so that no other picture gets its place in memory
            path = Path(next(values["image_path_iterator"])).with_suffix(".svg")
            path.write_text(value.to_svg() + "\n", encoding="utf-8")
            files.append(str(path))
    return figure_rst(files, settings["src_dir"]) if files else ""


_KEPT: list[Picture] = []
