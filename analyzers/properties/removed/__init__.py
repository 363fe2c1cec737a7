"""Names and arguments of libraries that are gone: a check of the text, nothing runs."""

from analyzers.properties.removed.checking import findings

__all__ = ["findings"]
