"""Settings of Sphinx for the documentation site; ``scripts/build_documentation.py`` builds it."""

project = "Assayer"
author = "the Assayer contributors"
extensions = ["myst_parser", "sphinx_copybutton"]
exclude_patterns = ["operating/*.json", "operating/*.yaml"]
# titles of GitHub's own anchors, so that links work there and here
myst_heading_anchors = 4
html_theme = "furo"
html_title = "Assayer"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
# console output has prompts that are not copied
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
