# SPDX-License-Identifier: Apache-2.0
"""The manual as Sphinx builds it: `make html`, by scripts/manual, which puts the references beside the pages."""

import os
import re
import sys
from pathlib import Path

tree = Path(os.environ["KOINE_TREE"])  # the sources
sys.dont_write_bytecode = True
sys.path[:0] = [str(tree / "python"), str(tree / "doc/manual")]

import native_stub  # noqa: E402

native_stub.install()

header = (tree / "include/koine/koine.h").read_text()
project = "Koine"
author = "Koine developers"
release = ".".join(re.findall(r"^#define KN_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", header, re.M))
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_static", "examples"]
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_use_ivar = True
primary_domain = "c"
default_role = "py:obj"
highlight_language = "none"
suppress_warnings = ["myst.header"]

html_theme = "furo"
html_title = f"Koine {release}"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False
pygments_style = "friendly"
pygments_dark_style = "native"


def names_of_attributes(app, what, name, obj, options, lines):
    """"mean, std : float" in a list of attributes, which Napoleon would take for a type and a name."""
    for i, line in enumerate(lines):
        names, colon, kind = line.partition(" : ")
        if colon and re.fullmatch(r"[a-z_]\w*(, [a-z_]\w*)+", names) and "Attributes" in lines[:i]:
            lines[i] = names.replace(", ", ",") + colon + kind


def setup(app):
    app.connect("autodoc-process-docstring", names_of_attributes, priority=400)  # before Napoleon's
