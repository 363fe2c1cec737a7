"""Bugs that public projects had and fixed, brought back as pull requests (issue 15).

``bugs.toml`` lists fix commits; nobody's code is kept here. For each bug the base of the
pull request is the fix and its head the commit before it, so that the bug comes back. See
``README.md`` for the method and the figures.
"""
