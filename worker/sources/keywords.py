"""Readings as the words under which things are filed and searched."""

from __future__ import annotations

from analyzers.vocabulary import Wanted

_MEANS_NOTHING = frozenset({"other", "miscellaneous", "general"})


def keyword(text: str) -> str:
    """A keyword without case, and with spaces for ``_`` and ``-``."""
    return " ".join(text.casefold().replace("_", " ").replace("-", " ").split())


def names_of(reading: str) -> frozenset[str]:
    """The keywords under which a reading may be filed: itself, the end of a path."""
    return frozenset({keyword(reading), keyword(words_for(reading))})


def words_for(reading: str) -> str:
    """What to search for: of a category's path the last part that says something.

    ``/Arts & Entertainment/Movies`` is ``Movies``; ``/News/Other`` is ``News``.
    """
    if not reading.startswith("/"):
        return reading
    parts = [part.strip() for part in reading.split("/") if part.strip()]
    telling = [part for part in parts if keyword(part) not in _MEANS_NOTHING]
    return (telling or parts or [reading])[-1]


def unwanted(wanted: Wanted) -> frozenset[str]:
    """The keywords that no input may be filed under."""
    return frozenset(name for other in wanted.other_than for name in names_of(other))
