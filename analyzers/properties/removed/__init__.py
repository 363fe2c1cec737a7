"""Names and arguments of libraries that are gone: a check of the text, nothing runs."""

from analyzers.properties.removed.removed_findings import findings

__all__ = ["findings"]
