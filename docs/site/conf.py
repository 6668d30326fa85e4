"""Settings of the site for Sphinx; `build.py` calls it."""

from clutrr import __version__

project = "CLUTRR"
author = "The CLUTRR workbench authors"
release = __version__
language = "en"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4
smartquotes = False
# A word between single backticks of a docstring is code.
default_role = "code"
add_module_names = False  # where a result is defined is no part of its name
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
html_theme = "furo"
html_title = f"CLUTRR {__version__}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
# The page of search results would fetch every page that it found, which a browser forbids to pages on disk.
html_show_search_summary = False
html_theme_options = {"sidebar_hide_name": False}
