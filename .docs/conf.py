"""How the documentation site is built: ``python -m sphinx -W --keep-going -j auto .docs .docs/_build/html``."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.append(str(HERE.parent / "tests"))  # where pages are read, and the validation book is made

from sdc_sql.version import VERSION  # noqa: E402 - the path stands first

project = "sdc-sql"
author = "The sdc-sql authors"
project_copyright = "the sdc-sql authors, Apache-2.0"
version = release = VERSION

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.githubpages",  # GitHub is not to leave out folders that begin with an underscore
    "sphinx.ext.mathjax",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sdc_docs.extension",
]
exclude_patterns = ["_build", "README.md", "examples"]
smartquotes = False  # options begin with two hyphens, and SQL has straight quotes

myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 6
myst_links_external_new_tab = False

autodoc_typehints = "none"  # the signature has them
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

mathjax_path = "mathjax/tex-chtml.js"  # sdc_docs.mathjax puts it there: nothing is fetched when a page is read

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery/python",
    "filename_pattern": r"\.py$",
    "image_scrapers": ("sdc_docs.scraper.scrape",),
    "capture_repr": (),
    "reset_modules": (),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10_000,
    "write_computation_times": False,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "sdc-sql"
html_favicon = "_static/favicon.svg"
html_context = {"default_mode": "auto"}
toc_object_entries = False  # the headings are enough
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
html_theme_options = {
    "logo": {"text": "sdc-sql"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "collapse_navigation": True,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
