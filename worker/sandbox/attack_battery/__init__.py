"""The escapes that a guest may try; runs inside, on the standard library alone.

Every attack takes a ``Canary`` and returns what it got hold of.  It is held
where it raises an error, returns nothing, or dies.  All
are harmless where nothing holds them: they touch our own canaries only.
"""
